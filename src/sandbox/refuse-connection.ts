import type { Duplex } from 'node:stream';
import { Failure } from '../failure.ts';
import { errorName } from './answers/whole-answer.ts';
import { errorBody } from './error-shapes.ts';
import { type RequestRecord, writeRecord } from './request-record.ts';
import type { SandboxState } from './exchange.ts';

interface Refusal {
  readonly status: number;
  readonly message: string;
}

function refusalOf(error: Error, { limits }: SandboxState): Refusal {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, message: `the request headers exceed ${limits.head} bytes` };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, message: 'the request did not arrive in time' };
  }
  const reason = error.message.replace(/^Parse Error: /, '');
  return { status: 400, message: `the request is not HTTP: ${reason}` };
}

function formatResponse({ status, message }: Refusal): string {
  const { contentType, text } = errorBody('nested', status, errorName(status), message);
  const head = [
    `HTTP/1.1 ${status} ${errorName(status)}`,
    'Connection: close',
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/**
 * Answers connections without a readable request (malformed, too slow, or with too large a head) and closes them. If the
 * head was read, the exchange sends the answer.
 */
export function createRefuseConnection(
  state: SandboxState,
): (error: Error, socket: Duplex) => void {
  const refused = new WeakSet<Duplex>();
  const { clock, limits, log } = state;
  return (error, socket) => {
    // Node reports further data too, and an incomplete request once a second.
    if (refused.has(socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const { status, message } = refusalOf(error, state);
    const open = state.open.get(socket);
    if (open !== undefined) {
      const { request, response, record } = open;
      response.shouldKeepAlive = false;
      if (request.complete) return;
      record.problem = message;
      open.refuseBody?.(new Failure('invalid_request', message));
      return;
    }
    const time = clock.date().toISOString();
    const record: RequestRecord = { time, status, events: 0, ended: 'done', problem: message };
    if (log !== undefined) writeRecord(log, record);
    socket.end(formatResponse({ status, message }));
    const timer = setTimeout(() => socket.destroy(), limits.droppedTime).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}
