import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createDebounce, systemClock } from '../src/clock.ts';

const longestTimer = 2 ** 31 - 1;

/** The milliseconds of each timer, which ends at once. */
function countTimers() {
  const timers: number[] = [];
  const start = setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((action, milliseconds = 0) => {
    timers.push(milliseconds);
    if (timers.length >= 100) throw new Error('too many timers');
    return start(action, 0);
  });
  return timers;
}

afterEach(() => vi.restoreAllMocks());

test('X22: the clock sleeps for 25 days and longer instead of a millisecond, until it is stopped', async () => {
  const stop = new AbortController();
  const sleeping = [2 ** 31, Infinity].map((time) => systemClock.sleep(time, stop.signal));
  await expect(Promise.race([...sleeping, pass(20, 'passed')])).resolves.toBe('passed');
  stop.abort(new Error('enough'));
  for (const sleep of sleeping) await expect(sleep).rejects.toThrow('enough');
});

test.each([
  [longestTimer, [longestTimer]],
  [longestTimer + 1, [longestTimer, 1]],
  [2.5 * longestTimer, [longestTimer, longestTimer, longestTimer / 2]],
])("X22 Y28: %d milliseconds become timers within Node's limit", async (milliseconds, expected) => {
  const timers = countTimers();
  await systemClock.sleep(milliseconds);
  expect(timers).toEqual(expected);
});

test("a timer beyond Node's limit can be stopped", async () => {
  const timers = countTimers();
  const stop = systemClock.timer(50 * longestTimer, () => timers.push(0));
  while (timers.length < 4) await pass(1);
  stop();
  const begun = timers.length;
  await pass(20);
  expect(timers.length).toBe(begun);
});

test('the end of a debounce follows the input that arrived while the process was busy', async () => {
  const seen: string[] = [];
  const debounce = createDebounce(systemClock, () => seen.push('end'));
  const server = createServer((socket) => socket.once('data', () => seen.push('input')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const writer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await Promise.all([once(writer, 'connect'), once(server, 'connection')]);
  debounce.restart(30);
  writer.write('x');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  await expect.poll(() => seen).toEqual(['input', 'end']);
  writer.destroy();
  server.close();
});
