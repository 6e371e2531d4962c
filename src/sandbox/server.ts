import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback, percentDecoded } from '../address.ts';
import { catalogue, type CompletionRequest, type Message } from '../client/contract.ts';
import { systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { isJsonObject, locatedProblem, parseJson } from '../json.ts';
import {
  answerFailure,
  answerWithEvents,
  answerWithFault,
  breakOff,
  cut,
  cutPosition,
  errorBody,
  sendJson,
} from './answer.ts';
import { completionBody, countPromptTokens, openCompletion } from './completion.ts';
import {
  type Exchange,
  openExchange,
  pause,
  pauseUntil,
  recordBody,
  type SandboxOptions,
  type SandboxState,
  writeRecord,
} from './exchange.ts';
import { createFaultRules } from './faults/fault-rules.ts';
import { authenticate, createRateLimiter, type KeyTier } from './keys.ts';
import { modelList, modelRecord } from './shapes.ts';

/** Bytes: several times the larger window. The contract states no size. */
const maxBody = 32 * 1024 * 1024;

/** Reads the whole body. @throws Failure `invalid_request` if it is too large */
async function readBody({ request, response }: Exchange): Promise<Buffer> {
  const problem = `the request body exceeds the limit of ${maxBody} bytes`;
  const tooLarge = new Failure('invalid_request', problem);
  if (Number(request.headers['content-length']) > maxBody) throw tooLarge;
  if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  const arriving: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of arriving) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBody) break;
  }
  if (size <= maxBody) return Buffer.concat(chunks);
  // The rest flows, and is lost: some clients read the answer only after they have sent everything.
  request.resume();
  throw tooLarge;
}

/** Why a body has no JSON value; it is reported only if the rest of the request is valid. */
function bodyProblem(bytes: Buffer): string {
  if (bytes.length === 0) return 'is empty';
  return isUtf8(bytes) ? locatedProblem(bytes.toString()) : 'is not UTF-8';
}

/** The contract shows `user` and `assistant` and leaves the set open. */
const roles = ['system', 'user', 'assistant'] as const;
const parameters = ['model', 'messages', 'stream', 'max_tokens'];

const modelIds = catalogue.map(({ id }) => id);

/** The failure of a request that names an unknown model. */
const unknownModel = (id: string): Failure =>
  new Failure('not_found', `no model "${id}"; the models are ${modelIds.join(', ')}`);

function refuse(message: string): never {
  throw new Failure('invalid_request', message);
}

/** The text of a required field. @param place the field in messages */
function requireText(value: unknown, place: string): string {
  if (value === undefined) refuse(`${place} is missing`);
  return typeof value === 'string' ? value : refuse(`${place} must be a string`);
}

function refuseUnknown(record: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(record).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(', ');
  refuse(`unsupported ${what}${unknown.length > 1 ? 's' : ''}: ${names}`);
}

/** Joins the parts of a content, if all are text: many clients send `[{"type": "text", "text": "…"}]`. */
function joinTextParts(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part: unknown) =>
    isJsonObject(part) && part['type'] === 'text' ? part['text'] : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('') : content;
}

function checkMessage(value: unknown, index: number, isLenient: boolean): Message {
  const place = `messages[${index}]`;
  if (!isJsonObject(value)) return refuse(`${place} must be an object`);
  const content = isLenient ? joinTextParts(value['content']) : value['content'];
  const role = isLenient && value['role'] === 'developer' ? 'system' : value['role'];
  const name = requireText(role, `${place}.role`);
  const text = requireText(content, `${place}.content`);
  const known = roles.find((one) => one === name);
  if (known === undefined) {
    return refuse(`${place}.role is "${name}"; the roles are ${roles.join(', ')}`);
  }
  if (!isLenient) refuseUnknown(value, ['role', 'content'], `field in ${place}`);
  return { role: known, content: text };
}

/**
 * Checks a parsed body against the contract's field table: the types of the fields first, then the model.
 * @param isLenient ignores fields that are not in the table, joins text parts, and takes "developer" for "system"
 * @throws Failure `invalid_request`, or `not_found` for an unknown model
 */
function checkCompletionBody(value: unknown, isLenient: boolean): CompletionRequest {
  if (!isJsonObject(value)) return refuse('the request body must be a JSON object');
  const { messages, stream, max_tokens: maxTokens } = value;
  if (!isLenient) refuseUnknown(value, parameters, 'parameter');
  if (messages === undefined) refuse('"messages" is missing');
  if (!Array.isArray(messages)) return refuse('"messages" must be an array');
  if (messages.length === 0) refuse('"messages" must not be empty');
  if (stream !== undefined && typeof stream !== 'boolean') refuse('"stream" must be a boolean');
  const checked = messages.map((message, index) => checkMessage(message, index, isLenient));
  const model = requireText(value['model'], '"model"');
  if (!modelIds.includes(model)) throw unknownModel(model);
  const isCount = typeof maxTokens === 'number' && Number.isInteger(maxTokens) && maxTokens > 0;
  if (maxTokens !== undefined && !isCount) refuse('"max_tokens" must be an integer above 0');
  return {
    messages: checked,
    model,
    ...(stream === true && { stream }),
    ...(isCount && { max_tokens: maxTokens }),
  };
}

/** The last user message of any JSON value, valid request or not. */
function lastUserText(value: unknown): string | undefined {
  if (!isJsonObject(value) || !Array.isArray(value['messages'])) return undefined;
  const message: unknown = value['messages'].findLast(
    (candidate: unknown) => isJsonObject(candidate) && candidate['role'] === 'user',
  );
  const content = isJsonObject(message) ? joinTextParts(message['content']) : undefined;
  return typeof content === 'string' ? content : undefined;
}

