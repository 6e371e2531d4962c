import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../failure.ts';
import { answerAsAsked, answerFailure } from './answers/error-answer.ts';
import { breakOff, cut, cutPosition } from './answers/interruptions.ts';
import { authenticate, refuseForeignHost } from './authenticate.ts';
import { lastUserText } from './completion-body.ts';
import { type Exchange, pause } from './exchange.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import { openExchange } from './open-exchange.ts';
import { dropBody, type ParsedBody, parseBody, readBody } from './read-body.ts';
import { recordBody } from './request-record.ts';
import { answerRoute, findRoute, type Route } from './routes.ts';
import type { SandboxState } from './sandbox-state.ts';

/** Reads and parses the body of a request whose route has one. */
async function takeBody(
  { limits, room }: SandboxState,
  exchange: Exchange,
  route: Route | undefined,
): Promise<ParsedBody> {
  if (route?.takesBody !== true) return { problem: 'the request has no body' };
  const bytes = await readBody(exchange, limits, room);
  const body = parseBody(bytes, limits);
  recordBody(exchange.record, bytes, 'value' in body ? body.value : undefined);
  return body;
}

/** Decides what the request meets. @returns the prompt without its `[sandbox …]` group */
function meetFault(exchange: Exchange, rules: FaultRules, path: string, body: ParsedBody): string {
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

/** What precedes any answer. @returns true when nothing may follow */
async function precede(exchange: Exchange): Promise<boolean> {
  const { fault, response } = exchange;
  if (fault['early-hints'] === true) {
    response.writeEarlyHints({ link: '</v1/models>; rel=preload' });
  }
  if (fault.delay !== undefined) await pause(exchange, fault.delay);
  if (cutPosition(fault) !== 'request') return false;
  await cut(exchange);
  return true;
}

/** Cheap checks first: no body is read before the key is known. */
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
  const prompt = meetFault(exchange, state.rules, path, body);
  if ((await precede(exchange)) || (await answerAsAsked(exchange))) return;
  const { latency, engine, limits } = state;
  await answerRoute({ exchange, key, body, prompt, latency, engine, limits }, route, path);
}

/** Whether an answer can still reach the client. */
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

/** Answers one request, whatever happens. Never rejects. */
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
    // The error's own answer failed as well: the connection is gone, or as good as gone.
    exchange.record.problem ??= String(error);
    response.destroy();
  }
}
