import { expect, test } from 'vitest';
import type { Permission } from '../../../../src/batch/admission.ts';
import type { SendingRun } from '../../../../src/commands/batch/plan.ts';
import { sendItem } from '../../../../src/commands/batch/sending/send-item.ts';
import type { Client } from '../../../../src/client/client.ts';
import type { ChatEvent } from '../../../../src/client/events.ts';
import { Failure } from '../../../../src/failure.ts';
import { resolveSettings } from '../../../../src/settings/resolve.ts';
import { nothingStored } from '../../../../src/settings/settings-file.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';

const content = { messages: [{ role: 'user' as const, content: 'hi' }] };
const limited = () => new Failure('rate_limited', 'too many requests');

/** Sends an item to a client. */
function send(
  client: Pick<Client, 'chat'>,
  permission: Permission,
  { clock = createFakeClock(), stop = new AbortController().signal } = {},
) {
  const settings = resolveSettings({ flags: {}, environment: {}, stored: nothingStored });
  const run = {
    service: { client },
    settings,
    stream: true,
    plan: { retryIncomplete: 0 },
    context: { clock },
  } as unknown as SendingRun;
  const signals = { stop, cancel: new AbortController().signal };
  const models = [{ label: 'origin', settings }];
  return sendItem(run, signals, content, permission, models, () => undefined);
}

/** A permission that always allows the next request, after the answers to refusals in `next`. */
function permitting(next: ('again' | 'stopped' | 'starved')[] = []) {
  const refusals: (number | undefined)[] = [];
  const permission: Permission = {
    beforeRequest: async () => true,
    onResponse: () => undefined,
    onRefusal: (wait) => void refusals.push(wait),
    afterRefusal: async () => next.shift() ?? 'starved',
    end: () => undefined,
  };
  return { permission, refusals };
}

/** A service that refuses the first requests, with a Retry-After of two seconds. */
function refusingClient(times: number): Pick<Client, 'chat'> {
  let left = times;
  return {
    async *chat(_request, options): AsyncGenerator<ChatEvent> {
      await options?.throttle?.beforeRequest();
      left -= 1;
      if (left >= 0) {
        options?.throttle?.onRefusal(2000);
        throw limited();
      }
      yield { type: 'text-received', text: 'late', deltas: ['late'] };
    },
  };
}

test('an item that was refused is sent again when it may', async () => {
  const { permission, refusals } = permitting(['again', 'again']);
  const outcome = await send(refusingClient(2), permission);
  expect(outcome).toMatchObject({ content: 'late', failure: undefined, metadata: { attempts: 3 } });
  expect(refusals).toEqual([2000, 2000]);
});

test('an item fails when the service has answered nothing for too long', async () => {
  const { permission } = permitting(['again', 'starved']);
  const outcome = await send(refusingClient(9), permission);
  expect(outcome).toMatchObject({ isStarved: true, isStopped: false, metadata: { attempts: 2 } });
  expect(outcome.failure?.message).toBe('too many requests (after 2 attempts)');
});

test('an item that waits for a place when the run stops has no failure', async () => {
  const { permission } = permitting(['stopped']);
  const outcome = await send(refusingClient(9), permission);
  expect(outcome).toMatchObject({ isStarved: false, isStopped: true, content: '' });
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
])('after a stop, an item is %s', async (_, moment, isStopped, text) => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const { permission } = permitting();
  const sending = send(busyClient(clock), permission, { clock, stop: stop.signal });
  await expect.poll(() => clock.sleeping()).toBe(1);
  await clock.advance(moment);
  stop.abort('stop');
  await expect.poll(() => clock.sleeping()).toBe(isStopped ? 0 : 1);
  await clock.advance(1000);
  expect(await sending).toMatchObject({ isStopped, content: text });
});

test('an item that needs a retry after a stop is cancelled at once', async () => {
  const clock = createFakeClock();
  const { permission } = permitting();
  const stop = AbortSignal.abort('stop');
  expect(await send(busyClient(clock), permission, { clock, stop })).toMatchObject({
    isStopped: true,
    content: '',
  });
});
