import { onTestFinished } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { systemClock } from '../../src/clock.ts';
import type { Engine } from '../../src/sandbox/engine.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/server.ts';
import type { RawServer, Reply } from '../support/raw-server.ts';
import { createTestClient } from '../support/run-chat.ts';
import { serve } from '../support/serve.ts';
import { openSandbox } from './sandbox-helpers.ts';

/** An engine that asks the server at `url` with natter's own client, once. */
export function engineAt(url: string, options: Partial<ClientOptions> = {}): Engine {
  const { client } = createTestClient(url, {
    retries: 0,
    retryWaitLimit: 0,
    clock: systemClock,
    ...options,
  });
  onTestFinished(() => client.close());
  return (request, signal) => client.chat(request, { signal });
}

interface FrontOptions {
  readonly client?: Partial<ClientOptions>;
  readonly sandbox?: SandboxOptions;
}

/** A sandbox in front of a server that sends the replies, as its engine. */
export async function serveFront(
  replies: readonly Reply[],
  { client, sandbox }: FrontOptions = {},
): Promise<{ readonly engine: RawServer; readonly sandbox: Sandbox }> {
  const engine = await serve(replies);
  return {
    engine,
    sandbox: await openSandbox({ engine: engineAt(engine.url, client), ...sandbox }),
  };
}

/** A sandbox in front of a second one, which plays the engine. */
async function openFront(options: SandboxOptions = {}): Promise<Sandbox> {
  const back = await openSandbox();
  return openSandbox({ engine: engineAt(back.url, { apiKey: sandboxKey }), ...options });
}

/** The two ways a sandbox comes by its answers, which have to look the same. */
export const ways = [
  { way: 'by itself', open: openSandbox, prompt: (words: string) => words },
  // The front takes the first group, so that the second one reaches the engine.
  {
    way: 'in front of an engine',
    open: openFront,
    prompt: (words: string) => `[sandbox] ${words}`,
  },
] as const;
