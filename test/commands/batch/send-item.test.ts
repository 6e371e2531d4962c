import { expect, test } from 'vitest';
import { sendItem, type SendOptions } from '../../../src/commands/batch/send-item.ts';
import type { Client } from '../../../src/client/client.ts';
import type { ChatEvent } from '../../../src/client/events.ts';
import { Failure } from '../../../src/failure.ts';
import { resolveSettings } from '../../../src/settings/resolve.ts';
import { emptyCredentials, emptySettings } from '../../../src/settings/stored-settings.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

const stored = { settings: emptySettings, credentials: emptyCredentials };

const content = { messages: [{ role: 'user' as const, content: 'hi' }] };
const limited = () => new Failure('rate_limited', 'too many requests');

function sendingTo(client: Pick<Client, 'chat'>, changes: Partial<SendOptions> = {}): SendOptions {
  return {
    client: client as Client,
    settings: resolveSettings({ flags: {}, environment: {}, stored }),
    stream: true,
    retryIncomplete: 0,
    maxWait: 60_000,
    stop: new AbortController().signal,
    signal: new AbortController().signal,
    clock: createFakeClock(),
    ...changes,
  };
}

/** Sends an item to a service that answers 429. @returns the waits reported to the slot */
async function reportedWaits(retryAfterSeconds: number | undefined) {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const client: Pick<Client, 'chat'> = {
    // oxlint-disable-next-line require-yield
    async *chat() {
      throw new Failure('rate_limited', 'too many requests', details);
    },
  };
  const waits: (number | undefined)[] = [];
  const slot = {
    rateLimited: (wait: number | undefined) => void waits.push(wait),
    release: () => undefined,
  };
  const { failure } = await sendItem(sendingTo(client), content, slot);
  expect(failure?.kind).toBe('rate_limited');
  return waits;
}

test.each([
  ['for the Retry-After', 2, 2000],
  ['without a pause if there is no Retry-After', undefined, undefined],
  ['without a pause if the Retry-After is too long', 61, undefined],
])('a 429 without a retry slows the other items down %s', async (_, retryAfter, wait) => {
  expect(await reportedWaits(retryAfter)).toEqual([wait]);
});

/** A service that needs a retry after five seconds, and answers one second later. */
function busyClient(clock: FakeClock): Pick<Client, 'chat'> {
  return {
    async *chat(_request, options): AsyncGenerator<ChatEvent> {
      yield { type: 'retry-scheduled', retry: 1, retries: 4, delay: 5000, cause: limited() };
      await clock.sleep(5000, options?.signal);
      await clock.sleep(1000, options?.signal);
      yield { type: 'text-received', text: 'late', deltas: ['late'] };
    },
  };
}

test.each([
  ['cancelled while it waits for a retry', 3000, true, ''],
  ['finished after the retry has started', 5000, false, 'late'],
])('after a stop, an item is %s', async (_, moment, wasStopped, text) => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const slot = { rateLimited: () => undefined, release: () => undefined };
  const sending = sendItem(
    sendingTo(busyClient(clock), { clock, stop: stop.signal }),
    content,
    slot,
  );
  await expect.poll(() => clock.sleeping()).toBe(1);
  await clock.advance(moment);
  stop.abort('stop');
  await expect.poll(() => clock.sleeping()).toBe(wasStopped ? 0 : 1);
  await clock.advance(1000);
  expect(await sending).toMatchObject({ wasStopped, content: text });
});

test('an item that needs a retry after a stop is cancelled at once', async () => {
  const clock = createFakeClock();
  const slot = { rateLimited: () => undefined, release: () => undefined };
  const options = sendingTo(busyClient(clock), { clock, stop: AbortSignal.abort('stop') });
  expect(await sendItem(options, content, slot)).toMatchObject({ wasStopped: true, content: '' });
});
