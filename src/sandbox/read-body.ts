import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';
import { type JsonLimits, jsonExcess } from '../json.ts';
import type { Exchange } from './exchange.ts';
import type { SandboxLimits } from './limits.ts';

/** Counts the bytes of all bodies that one sandbox holds. */
export interface BodyRoom {
  /** @returns false where they would be too many; nothing is counted then */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createBodyRoom({ bodies }: Pick<SandboxLimits, 'bodies'>): BodyRoom {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > bodies) return false;
      held += bytes;
      return true;
    },
    give(bytes) {
      held -= bytes;
    },
  };
}

function refuseSize(limit: number): never {
  throw new Failure('invalid_request', `the request body is over the limit of ${limit} bytes`);
}

/** Resolves with what arrived once all of it has. Rejects where `accept` throws, `unreadable` aborts, or the client leaves. */
function collect(
  { request, unreadable }: Pick<Exchange, 'request' | 'unreadable'>,
  accept: (size: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      request.off('data', take).off('end', end).off('close', close);
      unreadable.removeEventListener('abort', refuse);
      act();
    };
    const end = settle(() => resolve(Buffer.concat(chunks)));
    const close = settle(() => reject(new Error('the connection was closed')));
    const refuse = settle(() => reject(unreadable.reason));
    function take(chunk: Buffer): void {
      try {
        accept(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        settle(() => reject(error))();
      }
    }
    request.on('data', take).on('end', end).on('close', close);
    unreadable.addEventListener('abort', refuse);
  });
}

/**
 * Reads the body of a request whole, and counts it until the response is closed. What a failure leaves unread is
 * the caller's to drop.
 * @throws Failure `invalid_request` when it is over its limit, `server_error` when there is no room for it
 */
export async function readBody(
  exchange: Pick<Exchange, 'request' | 'response' | 'unreadable'>,
  { body: limit }: Pick<SandboxLimits, 'body'>,
  room: BodyRoom,
): Promise<Buffer> {
  const { request, response } = exchange;
  if (Number(request.headers['content-length']) > limit) refuseSize(limit);
  if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
  let size = 0;
  response.once('close', () => room.give(size));
  return collect(exchange, (more) => {
    if (size + more > limit) refuseSize(limit);
    if (!room.take(more)) {
      throw new Failure('server_error', 'the sandbox holds too many large bodies at the same time');
    }
    size += more;
  });
}

/**
 * Lets the rest of a body pass unread, so that a client that sends all of it before it reads can read the answer;
 * within bounds, after which the connection is closed. Real time, whatever the clock: so is that of the
 * client.
 */
export function dropBody(
  request: IncomingMessage,
  { droppedBody, droppedTime }: Pick<SandboxLimits, 'droppedBody' | 'droppedTime'>,
): void {
  if (request.readableEnded || request.destroyed) return;
  const { socket } = request;
  let dropped = 0;
  const timer = setTimeout(() => socket.destroy(), droppedTime).unref();
  const stop = () => clearTimeout(timer);
  request.once('end', stop).once('close', stop);
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > droppedBody) socket.destroy();
  });
  // Node drops an unread body when the answer is finished, without bounds.
  request.read(0);
}

function describe(excess: 'depth' | 'values', { depth, values }: JsonLimits): string {
  return excess === 'depth'
    ? `is nested more than ${depth} deep`
    : `has more than ${values} values`;
}

/** A body as JSON, or why it is not. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: string };

/**
 * Never throws: what is wrong with a body matters only once the request is otherwise acceptable. What is nested too
 * deep or has too many values is not parsed at all.
 */
export function parseBody(bytes: Buffer, limits: JsonLimits): ParsedBody {
  if (bytes.length === 0) return { problem: 'the request body is empty' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const excess = jsonExcess(text, limits);
    if (excess !== undefined) return { problem: `the request body ${describe(excess, limits)}` };
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    return { problem: `the request body is malformed JSON: ${reason}` };
  }
}
