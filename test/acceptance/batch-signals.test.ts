import { describe, expect, test } from 'vitest';
import { openBatchPlace, openSlowBatchPlace, promptLines } from '../support/batch.ts';
import type { RunningNatter } from '../support/natter.ts';

/** If Node opens a debugger, it uses a free port and reports it on standard error. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };

interface Stop {
  readonly name: string;
  readonly signal: NodeJS.Signals;
  readonly notice: RegExp;
  /** How natter ends when items are left, and when none is. */
  readonly unfinished: object;
  readonly finished: object;
  readonly stopped: string;
}

const interruption = { signal: 'SIGINT' };

const stops: readonly Stop[] = [
  {
    name: 'P5 Ctrl+C',
    signal: 'SIGINT',
    notice: /finishing running requests; press Ctrl\+C again to cancel them/,
    unfinished: interruption,
    finished: interruption,
    stopped: 'stopped',
  },
  {
    name: 'SIGTERM',
    signal: 'SIGTERM',
    notice: /SIGTERM: finishing running requests within 25 s/,
    unfinished: { code: 75 },
    finished: { code: 0 },
    stopped: 'stopped by SIGTERM',
  },
  {
    name: 'X4 SIGUSR1',
    signal: 'SIGUSR1',
    notice: /SIGUSR1: finishing running requests, sending no new ones/,
    unfinished: { code: 75 },
    finished: { code: 0 },
    stopped: 'stopped by SIGUSR1',
  },
];

describe.each(stops)('$name', ({ signal, notice, unfinished, finished, stopped }) => {
  const send = async (natter: RunningNatter): Promise<void> => {
    natter.child.kill(signal);
    await natter.waitFor('stderr', notice);
  };

  test('lets the answers in progress finish, and starts no more', async () => {
    const place = await openSlowBatchPlace();
    place.write('p.txt', promptLines(20));
    const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '3'];
    const natter = place.start(words, { env: anyPort });
    await place.finish(3);
    await place.inProgress(3);
    await send(natter);
    await place.finish(3);
    const end = await natter.result;
    expect(end).toMatchObject(unfinished);
    expect(end.stderr).toContain(`natter: ${stopped}: 6 of 20 items answered in `);
    expect(end.stderr).toMatch(/, 14 left(;|\n ) run the same command again for the rest/);
    expect(end.stderr).not.toContain('Debugger');
    const results = place.results('out.jsonl');
    expect(results).toHaveLength(6);
    expect(place.asked).toHaveLength(6);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(place.has('out.jsonl.lock')).toBe(false);
  });

  test('Y7: with every item in progress, leaves no items', async () => {
    const place = await openSlowBatchPlace();
    place.write('p.txt', promptLines(3));
    const natter = place.start(['p.txt', '-o', 'out.jsonl'], { env: anyPort });
    await place.inProgress(3);
    await send(natter);
    await place.finish(3);
    const end = await natter.result;
    expect(end).toMatchObject(finished);
    expect(end.stderr).toMatch(/natter: 3 of 3 items answered in [^;]*\n$/);
    expect(place.results('out.jsonl')).toHaveLength(3);
  });

  test('ends a batch that waits for more input', async () => {
    const place = await openBatchPlace();
    const natter = place.start(['-'], { input: 'one\n', keepInputOpen: true, env: anyPort });
    await natter.waitFor('stdout', /"index":1/);
    await send(natter);
    const end = await natter.result;
    expect(end).toMatchObject(unfinished);
    expect(end.stderr).toMatch(/1 item answered in .*, input not fully read/);
  });
});
