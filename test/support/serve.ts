import { onTestFinished } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { runInMemory } from './in-memory.ts';
import { type RunOptions, type RunResult, serviceAt } from './natter.ts';
import { createTestClient } from './run-chat.ts';
import { startRawServer, type RawServer, type RawServerOptions, type Reply } from './raw-server.ts';

/** A raw server, stopped with the test. */
export async function serve(
  replies: readonly Reply[],
  options: RawServerOptions = {},
): Promise<RawServer> {
  const server = await startRawServer(replies, options);
  onTestFinished(() => server.stop());
  return server;
}

/** Runs a command line in memory with a service that gives these replies. */
export async function runOn(
  replies: readonly Reply[],
  words: readonly string[],
  { env, ...options }: Omit<RunOptions, 'keepInputOpen'> = {},
): Promise<RunResult & { readonly server: RawServer }> {
  const server = await serve(replies);
  return { ...(await runInMemory(words, { ...options, env: serviceAt(server, env) })), server };
}

/** A raw server and a client of it, both closed with the test. */
export async function serveClient(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const server = await serve(replies);
  return { server, ...createTestClient(server.url, options) };
}
