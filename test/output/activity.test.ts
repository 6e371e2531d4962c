import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { createActivity } from '../../src/output/activity.ts';
import { present } from '../../src/run.ts';
import { createMemoryContext, createMemoryOutput } from '../support/memory-context.ts';

const cause = new Failure('server_error', 'the service failed (500)');
const retry = { type: 'retry-scheduled', retry: 1, retries: 4, delay: 2500, cause } as const;

async function start(options: { quiet?: boolean; animated?: boolean; columns?: number } = {}) {
  const { quiet = false, animated = true, columns = 120 } = options;
  const terminals = animated ? (['stderr'] as const) : [];
  const { context, clock } = createMemoryContext({ terminals, columns });
  const stderr = createMemoryOutput(animated, columns);
  const shown = { ...context, streams: { ...context.streams, stderr } };
  const run = { color: 'never', input: true, quiet } as const;
  const presentation = await present(shown, run);
  const activity = createActivity({ context: shown, presentation, options: run });
  /** The lines that were drawn in place. */
  const drawn = () =>
    stderr
      .text()
      .split('\r')
      .map((text) => text.trim())
      .filter((text) => text !== '');
  const pass = async (milliseconds: number) => {
    await clock.advance(milliseconds);
    await tick();
  };
  return { activity, stderr, clock, drawn, pass };
}

test('an answer that starts soon has no waiting line', async () => {
  const { activity, stderr, pass } = await start();
  activity.waiting('origin');
  await pass(100);
  activity.settle();
  await pass(5000);
  expect(stderr.text()).toBe('');
});

test('a longer wait counts its seconds in one line, which is removed at the end', async () => {
  const { activity, stderr, drawn, pass } = await start();
  activity.waiting('origin');
  await pass(500);
  await pass(2000);
  expect(drawn()[0]).toBe('waiting for origin · Ctrl+C stops');
  expect(drawn().at(-1)).toMatch(/^waiting for origin · [12] s · Ctrl\+C stops$/);
  expect(stderr.text()).not.toContain('\n');
  activity.settle();
  expect(stderr.text()).toMatch(/\r +\r$/);
});

test('a retry counts down, and its line stays with the time waited', async () => {
  const { activity, stderr, drawn, pass } = await start();
  activity.retry(retry);
  await pass(1000);
  await pass(1600);
  activity.settle();
  const lines = drawn();
  expect(lines[0]).toContain('in 3 s');
  expect(lines.some((line) => line.includes('in 2 s'))).toBe(true);
  expect(lines.at(-1)).toContain('after 3 s');
  for (const line of lines) {
    expect(line).toContain('retry 1 of 4');
    expect(line).toContain('the service failed (500)');
  }
  expect(stderr.text()).toMatch(/\n$/);
});

test('a retry shows the seconds of Retry-After without the jitter', async () => {
  const limited = new Failure('rate_limited', 'rate limited', { retryAfterSeconds: 2 });
  const { activity, drawn, pass } = await start();
  activity.retry({ ...retry, delay: 2200, cause: limited });
  await pass(1000);
  await pass(1200);
  activity.settle();
  const times = drawn().map((line) => line.replace(/.* of 4 (.*):.*/, '$1'));
  expect(times).toEqual(['in 2 s', 'in 1 s', 'after 2 s']);
});

test('a retry that was stopped while waiting keeps its remaining time', async () => {
  const { activity, drawn, pass } = await start();
  activity.retry(retry);
  await pass(1000);
  activity.settle();
  expect(drawn().at(-1)).toContain('in 2 s');
});

test('a line is shorter than the window', async () => {
  const { activity, drawn, pass } = await start({ columns: 20 });
  activity.retry(retry);
  await pass(2600);
  for (const line of drawn()) expect(line.length).toBeLessThan(20);
});

test('a retry is one plain line if nothing can be redrawn', async () => {
  const { activity, stderr, pass } = await start({ animated: false });
  activity.waiting('origin');
  activity.retry(retry);
  await pass(5000);
  activity.settle();
  expect(stderr.text()).toMatch(/^natter: .*retry 1 of 4 in 3 s.*\n$/);
  expect(stderr.text()).not.toContain('\u001B');
});

test('quiet shows neither waits nor retries', async () => {
  const { activity, stderr, pass } = await start({ quiet: true });
  activity.waiting('origin');
  activity.retry(retry);
  await pass(5000);
  activity.settle();
  expect(stderr.text()).toBe('');
});

test('text of the service cannot control the terminal', async () => {
  const { activity, stderr } = await start({ animated: false });
  activity.retry({ ...retry, cause: new Failure('server_error', 'a\u001B[2J\nb') });
  expect(stderr.text()).not.toContain('\u001B');
  expect(stderr.text().trimEnd()).not.toContain('\n');
});
