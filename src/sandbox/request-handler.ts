import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../address.ts';
import { Failure } from '../failure.ts';
import { maskKey } from '../secrets/mask.ts';
import { answerWithFault, answerFailure } from './answers/whole-answer.ts';
import { breakOff, cut, cutPosition } from './answers/interruptions.ts';
import { lastUserText } from './completion-body.ts';
import { type Exchange, pause, type SandboxState } from './exchange.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import { dropBody, type ParsedBody, parseBody, readBody } from './read-body.ts';
import { authenticate, bearerToken } from './keys.ts';
import { recordBody, type RequestRecord, writeRecord } from './request-record.ts';
import { answerRoute, findRoute, type Route } from './routes.ts';

function openRecord({ clock, log }: SandboxState, request: IncomingMessage): RequestRecord {
  if (log === undefined) return { time: '', events: 0 };
  const { method = 'GET', url = '/', headers } = request;
  const token = bearerToken(headers.authorization);
  const key = token === undefined ? undefined : maskKey(token);
  return { time: clock.date().toISOString(), method, path: url, key, events: 0 };
}

/** Writes the log line, after the end or the loss of a response. */
function endRecord(
  { clock, log, isClosing }: SandboxState,
  { record, request, arrived }: Exchange,
): void {
  if (log === undefined) return;
  record.ended ??= isClosing ? 'sandbox closed' : 'client closed';
  record.milliseconds = Math.round(clock.monotonic() - arrived);
  writeRecord(log, record, bearerToken(request.headers.authorization));
}

function openExchange(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const { socket } = request;
  const closed = new AbortController();
  state.requests += 1;
  const exchange: Exchange = {
    request,
    response,
    clock: state.clock,
    arrived: state.clock.monotonic(),
    signal: closed.signal,
    number: state.requests,
    record: openRecord(state, request),
    fault: {},
    refuseBody: undefined,
  };
  state.open.set(socket, exchange);
  // Without a listener, an error would end the process. A failed response is closed, too.
  response.on('error', ({ message }) => (exchange.record.problem ??= message));
  response.once('close', () => {
    if (state.open.get(socket) === exchange) state.open.delete(socket);
    endRecord(state, exchange);
    if (!response.writableFinished) closed.abort(new Error('the connection has ended'));
  });
  return exchange;
}

/**
 * Refuses a request whose `Host` is not this machine. The name of a web page can resolve to 127.0.0.1, and the sandbox's
 * keys are published: any page could use the sandbox, and the upstream behind it.
 * @throws Failure `forbidden`
 */
function refuseForeignHost(hostHeader = ''): void {
  const host = hostHeader.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(host.toLowerCase())) return;
  throw new Failure('forbidden', 'the sandbox accepts only requests to this machine', {
    hint: 'use the address that the sandbox printed, or localhost',
  });
}

async function takeBody(
  state: SandboxState,
  exchange: Exchange,
  route: Route | undefined,
): Promise<ParsedBody> {
  if (route?.takesBody !== true) return { problem: 'the request has no body' };
  const bytes = await readBody(exchange, state);
  const body = parseBody(bytes, state.limits);
  recordBody(exchange.record, bytes, 'value' in body ? body.value : undefined);
  return body;
}

/** Sets the fault of the exchange. @returns the prompt without its `[sandbox …]` group */
function applyRules(exchange: Exchange, rules: FaultRules, path: string, body: ParsedBody): string {
  const { record } = exchange;
  const prompt = 'value' in body ? lastUserText(body.value) : undefined;
  const applied = rules.apply({
    method: exchange.request.method ?? 'GET',
    path,
    ...(record.model === undefined ? {} : { model: record.model }),
    ...(prompt === undefined ? {} : { prompt }),
  });
  exchange.fault = applied.fault;
  if (applied.rule !== undefined) record.rule = applied.rule;
  if (applied.attempt !== undefined) record.attempt = applied.attempt;
  return applied.prompt ?? prompt ?? '';
}

/** Checks the key before it reads the body, because unknown clients may send anything. */
async function answer(state: SandboxState, exchange: Exchange): Promise<void> {
  const { record, request } = exchange;
  const { method = 'GET', url = '/', headers } = request;
  refuseForeignHost(headers.host);
  const path = url.replace(/[?#].*$/s, '');
  const route = findRoute(method, path);
  const key = authenticate(headers.authorization);
  record.tier = key.tier;
  const body = await takeBody(state, exchange, route);
  dropBody(request, state.limits);
  state.limiter.admit(key);
  const prompt = applyRules(exchange, state.rules, path, body);
  const { fault } = exchange;
  if (fault['early-hints'] === true) {
    exchange.response.writeEarlyHints({ link: '</v1/models>; rel=preload' });
  }
  if (fault.delay !== undefined) await pause(exchange, fault.delay);
  if (cutPosition(fault) === 'request') {
    await cut(exchange);
    return;
  }
  if (await answerWithFault(exchange)) return;
  await answerRoute({ exchange, state, key, body, prompt }, route, path);
}

function isConnected({ request, response, signal }: Exchange): boolean {
  return !signal.aborted && request.errored === null && response.socket?.destroyed === false;
}

async function answerError(exchange: Exchange, error: unknown): Promise<void> {
  const { response, record } = exchange;
  if (!isConnected(exchange)) return;
  if (!(error instanceof Failure)) record.problem = String(error);
  if (response.headersSent) {
    record.ended = 'failed';
    await breakOff(exchange);
    return;
  }
  const failure =
    error instanceof Failure
      ? error
      : new Failure('server_error', `the sandbox failed: ${String(error)}`, { cause: error });
  await answerFailure(exchange, failure);
}

/** Answers one request. Never rejects. */
export async function handleRequest(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const exchange = openExchange(state, request, response);
  try {
    await answer(state, exchange).catch(async (error: unknown) => {
      dropBody(request, state.limits);
      await answerError(exchange, error);
    });
  } catch (error) {
    // The error could not be sent either, so the connection is unusable.
    exchange.record.problem ??= String(error);
    response.destroy();
  }
}
