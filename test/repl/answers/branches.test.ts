import { expect, test } from 'vitest';
import { sendPrompt } from '../../../src/repl/answers/send-prompt.ts';
import { startVi } from '../../../src/repl/composer/vi/vi-keys.ts';
import { runInApp } from '../../support/app.tsx';
import { openMemorySession, saying } from '../../support/memory-session.ts';
import {
  composed,
  conversationOf,
  effectsOf,
  enter,
  escape,
  lineEntered,
  play,
  run,
  stateOf,
  typed,
  waitingAnswer,
} from '../../support/repl-state.ts';

const turns = [
  { role: 'user', content: 'about tea' },
  { role: 'assistant', content: '1' },
  { role: 'user', content: 'about milk' },
  { role: 'assistant', content: '2' },
] as const;
const two = stateOf({ conversation: conversationOf(...turns) });
const one = stateOf({ conversation: conversationOf(...turns.slice(0, 2)) });

test('Esc Esc on an empty composer lists the prompts, which typing filters', () => {
  expect(run(two, escape).state.dialog).toBeUndefined();
  expect(runInApp(two, escape).rows).toContain('Esc again edits an earlier prompt');
  expect(run(two, escape, typed('a'), escape, escape).state.dialog).toBeUndefined();
  const { state } = run(two, escape, escape);
  const choices = (...keys: Parameters<typeof runInApp>[1][]) =>
    runInApp(state, ...keys).rows.filter((row) => /^[ ›] \d/.test(row));
  expect(choices()).toEqual(['› 1 about milk', '  2 about tea']);
  expect(choices(typed('T'), typed('e'))).toEqual(['› 2 about tea']);
  const chosen = runInApp(state, typed('tea'), enter).state;
  expect(composed(chosen)).toBe('about tea');
  expect(effectsOf(play(chosen, enter).effects, sendPrompt)[0]?.prompt).toMatchObject({
    parent: undefined,
  });
});

test('Esc Esc stops an answer, edits the only prompt at once, and follows an Esc of vi', () => {
  const busy = run({ ...two, activity: waitingAnswer }, escape, escape);
  expect(busy.state).toMatchObject({ dialog: undefined, activity: { isStopping: true } });
  expect(composed(run(one, escape, escape).state)).toBe('about tea');
  expect(run(stateOf(), escape, escape).state.dialog).toBeUndefined();
  const vi = startVi(two.composer);
  expect(run({ ...two, vi }, escape, escape).state.dialog).toBeUndefined();
  expect(run({ ...two, vi }, escape, escape, escape).state.dialog).toBeDefined();
});

test('in line mode /edit prints the prompts with the numbers to type', () => {
  expect(play({ ...two, isLineMode: true }, lineEntered('/edit')).printed).toEqual([
    'earlier prompts, the last one first\n1 about milk\n2 about tea\n/edit 1 chooses the first',
  ]);
});

test('/branches goes to the branch that an edited prompt left', async () => {
  const memory = openMemorySession({
    replies: ['1', '2', '3', '4'].map((text) => saying(text)),
    state: { isLineMode: true },
  });
  await memory.submit('about tea');
  expect(play(memory.session.state(), lineEntered('/branches')).printed).toEqual([
    'this conversation has one branch',
  ]);
  await memory.submit('about milk');
  await memory.clock.advance(120_000);
  await memory.submit('/edit 2', 'about coffee', '/branches');
  const listed = [
    '1 this, 1 prompt, just now: about coffee',
    '2 2 prompts, 2 minutes ago: about milk',
  ];
  await expect.poll(memory.text).toContain(listed.join('\n'));
  await memory.submit('/branches 2');
  await expect.poll(memory.text).toContain('natter: branch 2 of 2\n');
  await expect.poll(memory.text).toMatch(/You: about milk\n.*: 2\n[^]*You: about milk\n.*: 2\n/);
  await memory.submit('next');
  expect(memory.sent()).toEqual(['about tea', '1', 'about milk', '2', 'next']);
  for (const other of ['0', '3', 'x']) {
    expect(play(memory.session.state(), lineEntered(`/branches ${other}`)).printed).toEqual([
      'there are branches 1 to 2',
    ]);
  }
});
