import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback } from '../address.ts';
import { systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { errorName } from './answers/whole-answer.ts';
import { createFaultRules } from './faults/fault-rules.ts';
import { createRateLimiter } from './keys.ts';
import { handleRequest } from './request-handler.ts';
import { type SandboxOptions, type SandboxState, writeRecord } from './exchange.ts';
import { errorBody } from './shapes.ts';

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
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Failure('unexpected', `the sandbox has no port on ${host}`);
  }
  return address;
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
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    void handleRequest(state, request, response);
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
