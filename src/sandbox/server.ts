import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback } from '../address.ts';
import { catalogue } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { errorName } from './answers/whole-answer.ts';
import { type SandboxState, type Engine, type SandboxLimits, defaultLimits } from './exchange.ts';
import { createFaultRules, type FaultRule } from './faults/fault-rules.ts';
import { createRateLimiter, type RateLimit } from './keys.ts';
import { handleRequest } from './request-handler.ts';
import { type RequestRecord, writeRecord } from './request-record.ts';
import { errorBody } from './shapes.ts';

function refusalOf(error: Error, { limits }: SandboxState) {
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

function formatResponse(status: number, message: string): string {
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
function createRefuseConnection(state: SandboxState): (error: Error, socket: Duplex) => void {
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
    socket.end(formatResponse(status, message));
    const timer = setTimeout(() => socket.destroy(), limits.droppedTime).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

export interface SandboxOptions {
  /** A loopback address; default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** The first rule that is due decides. */
  readonly faults?: readonly FaultRule[];
  /** Replaces the limits of all keys. */
  readonly rateLimit?: RateLimit;
  /** Ignores fields of a prompt that the contract does not have, which are refused by default. */
  readonly lenient?: boolean;
  /** Gets one line of JSON, without a line end, for each request that has ended. */
  readonly log?: (line: string) => void;
  /** Answers prompts in place of the sandbox's own replies. */
  readonly engine?: Engine;
  /** Milliseconds to the first token, by model id; default: the contract's typical latency. */
  readonly latency?: Readonly<Record<string, number>>;
  readonly limits?: Partial<SandboxLimits>;
  /** Lets the process exit while the sandbox runs. */
  readonly unref?: boolean;
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
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Failure('unexpected', `the sandbox has no port on ${host}`);
  }
  return address;
}

/** Milliseconds between Node's checks for slow requests. */
const checkInterval = 1000;

function openServer(state: SandboxState): Server {
  const { clock, limits, log } = state;
  const server = createServer({
    maxHeaderSize: limits.head,
    headersTimeout: limits.headTime,
    requestTimeout: limits.requestTime,
    connectionsCheckingInterval: Math.min(checkInterval, limits.headTime),
  });
  server.maxConnections = limits.connections;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    void handleRequest(state, request, response);
  };
  server.on('request', handle).on('checkContinue', handle);
  server.on('clientError', createRefuseConnection(state));
  const logProblem = (problem: string) => {
    const record = { time: clock.date().toISOString(), events: 0, problem };
    if (log !== undefined) writeRecord(log, record);
  };
  server.on('drop', () => logProblem(`more than ${limits.connections} connections`));
  server.once('listening', () => {
    server.on('error', ({ message }) => logProblem(`a connection failed: ${message}`));
  });
  return server;
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
  const typical = catalogue.map(({ id, typicalLatency }) => [id, typicalLatency] as const);
  const state: SandboxState = {
    clock,
    log: options.log,
    engine: options.engine,
    limits: { ...defaultLimits, ...options.limits },
    isLenient: options.lenient === true,
    open: new WeakMap(),
    rules: createFaultRules(options.faults ?? []),
    admit: createRateLimiter(clock, options.rateLimit),
    latency: { ...Object.fromEntries(typical), ...options.latency },
    isClosing: false,
    requests: 0,
    bodyBytes: 0,
  };
  const server = openServer(state);
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
