import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../failure.ts';
import { maskKey } from '../secrecy/mask.ts';
import { bearerToken } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { type RequestRecord, writeRecord } from './request-record.ts';
import type { SandboxState } from './sandbox-state.ts';

function openRecord({ clock }: SandboxState, request: IncomingMessage): RequestRecord {
  const { method = 'GET', url = '/', headers } = request;
  const token = bearerToken(headers.authorization);
  const key = token === undefined ? undefined : maskKey(token);
  return { time: clock.date().toISOString(), method, path: url, key, events: 0 };
}

/** Writes the record to the log when the response is closed, however that happens. */
function endRecord(
  { clock, log, isClosing }: SandboxState,
  { record, request, arrived }: Exchange,
): void {
  record.ended ??= isClosing ? 'sandbox closed' : 'client closed';
  record.milliseconds = Math.round(clock.monotonic() - arrived);
  if (log !== undefined) writeRecord(log, record, bearerToken(request.headers.authorization));
}

/** Begins to answer a request. */
export function openExchange(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const closed = new AbortController();
  const unreadable = new AbortController();
  state.requests += 1;
  const exchange: Exchange = {
    request,
    response,
    clock: state.clock,
    arrived: state.clock.monotonic(),
    signal: closed.signal,
    unreadable: unreadable.signal,
    number: state.requests,
    record: openRecord(state, request),
    fault: {},
  };
  const open = { exchange, refuse: (failure: Failure) => unreadable.abort(failure) };
  const { socket } = request;
  state.open.set(socket, open);
  // Without a listener an error would end the process; a response that fails is closed as well.
  response.on('error', ({ message }) => (exchange.record.problem ??= message));
  response.once('close', () => {
    if (state.open.get(socket) === open) state.open.delete(socket);
    endRecord(state, exchange);
    closed.abort();
  });
  return exchange;
}
