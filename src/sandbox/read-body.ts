import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';
import { type JsonLimits, jsonExcess, parseAnyJson } from '../json.ts';
import { locatedProblem } from '../json-place.ts';
import type { Exchange } from './exchange.ts';
import type { SandboxLimits } from './limits.ts';

/** The memory for the bodies of all requests of one sandbox. */
export interface BodyMemory {
  /** @returns false, and reserves nothing, if that many bytes are not free */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
}

export function createBodyMemory({ bodies }: Pick<SandboxLimits, 'bodies'>): BodyMemory {
  let used = 0;
  return {
    reserve(bytes) {
      if (used + bytes > bodies) return false;
      used += bytes;
      return true;
    },
    release(bytes) {
      used -= bytes;
    },
  };
}

function refuseSize(limit: number): never {
  throw new Failure('invalid_request', `the request body exceeds the limit of ${limit} bytes`);
}

/** Resolves with the whole body. Rejects if `accept` throws, the rest cannot be read, or the connection closes. */
function collect(
  exchange: Pick<Exchange, 'request' | 'refuseBody'>,
  accept: (size: number) => void,
): Promise<Buffer> {
  const { request } = exchange;
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => () => {
      request.off('data', take).off('end', end).off('close', close);
      exchange.refuseBody = undefined;
      finish();
    };
    const end = settle(() => resolve(Buffer.concat(chunks)));
    const close = settle(() => reject(new Error('the connection was closed')));
    function take(chunk: Buffer): void {
      try {
        accept(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        settle(() => reject(error))();
      }
    }
    request.on('data', take).on('end', end).on('close', close);
    exchange.refuseBody = (failure) => settle(() => reject(failure))();
  });
}

/**
 * Reads the whole body, and reserves its memory until the response closes. After a failure, the caller drops the rest.
 * @throws Failure `invalid_request` if it is over its limit, `server_error` if there is no memory for it
 */
export async function readBody(
  exchange: Pick<Exchange, 'request' | 'response' | 'refuseBody'>,
  { body: limit }: Pick<SandboxLimits, 'body'>,
  memory: BodyMemory,
): Promise<Buffer> {
  const { request, response } = exchange;
  if (Number(request.headers['content-length']) > limit) refuseSize(limit);
  if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
  let size = 0;
  response.once('close', () => memory.release(size));
  return collect(exchange, (more) => {
    if (size + more > limit) refuseSize(limit);
    if (!memory.reserve(more)) {
      throw new Failure('server_error', 'the sandbox is processing too many large bodies');
    }
    size += more;
  });
}

/**
 * Discards the rest of a body, so that a client that sends all of it before reading can read the answer. Beyond the
 * limits the connection is closed. Uses real time, as the client does, not the sandbox's clock.
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
  // Starts the flow; otherwise Node discards the body after the answer, without a limit.
  request.read(0);
}

function describe(excess: 'depth' | 'values', { depth, values }: JsonLimits): string {
  return excess === 'depth'
    ? `is nested more than ${depth} deep`
    : `has more than ${values} values`;
}

/** A JSON value, or the reason why a body is not JSON. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: string };

/** Never throws: the problem is reported only if the rest of the request is valid. Excess nesting is not parsed. */
export function parseBody(bytes: Buffer, limits: JsonLimits): ParsedBody {
  if (bytes.length === 0) return { problem: 'the request body is empty' };
  if (!isUtf8(bytes)) return { problem: 'the request body is not UTF-8' };
  const text = bytes.toString();
  const excess = jsonExcess(text, limits);
  if (excess !== undefined) return { problem: `the request body ${describe(excess, limits)}` };
  const value = parseAnyJson(text);
  if (value !== undefined) return { value };
  return { problem: `the request body ${locatedProblem(text)}` };
}
