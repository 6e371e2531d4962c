import { onTestFinished } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { systemClock } from '../../src/clock.ts';
import type { Engine } from '../../src/sandbox/exchange.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import type { SandboxOptions } from '../../src/sandbox/exchange.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { RawServer, Reply } from '../support/raw-server.ts';
import { createTestClient } from '../support/run-chat.ts';
import { serve } from '../support/serve.ts';
import { openSandbox } from './sandbox-helpers.ts';

/** An engine that sends requests to `url` with natter's client, without retries. */
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

/** A sandbox whose engine is a server with these replies. */
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

/** A sandbox whose engine is a second sandbox. */
async function openFront(options: SandboxOptions = {}): Promise<Sandbox> {
  const back = await openSandbox();
  return openSandbox({ engine: engineAt(back.url, { apiKey: sandboxKey }), ...options });
}

/** The two sources of a sandbox's answers, which must look the same. */
export const ways = [
  { way: 'without an engine', open: openSandbox, prompt: (content: string) => content },
  // The first group is removed, and the second one reaches the engine.
  {
    way: 'with an engine',
    open: openFront,
    prompt: (content: string) => `[sandbox] ${content}`,
  },
] as const;
