import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback, percentDecoded } from '../address.ts';
import { systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { answerWithEvents } from './answers/event-answer.ts';
import {
  answerFailure,
  answerWithFault,
  breakOff,
  cut,
  cutPosition,
  errorName,
  sendJson,
} from './answers/response-writer.ts';
import { completionBody, openCompletion } from './completion.ts';
import {
  type Exchange,
  openExchange,
  pause,
  recordBody,
  type SandboxOptions,
  type SandboxState,
  writeRecord,
} from './exchange.ts';
import { createFaultRules } from './faults/fault-rules.ts';
import { authenticate, createRateLimiter, type KeyTier } from './keys.ts';
import {
  checkCompletionBody,
  checkWindow,
  lastUserText,
  parseBody,
  type ParsedBody,
  readBody,
  unknownModel,
} from './request-body.ts';
import { errorBody, modelList, modelRecord } from './shapes.ts';
import { countPromptTokens } from './token-counter.ts';

/**
 * Answers `POST /v1/chat/completions`.
 * @param prompt the last user message without its `[sandbox …]` group
 */
async function createCompletion(
  exchange: Exchange,
  key: KeyTier,
  received: ParsedBody,
  prompt: string,
): Promise<void> {
  const { problem } = received;
  if (problem !== undefined) throw new Failure('invalid_request', problem);
  const contentType = exchange.request.headers['content-type'] ?? 'missing';
  if (!/^application\/json *(?:;|$)/i.test(contentType)) {
    throw new Failure('invalid_request', `Content-Type is ${contentType}, not application/json`);
  }
  const body = checkCompletionBody(received.value, exchange.state.lenient === true);
  if (!key.models.includes(body.model)) {
    const refusal = `the tier "${key.tier}" is not permitted to use "${body.model}"`;
    throw new Failure('forbidden', refusal);
  }
  checkWindow(body.model, countPromptTokens(body.messages));
  const { completion, latency } = await openCompletion(exchange, body, prompt);
  if (body.stream === true && exchange.fault['no-stream'] !== true) {
    await answerWithEvents(exchange, completion, latency);
    return;
  }
  await pause(exchange, Math.max(0, exchange.arrived + latency - exchange.clock.monotonic()));
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
    recordBody(record, bytes, body.value);
  }
  state.admit(key);
  const prompt = lastUserText(body.value);
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
    await createCompletion(exchange, key, body, applied.prompt ?? prompt ?? '');
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
  await answerFailure(
    exchange,
    error instanceof Failure ? error : new Failure('server_error', problem, { cause: error }),
  );
}

/** Answers one request. Never rejects. */
async function handleRequest(
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
  const { contentType, text } = errorBody('nested', status, errorName(status), message);
  const head = `HTTP/1.1 ${status} ${errorName(status)}\r\nConnection: close\r\nContent-Type: ${contentType}`;
  socket.end(`${head}\r\n\r\n${text}`, () => socket.destroy());
  return message;
}

export interface Sandbox {
  /** The base URL for a client, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** Stops immediately and cuts open answers. */
  close(): Promise<void>;
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : String(code);
    throw new Failure('usage', `cannot listen on ${host} port ${port}: ${reason}`, {
      hint: 'choose another port, or 0 for any free one',
      cause: error,
    });
  }
  return server.address() as AddressInfo;
}

/**
 * Starts the mock of the service, which has language models only with an engine.
 * @throws Failure `usage` if the host is not loopback or the port is not available
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
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
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    void handleRequest(state, request, response);
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
  const { address, family, port: actual } = await listen(server, host, port);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    port: actual,
    async close() {
      if (!server.listening) return;
      state.isClosing = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
