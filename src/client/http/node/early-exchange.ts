import { startTimer } from '../../../clock.ts';
import {
  connectTimedOut,
  firstByteTimedOut,
  networkFailure,
  type Stage,
} from '../../failure/network-failure.ts';
import type { HttpRequest, HttpResponse } from '../transport.ts';
import { type BodyFraming, ChunkedBody, countedBody } from './body-framing.ts';
import type { ConnectedSocket } from './early-connection.ts';
import type { Reading } from './exchange.ts';
import { connectionEnded, decodedBody, receivedChunks } from './response-body.ts';
import { parseHead, type ResponseHead } from './response-head.ts';

/** Bytes; Node's parser reports a head that is longer. */
const longestHead = 16_384;

function requestBytes({ method, url, headers, body = new Uint8Array() }: HttpRequest): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}`;
  const head = `${target}content-length: ${body.length}\r\nHost: ${url.host}\r\nConnection: keep-alive\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

interface ReceivedHead {
  /** Undefined for a response that Node's parser has to read. */
  readonly head: ResponseHead | undefined;
  /** What has been received: after the head, or, without one, from the start. */
  readonly rest: Buffer;
}

const usualStart = 'HTTP/1.1 200';

/** Whether the bytes may begin a usual head: its start, and no line that ends without a carriage return. */
function mayBeUsual(received: Buffer): boolean {
  const text = received.toString('latin1');
  return usualStart.startsWith(text.slice(0, usualStart.length)) && !/(?<!\r)\n/.test(text);
}

async function receiveHead(received: AsyncGenerator<Buffer>): Promise<ReceivedHead> {
  let rest: Buffer = Buffer.alloc(0);
  while (rest.length < longestHead) {
    const { value, done } = await received.next();
    if (done === true) break;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    const end = rest.indexOf('\r\n\r\n', 0, 'latin1');
    if (end === -1 && mayBeUsual(rest)) continue;
    if (end === -1) break;
    const head = parseHead(rest.toString('latin1', 0, end));
    if (head === undefined) break;
    return { head, rest: rest.subarray(end + 4) };
  }
  if (rest.length === 0) throw connectionEnded();
  return { head: undefined, rest };
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* unframed(
  framing: BodyFraming,
  rest: Buffer,
  received: AsyncGenerator<Buffer>,
): AsyncGenerator<Uint8Array> {
  for (let bytes = rest; ;) {
    const part = framing.decode(bytes);
    if (part.length > 0) yield part;
    if (framing.failure !== undefined) throw framing.failure;
    if (framing.isComplete) return;
    const { value, done } = await received.next();
    if (done === true) throw connectionEnded();
    bytes = value;
  }
}

interface Closing {
  /** Maps an error of the connection. */
  readonly explain: (error: unknown) => unknown;
  /** Closes the connection; what waits for it gets the reason. */
  readonly destroy: (reason: unknown) => void;
}

/** Sends the request, and limits the time until the head of the response. */
function startExchange(
  request: HttpRequest,
  { socket, isConnected }: ConnectedSocket,
  { route, limits, signal }: Reading,
): Closing & { readonly onHead: () => void } {
  let reason: unknown;
  let stage: Stage = 'connecting';
  const destroy = (error: unknown): void => {
    reason ??= error;
    socket.destroy();
  };
  const limit = (milliseconds: number, expired: typeof connectTimedOut) =>
    startTimer(limits.clock, milliseconds, () => destroy(expired(route, milliseconds)));
  let stopTimer = limit(limits.connectTimeout, connectTimedOut);
  const onConnected = (): void => {
    stage = 'waiting';
    stopTimer();
    stopTimer = limit(limits.firstByteTimeout, firstByteTimedOut);
  };
  if (isConnected) onConnected();
  else socket.once(route.secure ? 'secureConnect' : 'connect', onConnected);
  const abort = (): void => destroy(signal.reason);
  signal.addEventListener('abort', abort);
  socket.once('close', () => {
    stopTimer();
    signal.removeEventListener('abort', abort);
  });
  socket.write(requestBytes(request));
  return {
    destroy,
    explain: (error) => reason ?? networkFailure(error, stage, route),
    onHead() {
      stage = 'answering';
      stopTimer();
    },
  };
}

/**
 * Sends a request over an early connection, and closes it after the response. A usual response is read here, because
 * loading `node:http` takes longer than all the rest of a short answer; every other one is read by Node's parser.
 * @throws RequestFailure; or the signal's reason when it aborts, now or while the body is read.
 */
export async function exchangeEarly(
  request: HttpRequest,
  connected: ConnectedSocket,
  reading: Reading,
): Promise<HttpResponse> {
  const { socket } = connected;
  if (reading.signal.aborted) socket.destroy();
  reading.signal.throwIfAborted();
  const { explain, destroy, onHead } = startExchange(request, connected, reading);
  try {
    const received = receivedChunks(socket);
    const { head, rest } = await receiveHead(received);
    if (head === undefined) {
      const { replayResponse } = await import('./replayed-response.ts');
      return await replayResponse(socket, joined(rest, received), reading, onHead);
    }
    onHead();
    const { headers, length } = head;
    const framing = length === undefined ? new ChunkedBody() : countedBody(length);
    const bytes = unframed(framing, rest, received);
    const body = decodedBody(bytes, headers, explain, () => socket.destroy());
    return { status: 200, headers, body, destroy };
  } catch (error) {
    socket.destroy();
    throw explain(error);
  }
}