/**
 * Answers `POST /v1/chat/completions`.
 * @param prompt the last user message without its `[sandbox …]` group
 */
async function createCompletion(
  exchange: Exchange,
  key: KeyTier,
  bytes: Buffer,
  value: unknown,
  prompt: string,
): Promise<void> {
  if (value === undefined) refuse(`the request body ${bodyProblem(bytes)}`);
  const contentType = exchange.request.headers['content-type'] ?? 'missing';
  if (!/^application\/json *(?:;|$)/i.test(contentType)) {
    refuse(`Content-Type is ${contentType}, not application/json`);
  }
  const body = checkCompletionBody(value, exchange.state.lenient === true);
  if (!key.models.includes(body.model)) {
    const refusal = `the tier "${key.tier}" is not permitted to use "${body.model}"`;
    throw new Failure('forbidden', refusal);
  }
  const tokens = countPromptTokens(body.messages);
  const window = catalogue.find(({ id }) => id === body.model)?.contextWindow ?? 0;
  if (tokens > window) {
    const numbers = `${tokens} tokens, over the ${window} of "${body.model}"`;
    refuse(`the prompt does not fit the context window: ${numbers}`);
  }
  const completion = await openCompletion(exchange, body, prompt, tokens);
  if (body.stream === true && exchange.fault['no-stream'] !== true) {
    await answerWithEvents(exchange, completion);
    return;
  }
  await pauseUntil(exchange, completion.due);
  await sendJson(exchange, await completionBody(completion, exchange.fault));
}

async function answerModels(exchange: Exchange, id: string | undefined): Promise<void> {
  const { 'models-shape': shape, hostile } = exchange.fault;
  const body = id === undefined ? modelList(shape, hostile) : modelRecord(id, shape);
  if (body === undefined) throw unknownModel(id ?? '');
  await sendJson(exchange, body);
}

const routes = [
  { method: 'POST', path: /^\/v1\/chat\/completions$/ },
  { method: 'GET', path: /^\/v1\/models(?:\/([^/]+))?$/ },
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
  const hint = 'use the address that the sandbox printed, or localhost';
  throw new Failure('forbidden', 'the sandbox accepts only requests to this machine', { hint });
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
  const bytes = route?.method === 'POST' ? await readBody(exchange) : Buffer.alloc(0);
  // Excess nesting is not parsed.
  const value = isUtf8(bytes) ? parseJson(bytes.toString()) : undefined;
  recordBody(record, bytes, value);
  state.admit(key);
  const prompt = lastUserText(value);
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
  if (method === 'POST') {
    await createCompletion(exchange, key, bytes, value, applied.prompt ?? '');
    return;
  }
  const id = route.path.exec(path)?.[1];
  await answerModels(exchange, id && percentDecoded(id));
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
  const problem = `the sandbox failed: ${record.problem}`;
  const failure = error instanceof Failure ? error : new Failure('server_error', problem);
  await answerFailure(exchange, failure);
}

/** The statuses of requests that Node does not read; for others, it is 400. */
const unreadable: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers a request that Node cannot read, and closes the connection. One that was lost, or on which something was
 * sent before, is only closed.
 * @returns what is wrong with the request
 */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): string | undefined {
  const isUnused = socket instanceof Socket && socket.writable && socket.bytesWritten === 0;
  if (!isUnused) {
    socket.destroy();
    return undefined;
  }
  const status = unreadable[error.code ?? ''] ?? 400;
  const message = `the request is not HTTP: ${error.message.replace(/^Parse Error: /, '')}`;
  const { contentType, text } = errorBody('nested', status, message);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${contentType}`;
  socket.end(`${head}\r\n\r\n${text}`, () => socket.destroy());
  return message;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts the mock of the service, which has language models only with an engine.
 * @throws Failure `usage` if the host is not loopback or the port is not available
 */
export async function startSandbox(options: SandboxOptions = {}) {
  const { host = '127.0.0.1', port = 0, unref = false, clock = systemClock } = options;
  if (!isLoopback(host)) {
    throw new Failure('usage', `the sandbox does not listen on ${host}, only on this machine`, {
      hint: 'use 127.0.0.1 or ::1',
    });
  }
  const state: SandboxState = {
    ...options,
    clock,
    rules: createFaultRules(options.faults ?? []),
    admit: createRateLimiter(clock, options.rateLimit),
    isClosing: false,
    requests: 0,
  };
  const server = createServer();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const exchange = openExchange(state, request, response);
    answer(exchange)
      .catch((error: unknown) => answerError(exchange, error))
      .catch((error: unknown) => {
        // The error could not be sent either, so the connection is unusable.
        exchange.record.problem ??= String(error);
        response.destroy();
      });
  };
  const logProblem = (problem: string | undefined) => {
    if (state.log === undefined || problem === undefined) return;
    writeRecord(state.log, { time: clock.date().toISOString(), events: 0, problem });
  };
  server.on('request', handle).on('checkContinue', handle);
  server.on('clientError', (error, socket) => logProblem(refuseUnreadable(error, socket)));
  server.once('listening', () => {
    server.on('error', ({ message }) => logProblem(`a connection failed: ${message}`));
  });
  if (unref) server.unref().on('connection', (socket) => socket.unref());
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : String(code);
    const hint = 'choose another port, or 0 for any free one';
    const problem = `cannot listen on ${host} port ${port}: ${reason}`;
    throw new Failure('usage', problem, { hint, cause: error });
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    /** The base URL for a client. */
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    port: actual,
    /** Stops immediately and cuts open answers. */
    async close(): Promise<void> {
      if (!server.listening) return;
      state.isClosing = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
