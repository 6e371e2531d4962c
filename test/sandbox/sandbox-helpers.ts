import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { type Socket, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { systemClock } from '../../src/clock.ts';
import type { Engine, SandboxOptions } from '../../src/sandbox/exchange.ts';
import type { FaultCondition, FaultRule } from '../../src/sandbox/faults/fault-rules.ts';
import { parseDirective } from '../../src/sandbox/faults/parse-fault.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { timerOf } from '../support/fake-clock.ts';
import type { Reply } from '../support/raw-server.ts';
import { createTestClient } from '../support/run-chat.ts';
import { serve } from '../support/serve.ts';

/** A clock that skips waits, and advances by them. `waits` are in milliseconds. */
export function createSkippingClock() {
  let now = 0;
  const waits: number[] = [];
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    await nextTurn();
    signal?.throwIfAborted();
    if (milliseconds === Infinity && signal !== undefined) await once(signal, 'abort');
    signal?.throwIfAborted();
    waits.push(milliseconds);
    now += milliseconds;
  };
  return {
    waits,
    advance: (milliseconds: number) => void (now += milliseconds),
    monotonic: () => now,
    date: () => new Date(Date.UTC(2026, 10, 21, 12) + now),
    sleep,
    timer: timerOf(sleep),
  };
}

/** A sandbox for one test, by default on a clock that skips waits. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ clock: createSkippingClock(), ...options });
  onTestFinished(async () => sandbox.close());
  return sandbox;
}

/** A rule written like a group in a prompt, without its brackets. */
export function rule(fields: string, when: FaultCondition = {}): FaultRule {
  return { label: 'test', when, fault: parseDirective(`[sandbox ${fields}]`)?.fault ?? {} };
}

export interface Question {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** Sends a request over a new connection. Rejects without a response. `isComplete`: the body ended correctly. */
export async function ask(sandbox: Sandbox, question: Question = {}) {
  const { method = 'GET', path = '/v1/models', key = sandboxKey, headers, body } = question;
  const request = sendRequest(sandbox.url + path, {
    method,
    agent: false,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  request.end(isRaw ? body : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // From here on, a reset only ends the body.
  request.on('error', () => undefined);
  const received: Buffer[] = [];
  response.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined);
  await new Promise((resolve) => response.once('close', resolve));
  const bytes = Buffer.concat(received);
  const { statusCode: status = 0, complete: isComplete } = response;
  return { status, headers: response.headers, bytes, text: bytes.toString(), isComplete };
}

export const completions: Question = { method: 'POST', path: '/v1/chat/completions' };

/** A completion request. The prompt is a single user message, unless the fields have others. */
export function complete(
  sandbox: Sandbox,
  prompt: string,
  fields: Readonly<Record<string, unknown>> = {},
  question: Question = {},
) {
  return ask(sandbox, {
    ...completions,
    body: { model: 'origin', messages: [{ role: 'user', content: prompt }], ...fields },
    ...question,
  });
}

export const stream = (sandbox: Sandbox, prompt: string, fields: object = {}) =>
  complete(sandbox, prompt, { stream: true, ...fields });

interface Chunk {
  readonly id?: string;
  readonly object?: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta?: { readonly content?: unknown; readonly role?: unknown } | null;
    readonly finish_reason?: string;
  }[];
  readonly usage?: Readonly<Record<string, number>>;
}

export function jsonOf(answer: { readonly text: string }): Readonly<Record<string, unknown>> {
  return JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
}

/** Payloads of a stream with plain LF events. */
export function payloads({ text }: { readonly text: string }): readonly string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

export function chunks(answer: { readonly text: string }): readonly Chunk[] {
  return payloads(answer)
    .filter((payload) => payload !== '[DONE]')
    .map((payload) => JSON.parse(payload) as Chunk);
}

export function deltas(answer: { readonly text: string }): readonly string[] {
  return chunks(answer)
    .map((chunk) => chunk.choices[0]?.delta?.content)
    .filter((content) => typeof content === 'string' && content !== '')
    .map(String);
}

/** The head of a completion request with this length of its body, by default without a key. */
export function rawHead(length: number, key?: string): string {
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');
}

/** The head of a completion request with a body of unknown length. */
export const chunkedHead = rawHead(0, sandboxKey).replace(
  'Content-Length: 0',
  'Transfer-Encoding: chunked',
);

export function rawRequest(prompt: string, streaming = true): string {
  const messages = [{ role: 'user', content: prompt }];
  const body = JSON.stringify({ model: 'origin', stream: streaming, messages });
  return rawHead(Buffer.byteLength(body), sandboxKey) + body;
}

/** A connection that has sent these bytes. */
export async function openSocket(sandbox: Sandbox, request: string): Promise<Socket> {
  const socket = connect(sandbox.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

/** All data of a connection until it ends, and how it ended. */
export async function readSocket(socket: Socket) {
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const end = await new Promise<'fin' | 'rst'>((resolve) => {
    socket.once('end', () => resolve('fin')).on('error', () => resolve('rst'));
  });
  return { text: Buffer.concat(received).toString(), end };
}

/** Collects the lines of a sandbox's log. */
export function createLog() {
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  return {
    lines,
    write: (line: string) => {
      lines.push(line);
      for (const resolve of waiting.splice(0)) resolve();
    },
    entries: async (count: number): Promise<readonly Readonly<Record<string, unknown>>[]> => {
      while (lines.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    },
  };
}

/** A sandbox with a log. */
export async function openLogged(options: SandboxOptions = {}) {
  const { write: log, ...read } = createLog();
  return { ...read, sandbox: await openSandbox({ ...options, log }) };
}

/** An engine that sends requests to `url` with natter's client, without retries. */
function engineAt(url: string, options: Partial<ClientOptions> = {}): Engine {
  const direct = { retries: 0, retryWaitLimit: 0, clock: systemClock };
  const { client } = createTestClient(url, { ...direct, ...options });
  return (request, signal) => client.chat(request, { signal });
}

/** A sandbox whose engine is a server with these replies. */
export async function serveFront(
  replies: readonly Reply[],
  options: { readonly client?: Partial<ClientOptions>; readonly sandbox?: SandboxOptions } = {},
) {
  const engine = await serve(replies);
  const answers = engineAt(engine.url, options.client);
  return { engine, sandbox: await openSandbox({ engine: answers, ...options.sandbox }) };
}

/** A sandbox whose engine is a second sandbox. */
async function openFront(options: SandboxOptions = {}): Promise<Sandbox> {
  const back = await openSandbox();
  return openSandbox({ engine: engineAt(back.url, { apiKey: sandboxKey }), ...options });
}

/** The two sources of a sandbox's answers, which must look the same. */
export const ways = [
  { way: 'without an engine', open: openSandbox, prompt: (content: string) => content },
  // The first group is removed, and the second one reaches the engine.
  { way: 'with an engine', open: openFront, prompt: (content: string) => `[sandbox] ${content}` },
] as const;
