import { onTestFinished } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
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

/** A raw server and a client of it, both closed with the test. */
export async function serveClient(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const server = await serve(replies);
  const { client, clock } = createTestClient(server.url, options);
  onTestFinished(() => client.close());
  return { server, client, clock };
}
