import { expect, test } from 'vitest';
import type { ChatEvent } from '../../src/client/events.ts';
import { type Activity, createProgressReporter } from '../../src/output/activity.ts';
import { createNotices } from '../../src/output/notices.ts';
import { plainStyle } from '../../src/terminal/style.ts';
import { createMemoryOutput } from '../support/memory-context.ts';

function run(showReasoning: boolean, events: readonly ChatEvent[]) {
  const stderr = createMemoryOutput();
  const calls: string[] = [];
  const activity: Activity = {
    waiting: (model) => void calls.push(`waiting for ${model}`),
    retry: () => void calls.push('retry'),
    settle: () => void calls.push('settle'),
  };
  const progressReporter = createProgressReporter({
    stderr,
    style: plainStyle,
    notices: createNotices(stderr, false, (text) => text),
    activity,
    model: 'origin',
    showReasoning,
  });
  for (const event of events) progressReporter.event(event);
  progressReporter.end();
  return { shown: stderr.text(), calls };
}

const text: ChatEvent = { type: 'text-received', text: 'a', deltas: ['a'] };
const reasoning = (piece: string): ChatEvent => ({ type: 'reasoning-received', text: piece });
const refusal = (piece: string): ChatEvent => ({ type: 'refusal-received', text: piece });

test('a wait ends with the first text', () => {
  const { calls } = run(false, [{ type: 'answer-started', attempt: 1 }, text]);
  expect(calls.slice(0, 2)).toEqual(['waiting for origin', 'settle']);
});

test('reasoning is shown only if requested, on separate lines', () => {
  const events = [reasoning('think'), reasoning('ing'), text];
  expect(run(false, events).shown).toBe('');
  expect(run(true, events).shown).toBe('thinking\n');
  expect(run(true, [reasoning('done.\n'), text]).shown).toBe('done.\n');
});

test('reasoning cannot control the terminal, even in pieces', () => {
  expect(run(true, [reasoning('a\u001B'), reasoning('[31mb')]).shown).toBe('ab\n');
});

test('a refusal is one warning at the end', () => {
  expect(run(false, [refusal('I may '), refusal('not.')]).shown).toBe(
    'natter: warning: the model refused: I may not.\n',
  );
});
