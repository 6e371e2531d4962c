import { expect, test } from 'vitest';
import { askItem } from '../../src/commands/batch-answer.ts';
import type { Client } from '../../src/client/client.ts';
import { Failure } from '../../src/failure.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import { emptyCredentials, emptySettings } from '../../src/settings/stored-settings.ts';

const stored = { settings: emptySettings, credentials: emptyCredentials };

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
  const asking = {
    client: client as Client,
    settings: resolveSettings({ flags: {}, environment: {}, stored }),
    stream: true,
    retryIncomplete: 0,
    longestWait: 60_000,
    signal: new AbortController().signal,
  };
  const { failure } = await askItem(asking, { messages: [{ role: 'user', content: 'hi' }] }, slot);
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
