import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';
import { type JsonLimits, jsonExcess, parseAnyJson } from '../json.ts';
import { locatedProblem } from '../json-place.ts';
import type { Exchange, SandboxState } from './exchange.ts';
import type { SandboxLimits } from './limits.ts';

/**
 * Reads the whole body, and counts its bytes until the response closes. After a failure, the caller drops the rest.
 * @throws Failure `invalid_request` if it is over its limit, `server_error` if there is no memory for it
 */
export async function readBody(exchange: Exchange, state: SandboxState): Promise<Buffer> {
  const { request, response } = exchange;
  const { body: limit, bodies } = state.limits;
  const tooLarge = new Failure(
    'invalid_request',
    `the request body exceeds the limit of ${limit} bytes`,
  );
  if (Number(request.headers['content-length']) > limit) throw tooLarge;
  if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  response.once('close', () => (state.bodyBytes -= size));
  return new Promise((resolve, reject) => {
    function stop(): void {
      request.off('data', take).off('end', end).off('close', close);
      exchange.refuseBody = undefined;
    }
    function refuse(error: Error): void {
      stop();
      reject(error);
    }
    function take(chunk: Buffer): void {
      if (size + chunk.length > limit) refuse(tooLarge);
      else if (state.bodyBytes + chunk.length > bodies) {
        refuse(new Failure('server_error', 'the sandbox is processing too many large bodies'));
      } else {
        size += chunk.length;
        state.bodyBytes += chunk.length;
        chunks.push(chunk);
      }
    }
    function end(): void {
      stop();
      resolve(Buffer.concat(chunks));
    }
    const close = () => refuse(new Error('the connection was closed'));
    request.on('data', take).on('end', end).on('close', close);
    exchange.refuseBody = refuse;
  });
}

/**
 * Discards the rest of a body, so that a client that sends all of it before reading can read the answer. Beyond the
 * limits the connection is closed. Uses real time, as the client does, not the sandbox's clock.
 */
export function dropBody(
  request: IncomingMessage,
  { droppedBody, droppedTime }: SandboxLimits,
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

/** A JSON value, or the reason why a body is not JSON. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: string };

/** Never throws: the problem is reported only if the rest of the request is valid. Excess nesting is not parsed. */
export function parseBody(bytes: Buffer, limits: JsonLimits): ParsedBody {
  if (bytes.length === 0) return { problem: 'the request body is empty' };
  if (!isUtf8(bytes)) return { problem: 'the request body is not UTF-8' };
  const text = bytes.toString();
  const excess = jsonExcess(text, limits);
  if (excess === 'depth') {
    return { problem: `the request body is nested more than ${limits.depth} deep` };
  }
  if (excess === 'values') {
    return { problem: `the request body has more than ${limits.values} values` };
  }
  const value = parseAnyJson(text);
  if (value !== undefined) return { value };
  return { problem: `the request body ${locatedProblem(text)}` };
}
