import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { catalogue } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { Engine } from './engine.ts';
import { createFaultRules, type FaultRule } from './faults/fault-rules.ts';
import { isLoopback } from './loopback.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import { handleRequest, type SandboxState } from './request-handler.ts';

/** How a sandbox is run. */
export interface SandboxOptions {
  /** A loopback address; default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** What answers are asked to do; the first rule that is due decides. */
  readonly faults?: readonly FaultRule[];
  /** Takes the place of every key's own limit. */
  readonly rateLimit?: RateLimit;
  /** Takes one line of JSON a request, without a line end, when the request has ended. */
  readonly log?: (line: string) => void;
  /** Answers prompts, at its own pace, in place of the sandbox's own replies. */
  readonly engine?: Engine;
  /** Milliseconds to the first token, by model id; default: the contract's typical latency. */
  readonly latency?: Readonly<Record<string, number>>;
  /** Lets the process end although the sandbox runs. */
  readonly unref?: boolean;
}

/** A running sandbox. */
export interface Sandbox {
  /** The base URL for a client, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** Stops at once: answers under way are broken off. */
  close(): Promise<void>;
}

function createState(options: SandboxOptions): SandboxState {
  const { clock = systemClock, faults = [], rateLimit, log, latency, engine } = options;
  const typical = catalogue.map(({ id, typicalLatency }) => [id, typicalLatency] as const);
  return {
    clock,
    log,
    engine,
    rules: createFaultRules(faults),
    limiter: createRateLimiter(clock, rateLimit),
    latency: { ...Object.fromEntries(typical), ...latency },
    isClosing: false,
    requests: 0,
  };
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const reason = code === 'EADDRINUSE' ? 'it is in use' : String(code);
    throw new Failure('usage', `cannot listen on ${host} port ${port}: ${reason}`, {
      hint: 'choose another port, or 0 for any free one',
      cause: error,
    });
  }
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Failure('unexpected', `the sandbox listens on no port of ${host}`);
  }
  return address;
}

function allowExit(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}

/**
 * Starts the service in a box: the contract on loopback, with a language model behind it only if one is given.
 * @throws Failure `usage` when the host is not loopback or the port cannot be had
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, unref = false } = options;
  if (!isLoopback(host)) {
    throw new Failure('usage', `the sandbox does not listen on ${host}, only on this machine`, {
      hint: 'use 127.0.0.1 or ::1',
    });
  }
  const state = createState(options);
  const server = createServer((request, response) => {
    void handleRequest(state, request, response);
  });
  if (unref) allowExit(server);
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
