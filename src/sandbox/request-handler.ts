import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback, percentDecoded } from '../address.ts';
import { catalogue } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import { maskKey } from '../secrets/mask.ts';
import { answerWithEvents } from './answers/event-answer.ts';
import { breakOff, cut, cutPosition } from './answers/response-writer.ts';
import { sendJson, answerWithFault, answerFailure } from './answers/whole-answer.ts';
import { completionBody, openCompletion } from './completion.ts';
import { type Exchange, pause, type SandboxState } from './exchange.ts';
import { authorize, type KeyTier, authenticate, bearerToken } from './keys.ts';
import {
  checkCompletionBody,
  checkWindow,
  type ParsedBody,
  lastUserText,
  parseBody,
  readBody,
} from './request-body.ts';
import { recordBody, type RequestRecord, writeRecord } from './request-record.ts';
import { modelList, modelRecord } from './shapes.ts';
import { countPromptTokens } from './token-counter.ts';

/** A request with a valid key, within its rate limit. */
interface AcceptedRequest {
  readonly exchange: Exchange;
  readonly state: SandboxState;
  readonly key: KeyTier;
  readonly body: ParsedBody;
  /** The last user message without its `[sandbox …]` group. */
  readonly prompt: string;
}

/** `POST /v1/chat/completions` */
async function createCompletion(accepted: AcceptedRequest): Promise<void> {
  const { exchange, state, key, prompt } = accepted;
  if ('problem' in accepted.body) throw new Failure('invalid_request', accepted.body.problem);
  const contentType = exchange.request.headers['content-type'] ?? 'missing';
  if (!/^application\/json *(?:;|$)/i.test(contentType)) {
    throw new Failure('invalid_request', `Content-Type is ${contentType}, not application/json`);
  }
  const body = checkCompletionBody(accepted.body.value, state.isLenient);
  authorize(key, body.model);
  checkWindow(body.model, countPromptTokens(body.messages));
  const { completion, latency } = await openCompletion(exchange, state, body, prompt);
  if (body.stream === true && exchange.fault['no-stream'] !== true) {
    await answerWithEvents(exchange, completion, latency);
    return;
  }
  await pause(exchange, Math.max(0, exchange.arrived + latency - exchange.clock.monotonic()));
  await sendJson(exchange, await completionBody(completion, exchange.fault));
}

/** `GET /v1/models/{model}` */
async function retrieveModel({ exchange }: AcceptedRequest, id: string): Promise<void> {
  const record = modelRecord(id, exchange.fault['models-shape']);
  if (record === undefined) {
    const known = catalogue.map((entry) => entry.id).join(', ');
    throw new Failure('not_found', `no model "${id}"; the models are ${known}`);
  }
  await sendJson(exchange, record);
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (accepted: AcceptedRequest, parameter: string) => Promise<void>;
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/chat\/completions$/, answer: createCompletion },
  {
    method: 'GET',
    path: /^\/v1\/models$/,
    answer: ({ exchange }) =>
      sendJson(exchange, modelList(exchange.fault['models-shape'], exchange.fault.hostile)),
  },
  { method: 'GET', path: /^\/v1\/models\/([^/]+)$/, answer: retrieveModel },
];

/** Undefined for a wrong method on a known path too, because the contract has no 405. */
function findRoute(method: string, path: string): Route | undefined {
  return routes.find((route) => route.method === method && route.path.test(path));
}

function methodsOf(path: string): readonly string[] {
  return routes.filter((route) => route.path.test(path)).map(({ method }) => method);
}

/** The failure of a request without a route, with what may be meant. */
function noRoute(method: string, path: string): Failure {
  const methods = methodsOf(path).join(', ');
  // A program adds its path to a base URL with `/v1`, natter to one with or without it.
  const near = path.startsWith('/v1/') ? path.slice('/v1'.length) : `/v1${path}`;
  const other = methodsOf(near).includes(method) ? { hint: `did you mean ${near}?` } : {};
  const hint = methods === '' ? other : { hint: `this path accepts ${methods}` };
  return new Failure('not_found', `there is no ${method} ${path}`, hint);
}

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
  };
  // Without a listener, an error would end the process. A failed response is closed, too.
  response.on('error', ({ message }) => (exchange.record.problem ??= message));
  response.once('close', () => {
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

/** Sets the fault of the exchange. @returns the prompt without its `[sandbox …]` group */
function applyRules(
  exchange: Exchange,
  rules: SandboxState['rules'],
  path: string,
  body: ParsedBody,
): string {
  const { record } = exchange;
  const prompt = 'value' in body ? lastUserText(body.value) : undefined;
  const applied = rules.apply({
    method: exchange.request.method ?? 'GET',
    path,
    model: record.model,
    prompt,
  });
  exchange.fault = applied.fault;
  record.rule = applied.rule;
  record.attempt = applied.attempt;
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
  let body: ParsedBody = { problem: 'the request has no body' };
  if (route?.method === 'POST') {
    const bytes = await readBody(exchange);
    body = parseBody(bytes);
    recordBody(record, bytes, 'value' in body ? body.value : undefined);
  }
  state.admit(key);
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
  if (route === undefined) throw noRoute(method, path);
  const parameter = percentDecoded(route.path.exec(path)?.[1] ?? '');
  await route.answer({ exchange, state, key, body, prompt }, parameter);
}

async function answerError(exchange: Exchange, error: unknown): Promise<void> {
  const { request, response, record, signal } = exchange;
  if (signal.aborted || request.errored !== null || response.socket?.destroyed !== false) return;
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
    await answer(state, exchange).catch((error: unknown) => answerError(exchange, error));
  } catch (error) {
    // The error could not be sent either, so the connection is unusable.
    exchange.record.problem ??= String(error);
    response.destroy();
  }
}
