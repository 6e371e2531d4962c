import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../../src/client/events.ts';
import { Failure } from '../../src/failure.ts';
import { createActivity, createProgressReporter } from '../../src/output/activity.ts';
import { present } from '../../src/run.ts';
import { text } from '../support/events.ts';
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
      .map((line) => line.trim())
      .filter((line) => line !== '');
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

test.each([
  [
    'nothing can be redrawn, a retry is one plain line without control sequences',
    { animated: false },
    'natter: retry 1 of 4 in 3 s: a b\n',
  ],
  ['quiet, neither waits nor retries are shown', { quiet: true }, ''],
])('if %s', async (_what, options, shown) => {
  const { activity, stderr, pass } = await start(options);
  activity.waiting('origin');
  activity.retry({ ...retry, cause: new Failure('server_error', 'a\u001B[2J\nb') });
  await pass(5000);
  activity.settle();
  expect(stderr.text()).toBe(shown);
});

async function reportOf(reasons: boolean, events: readonly ChatEvent[]) {
  const { context, stderr } = createMemoryContext();
  const options = { color: 'never', input: true, reasoning: reasons } as const;
  const presentation = await present(context, options);
  const reporter = createProgressReporter({ context, presentation, options }, 'origin');
  for (const event of events) reporter.event(event);
  reporter.end();
  const shown = stderr();
  reporter.report();
  return { shown, reported: stderr().slice(shown.length) };
}

const reasoning = (piece: string): ChatEvent => ({ type: 'reasoning-received', text: piece });
const refusal = (piece: string): ChatEvent => ({ type: 'refusal-received', text: piece });

test('reasoning is shown only if requested, on separate lines', async () => {
  const events = [reasoning('think'), reasoning('ing'), text('a')];
  expect((await reportOf(false, events)).shown).toBe('');
  expect((await reportOf(true, events)).shown).toBe('thinking\n');
  expect((await reportOf(true, [reasoning('done.\n'), text('a')])).shown).toBe('done.\n');
});

test('reasoning cannot control the terminal, even in pieces', async () => {
  expect((await reportOf(true, [reasoning('a\u001B'), reasoning('[31mb')])).shown).toBe('ab\n');
});

test('S2: a refusal is one warning, apart from the end of the answer', async () => {
  const reported = 'natter: warning: the model refused: I may not.\n';
  expect(await reportOf(false, [refusal('I may '), refusal('not.')])).toEqual({
    shown: '',
    reported,
  });
});
