import { setImmediate as tick } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import type { ChatOptions, Client, ClientOptions } from '../../src/client/client.ts';
import { createClient } from '../../src/client/create-client.ts';
import { nodeNetwork } from '../../src/client/http/node-network.ts';
import { undiciNetwork } from '../../src/client/http/undici-network.ts';
import type { CompletionRequest } from '../../src/client/contract.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import { Failure } from '../../src/failure.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

export const testKey = 'test-key-1234';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the project in vitest.config.ts; undefined means `node:http`. */
    readonly network: 'undici' | undefined;
  }
}

const testedNetwork = () => (inject('network') === 'undici' ? undiciNetwork : nodeNetwork);

/** A client of `baseUrl` on a fake clock, without jitter, closed with the test. */
export function createTestClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const clock = createFakeClock();
  const client = createClient({
    baseUrl,
    apiKey: testKey,
    userAgent: 'natter-test',
    network: testedNetwork(),
    environment: {},
    clock,
    random: () => 0,
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, clock };
}

export const prompt = {
  model: 'origin',
  messages: [{ role: 'user', content: 'Hi' }],
  stream: true,
} satisfies CompletionRequest;

/** Starts the prompt, and reads its first events. @returns the iterator of the others */
export async function beginChat(client: Client, count: number, options: ChatOptions = {}) {
  const events = client.chat(prompt, options)[Symbol.asyncIterator]();
  for (let index = 0; index < count; index += 1) await events.next();
  return events;
}

/** Runs one prompt to its end; waits before retries take no time. @returns its events and its failure, if any */
export async function runChat(
  { client, clock }: { readonly client: Client; readonly clock: FakeClock },
  options: { readonly signal?: AbortSignal; readonly request?: CompletionRequest } = {},
) {
  const events: ChatEvent[] = [];
  const iterator = client.chat(options.request ?? prompt, options)[Symbol.asyncIterator]();
  let error: unknown;
  try {
    for (;;) {
      const last = events.at(-1);
      const [step] = await Promise.all([
        iterator.next(),
        last?.type === 'retry-scheduled' ? passWait(last.delay, clock) : undefined,
      ]);
      if (step.done === true) break;
      events.push(step.value);
    }
  } catch (thrown) {
    error = thrown;
  }
  const text = events.map((event) => (event.type === 'text-received' ? event.text : '')).join('');
  /** The delay of each `retry-scheduled`, in milliseconds. */
  const delays = events.flatMap((event) => (event.type === 'retry-scheduled' ? [event.delay] : []));
  return { events, text, error, delays };
}

/** Resolves when the client has read the end of a body, which follows the end of the answer. */
export async function afterBody(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await tick();
}

async function passWait(delay: number, clock: FakeClock): Promise<void> {
  await tick();
  await clock.advance(delay);
}

/** @throws Error unless the prompt failed with a Failure */
export function failureOf({ error }: { readonly error: unknown }): Failure {
  if (error instanceof Failure) return error;
  throw new Error('no Failure was thrown', { cause: error });
}
