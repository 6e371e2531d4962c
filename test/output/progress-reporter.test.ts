import { expect, test } from 'vitest';
import type { ChatEvent } from '../../src/client/events.ts';
import { createProgressReporter } from '../../src/output/activity.ts';
import { present } from '../../src/run.ts';
import { createMemoryContext } from '../support/memory-context.ts';

async function run(reasons: boolean, events: readonly ChatEvent[]) {
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

const text: ChatEvent = { type: 'text-received', text: 'a', deltas: ['a'] };
const reasoning = (piece: string): ChatEvent => ({ type: 'reasoning-received', text: piece });
const refusal = (piece: string): ChatEvent => ({ type: 'refusal-received', text: piece });

test('reasoning is shown only if requested, on separate lines', async () => {
  const events = [reasoning('think'), reasoning('ing'), text];
  expect((await run(false, events)).shown).toBe('');
  expect((await run(true, events)).shown).toBe('thinking\n');
  expect((await run(true, [reasoning('done.\n'), text])).shown).toBe('done.\n');
});

test('reasoning cannot control the terminal, even in pieces', async () => {
  expect((await run(true, [reasoning('a\u001B'), reasoning('[31mb')])).shown).toBe('ab\n');
});

test('S2: a refusal is one warning, apart from the end of the answer', async () => {
  const reported = 'natter: warning: the model refused: I may not.\n';
  expect(await run(false, [refusal('I may '), refusal('not.')])).toEqual({ shown: '', reported });
});
