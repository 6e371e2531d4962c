import { expect, test } from 'vitest';
import { sendItem, type SendOptions } from '../../../src/commands/batch/answer.ts';
import type { Client } from '../../../src/client/client.ts';
import type { ChatEvent } from '../../../src/client/events.ts';
import { Failure } from '../../../src/failure.ts';
import { resolveSettings } from '../../../src/settings/resolve.ts';
import { emptyCredentials, emptySettings } from '../../../src/settings/stored-settings.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

const stored = { settings: emptySettings, credentials: emptyCredentials };

const content = { messages: [{ role: 'user' as const, content: 'hi' }] };
const limited = () => new Failure('rate_limited', 'too many requests');

/** How items are asked of `client`. */
function askingWith(client: Pick<Client, 'chat'>, changes: Partial<SendOptions> = {}): SendOptions {
  return {
    client: client as Client,
    settings: resolveSettings({ flags: {}, environment: {}, stored }),
    stream: true,
    retryIncomplete: 0,
    longestWait: 60_000,
    stop: new AbortController().signal,
    signal: new AbortController().signal,
    clock: createFakeClock(),
    ...changes,
  };
}

/** Asks an item of a service that refuses it. @returns the waits that the places of all items heard of */
async function refuse(retryAfterSeconds: number | undefined) {
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
  const { failure } = await sendItem(askingWith(client), content, slot);
  expect(failure?.kind).toBe('rate_limited');
  return waits;
}

test.each([
  ['for as long as the service asks', 2, 2000],
  ['by fewer at the same time only, where the service names no time', undefined, undefined],
  ['by fewer only, where it asks for longer than natter may wait', 61, undefined],
])('a 429 that is not tried again holds other items back %s', async (_, asked, wait) => {
  expect(await refuse(asked)).toEqual([wait]);
});

/** A service that has to be asked again after five seconds, and takes one more to answer. */
function busy(clock: FakeClock): Pick<Client, 'chat'> {
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
  ['given up where it waits for a retry', 3000, true, ''],
  ['left to finish where it has been asked again', 5000, false, 'late'],
])('when nothing more is to be asked an item is %s', async (_, moment, wasStopped, text) => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const slot = { rateLimited: () => undefined, release: () => undefined };
  const asked = sendItem(askingWith(busy(clock), { clock, stop: stop.signal }), content, slot);
  await expect.poll(() => clock.sleeping()).toBe(1);
  await clock.advance(moment);
  stop.abort('enough');
  await expect.poll(() => clock.sleeping()).toBe(wasStopped ? 0 : 1);
  await clock.advance(1000);
  expect(await asked).toMatchObject({ wasStopped, content: text });
});

test('an item that would wait for a retry after the last is given up at once', async () => {
  const clock = createFakeClock();
  const slot = { rateLimited: () => undefined, release: () => undefined };
  const asking = askingWith(busy(clock), { clock, stop: AbortSignal.abort('enough') });
  expect(await sendItem(asking, content, slot)).toMatchObject({ wasStopped: true, content: '' });
});
