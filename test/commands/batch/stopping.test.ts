import { describe, expect, test } from 'vitest';
import type { SendingRun } from '../../../src/commands/batch/plan.ts';
import { watchStopping } from '../../../src/commands/batch/stopping.ts';
import { Failure } from '../../../src/failure.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryDevice } from '../../support/memory-context.ts';

function watch(stopAfter?: number) {
  const memory = createMemoryDevice();
  const clock = createFakeClock();
  const notices: string[] = [];
  const never = new AbortController().signal;
  const run = {
    context: { device: memory.device, clock, signal: never },
    presentation: { notices: { notice: (text: string) => void notices.push(text) } },
    plan: { stopAfter },
    broken: never,
  } as unknown as SendingRun;
  const stopping = watchStopping(run, () => undefined);
  const state = () => ({
    cause: stopping.cause(),
    stop: stopping.stop.aborted,
    cancel: stopping.cancel.aborted,
  });
  return { ...memory, clock, notices, stopping, state };
}

const running = { cause: undefined, stop: false, cancel: false };

describe('SIGTERM', () => {
  const finishing = { cause: 'SIGTERM', stop: true, cancel: false };
  const cancelled = { ...finishing, cancel: true };

  test('starts no more items, and cancels running requests 25 seconds later', async () => {
    const { terminate, clock, state, notices } = watch();
    expect(state()).toEqual(running);
    terminate();
    expect(notices).toEqual([
      'SIGTERM: finishing running requests within 25 s, sending no new ones',
    ]);
    await clock.advance(24_999);
    expect(state()).toEqual(finishing);
    await clock.advance(1);
    expect(state()).toEqual(cancelled);
  });

  test.each([
    ['999 ms later counts as the same one', 999, finishing],
    ['a second later cancels running requests', 1000, cancelled],
  ])('delivered again %s', async (_, pause, expected) => {
    const { terminate, clock, state } = watch();
    terminate();
    await clock.advance(pause);
    terminate();
    expect(state()).toEqual(expected);
  });

  test('after SIGUSR1 limits the time of running requests, too', async () => {
    const { approachTimeLimit, terminate, clock, state } = watch();
    approachTimeLimit();
    await clock.advance(100_000);
    expect(state()).toEqual({ ...finishing, cause: 'SIGUSR1' });
    terminate();
    await clock.advance(25_000);
    expect(state()).toEqual(cancelled);
  });

  test('leaves no timer when the run ends', () => {
    const { terminate, clock, stopping } = watch();
    terminate();
    stopping.end();
    expect(clock.sleeping()).toBe(0);
  });
});

test('SIGUSR1 starts no more items, once', async () => {
  const { approachTimeLimit, state, notices } = watch();
  approachTimeLimit();
  approachTimeLimit();
  expect(state()).toEqual({ cause: 'SIGUSR1', stop: true, cancel: false });
  expect(notices).toHaveLength(1);
});

describe('--stop-after', () => {
  test('starts no more items after its time', async () => {
    const { clock, state, notices } = watch(3_300_000);
    await clock.advance(3_299_999);
    expect(state()).toEqual(running);
    await clock.advance(1);
    expect(state()).toEqual({ cause: '--stop-after', stop: true, cancel: false });
    expect(notices).toEqual(['--stop-after: finishing running requests, sending no new ones']);
  });

  test('leaves no timer when a signal came first', () => {
    const { interrupt, clock, state } = watch(1000);
    interrupt();
    expect(clock.sleeping()).toBe(0);
    expect(state()).toEqual({ cause: 'SIGINT', stop: true, cancel: false });
  });
});

test('the first failure that would repeat is the one reported', () => {
  const { stopping, state } = watch();
  stopping.fail(new Failure('unauthorized', 'one'));
  stopping.fail(new Failure('server_error', 'two'));
  expect(stopping.failure()?.message).toBe('one');
  expect(state()).toEqual({ ...running, stop: true });
});
