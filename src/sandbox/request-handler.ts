import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';
import { answerAsAsked, answerFailure } from './answers/error-answer.ts';
import { breakOff, cut, cutPosition } from './answers/interruptions.ts';
import { authenticate, bearerToken, maskKey } from './authenticate.ts';
import { lastUserText } from './completion-body.ts';
import type { Engine } from './engine.ts';
import { type Exchange, pause } from './exchange.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type ParsedBody, parseBody, readBody } from './read-body.ts';
import { formatRecord } from './request-record.ts';
import { answerRoute } from './routes.ts';

/** What all requests of one sandbox share. */
export interface SandboxState {
  readonly clock: Clock;
  readonly rules: FaultRules;
  readonly limiter: RateLimiter;
  readonly latency: Readonly<Record<string, number>>;
  /** Absent: the sandbox makes its own replies. */
  readonly engine: Engine | undefined;
  readonly log: ((line: string) => void) | undefined;
  isClosing: boolean;
  requests: number;
}

function openExchange(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const { clock } = state;
  const closed = new AbortController();
  const token = bearerToken(request.headers.authorization);
  const arrived = clock.monotonic();
  const { method = 'GET', url = '/' } = request;
  state.requests += 1;
  const record: Exchange['record'] = {
    time: clock.date().toISOString(),
    method,
    path: url,
    key: token === undefined ? undefined : maskKey(token),
    events: 0,
  };
  response.once('close', () => {
    record.ended ??= state.isClosing ? 'sandbox closed' : 'client closed';
    record.milliseconds = Math.round(clock.monotonic() - arrived);
    closed.abort();
    state.log?.(formatRecord(record, token));
  });
  const { signal } = closed;
  return { request, response, clock, arrived, signal, number: state.requests, record, fault: {} };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '');
}

function noteBody({ record }: Exchange, bytes: Buffer): ParsedBody {
  const body = parseBody(bytes);
  if (bytes.length === 0) return body;
  record.body = 'value' in body ? body.value : bytes.toString();
  if (isJsonObject(record.body)) {
    const { model, stream } = record.body;
    if (typeof model === 'string') record.model = model;
    record.stream = stream === true;
  }
  return body;
}

/** Decides what the request meets. @returns the prompt without its `[sandbox …]` group */
function meetFault(exchange: Exchange, rules: FaultRules, body: ParsedBody): string {
  const { record, request } = exchange;
  const prompt = 'value' in body ? lastUserText(body.value) : undefined;
  const applied = rules.apply({
    method: record.method,
    path: pathOf(request),
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

async function answer(state: SandboxState, exchange: Exchange): Promise<void> {
  const { record, request } = exchange;
  const body = noteBody(exchange, await readBody(request));
  const key = authenticate(request.headers.authorization);
  record.tier = key.tier;
  state.limiter.admit(key);
  const prompt = meetFault(exchange, state.rules, body);
  if ((await precede(exchange)) || (await answerAsAsked(exchange))) return;
  const { latency, engine } = state;
  await answerRoute({ exchange, key, body, prompt, latency, engine }, pathOf(request));
}

async function answerError(exchange: Exchange, error: unknown): Promise<void> {
  const { request, response, record, signal } = exchange;
  if (signal.aborted || request.errored !== null || response.socket?.destroyed !== false) return;
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
    await answer(state, exchange).catch(async (error: unknown) => answerError(exchange, error));
  } catch {
    // The error's own answer failed as well: the connection is gone, or as good as gone.
    response.destroy();
  }
}
