import { catalogue } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import { completionBody } from './answers/completion.ts';
import { answerWithEvents } from './answers/event-answer.ts';
import { sendJson } from './answers/whole-answer.ts';
import { checkCompletionBody, checkWindow } from './completion-body.ts';
import { type Exchange, pause, type SandboxState } from './exchange.ts';
import { openCompletion } from './open-completion.ts';
import { authorize, type KeyTier } from './keys.ts';
import { modelList, modelRecord } from './model-records.ts';
import type { ParsedBody } from './read-body.ts';
import { countPromptTokens } from './token-counter.ts';

/** A request with a valid key, within its rate limit. */
export interface AcceptedRequest {
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
  if (body.stream && exchange.fault['no-stream'] !== true) {
    await answerWithEvents(exchange, completion, latency);
    return;
  }
  await pause(exchange, Math.max(0, exchange.arrived + latency - exchange.clock.monotonic()));
  await sendJson(exchange, await completionBody(completion, exchange.fault, state.limits.answer));
}

/** `GET /v1/models` */
async function listModels({ exchange }: AcceptedRequest): Promise<void> {
  await sendJson(exchange, modelList(exchange.fault));
}

/** `GET /v1/models/{model}` */
async function retrieveModel({ exchange }: AcceptedRequest, id: string): Promise<void> {
  const record = modelRecord(id, exchange.fault);
  if (record === undefined) {
    const known = catalogue.map((entry) => entry.id).join(', ');
    throw new Failure('not_found', `no model "${id}"; the models are ${known}`);
  }
  await sendJson(exchange, record);
}

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly takesBody: boolean;
  readonly answer: (accepted: AcceptedRequest, parameter: string) => Promise<void>;
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1\/chat\/completions$/,
    takesBody: true,
    answer: createCompletion,
  },
  { method: 'GET', path: /^\/v1\/models$/, takesBody: false, answer: listModels },
  { method: 'GET', path: /^\/v1\/models\/([^/]+)$/, takesBody: false, answer: retrieveModel },
];

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Undefined for a wrong method on a known path too, because the contract has no 405. */
export function findRoute(method: string, path: string): Route | undefined {
  return routes.find((route) => route.method === method && route.path.test(path));
}

function methodsOf(path: string): readonly string[] {
  return routes.filter((route) => route.path.test(path)).map(({ method }) => method);
}

/** @throws Failure of a kind in the contract; `not_found` without a route */
export async function answerRoute(
  accepted: AcceptedRequest,
  route: Route | undefined,
  path: string,
): Promise<void> {
  if (route === undefined) {
    const { method = 'GET' } = accepted.exchange.request;
    const methods = methodsOf(path).join(', ');
    // A program adds its path to a base URL with `/v1`, natter to one with or without it.
    const near = path.startsWith('/v1/') ? path.slice('/v1'.length) : `/v1${path}`;
    const isNear = methodsOf(near).includes(method);
    const other = isNear ? { hint: `did you mean ${near}?` } : {};
    const hint = methods === '' ? other : { hint: `this path accepts ${methods}` };
    throw new Failure('not_found', `there is no ${method} ${path}`, hint);
  }
  await route.answer(accepted, decode(route.path.exec(path)?.[1] ?? ''));
}
