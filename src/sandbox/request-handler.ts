import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback, percentDecoded } from '../address.ts';
import { Failure } from '../failure.ts';
import { answerWithEvents } from './answers/event-answer.ts';
import { breakOff, cut, cutPosition } from './answers/response-writer.ts';
import { sendJson, answerWithFault, answerFailure } from './answers/whole-answer.ts';
import { completionBody, openCompletion } from './completion.ts';
import { type Exchange, openExchange, pause, recordBody, type SandboxState } from './exchange.ts';
import { authorize, type KeyTier, authenticate } from './keys.ts';
import {
  checkCompletionBody,
  checkWindow,
  type ParsedBody,
  lastUserText,
  parseBody,
  readBody,
  unknownModel,
} from './request-body.ts';
import { modelList, modelRecord } from './shapes.ts';
import { countPromptTokens } from './token-counter.ts';

/** What is known of a request with a valid key, within its rate limit. */
interface AcceptedRequest {
  readonly key: KeyTier;
  readonly body: ParsedBody;
  /** The last user message without its `[sandbox …]` group. */
  readonly prompt: string;
  /** The part of the path that names a model. */
  readonly id: string;
}

/** `POST /v1/chat/completions` */
async function createCompletion(
  exchange: Exchange,
  { key, body: received, prompt }: AcceptedRequest,
): Promise<void> {
  if ('problem' in received) throw new Failure('invalid_request', received.problem);
  const contentType = exchange.request.headers['content-type'] ?? 'missing';
  if (!/^application\/json *(?:;|$)/i.test(contentType)) {
    throw new Failure('invalid_request', `Content-Type is ${contentType}, not application/json`);
  }
  const body = checkCompletionBody(received.value, exchange.state.lenient === true);
  authorize(key, body.model);
  checkWindow(body.model, countPromptTokens(body.messages));
  const { completion, latency } = await openCompletion(exchange, body, prompt);
  if (body.stream === true && exchange.fault['no-stream'] !== true) {
    await answerWithEvents(exchange, completion, latency);
    return;
  }
  await pause(exchange, Math.max(0, exchange.arrived + latency - exchange.clock.monotonic()));
  await sendJson(exchange, await completionBody(completion, exchange.fault));
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (exchange: Exchange, accepted: AcceptedRequest) => Promise<void>;
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/chat\/completions$/, answer: createCompletion },
  {
    method: 'GET',
    path: /^\/v1\/models$/,
    answer: (exchange) =>
      sendJson(exchange, modelList(exchange.fault['models-shape'], exchange.fault.hostile)),
  },
  {
    method: 'GET',
    path: /^\/v1\/models\/([^/]+)$/,
    async answer(exchange, { id }) {
      const record = modelRecord(id, exchange.fault['models-shape']);
      if (record === undefined) throw unknownModel(id);
      await sendJson(exchange, record);
    },
  },
];

const methodsOf = (path: string) =>
  routes.filter((route) => route.path.test(path)).map(({ method }) => method);

/**
 * The failure of a request without a route, with what may be meant. A wrong method on a known path is one, too, because
 * the contract has no 405.
 */
function noRoute(method: string, path: string): Failure {
  const methods = methodsOf(path).join(', ');
  // A program adds its path to a base URL with `/v1`, natter to one with or without it.
  const near = path.startsWith('/v1/') ? path.slice('/v1'.length) : `/v1${path}`;
  const other = methodsOf(near).includes(method) ? { hint: `did you mean ${near}?` } : {};
  const hint = methods === '' ? other : { hint: `this path accepts ${methods}` };
  return new Failure('not_found', `there is no ${method} ${path}`, hint);
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

/** Checks the key before it reads the body, because unknown clients may send anything. */
async function answer(exchange: Exchange): Promise<void> {
  const { state, record, request, response } = exchange;
  const { method = 'GET', url = '/', headers } = request;
  refuseForeignHost(headers.host);
  const path = url.replace(/[?#].*$/s, '');
  const route = routes.find((one) => one.method === method && one.path.test(path));
  const key = authenticate(headers.authorization);
  record.tier = key.tier;
  let body: ParsedBody = { problem: 'the request has no body' };
  if (route?.method === 'POST') {
    const bytes = await readBody(exchange);
    body = parseBody(bytes);
    recordBody(record, bytes, 'value' in body ? body.value : undefined);
  }
  state.admit(key);
  const prompt = 'value' in body ? lastUserText(body.value) : undefined;
  const applied = state.rules.apply({ method, path, model: record.model, prompt });
  const { fault } = applied;
  exchange.fault = fault;
  record.rule = applied.rule;
  record.attempt = applied.attempt;
  if (fault['early-hints'] === true) {
    response.writeEarlyHints({ link: '</v1/models>; rel=preload' });
  }
  if (fault.delay !== undefined) await pause(exchange, fault.delay);
  if (cutPosition(fault) === 'request') {
    await cut(exchange);
    return;
  }
  if (await answerWithFault(exchange)) return;
  if (route === undefined) throw noRoute(method, path);
  const id = percentDecoded(route.path.exec(path)?.[1] ?? '');
  await route.answer(exchange, { key, body, prompt: applied.prompt ?? prompt ?? '', id });
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
    await answer(exchange).catch((error: unknown) => answerError(exchange, error));
  } catch (error) {
    // The error could not be sent either, so the connection is unusable.
    exchange.record.problem ??= String(error);
    response.destroy();
  }
}
