import { describe, expect, test } from 'vitest';
import { composePrompt } from '../../../src/conversation/compose-prompt.ts';
import { createHistory } from '../../../src/repl/editing/history.ts';
import { contentOf, shownText } from '../../../src/repl/editing/paste.ts';
import {
  composed,
  conversationOf,
  effectsOf,
  enter,
  interrupt,
  pasted,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
const file = { name: 'notes.md', content: lines(500) };

/** An idle session after a prompt and its answer. */
const after = (content: string) =>
  stateOf({
    conversation: conversationOf(
      { role: 'user', content },
      { role: 'assistant', content: 'because', model: 'origin' },
    ),
  });

const command = (state: ReturnType<typeof stateOf>, name: string) => run(state, typed(name), enter);

test('/undo again removes the turn before, even right after the prompt was restored', () => {
  const exchange = (content: string) =>
    [
      { role: 'user', content },
      { role: 'assistant', content: 'because', model: 'origin' },
    ] as const;
  const two = stateOf({ conversation: conversationOf(...exchange('one'), ...exchange('two')) });
  const once = command(two, '/undo').state;
  expect(composed(once)).toBe('two');
  const twice = command(once, '/undo').state;
  expect(composed(twice)).toBe('one');
  const prompt = effectsOf(run(twice, enter).effects, 'send')[0]?.prompt;
  expect(prompt).toMatchObject({ content: 'one', parent: undefined });
});

describe.each(['/edit', '/undo'])('%s', (name) => {
  test('brings a file back as a file, and the same is sent', () => {
    const content = composePrompt({ prompt: 'see @notes.md', files: [file] });
    const { state } = command(after(content), name);
    expect(composed(state)).toBe('see @notes.md');
    expect(state.attachments).toEqual([file]);
    const prompt = effectsOf(run(state, enter).effects, 'send')[0]?.prompt;
    expect(prompt).toMatchObject({ content: 'see @notes.md', files: [file] });
  });

  test('restores piped input as a marker and sends it unchanged', () => {
    const content = composePrompt({ prompt: '/review this', files: [], input: lines(500) });
    const { state } = command(after(content), name);
    expect(shownText(state.composer)).toBe('//review this\n\n[paste #1, 500 lines]');
    const prompt = effectsOf(run(state, enter).effects, 'send')[0]?.prompt;
    expect(prompt).toMatchObject({ content });
  });

  test('lets go of the file when the prompt is put aside', () => {
    const other = { name: 'other.md', content: 'x' };
    const start = { ...after(composePrompt({ prompt: 'why?', files: [file] })) };
    const { state } = run(command({ ...start, attachments: [other] }, name).state, interrupt);
    expect(state.attachments).toEqual([other]);
  });
});

test('/edit brings a paste of this session back as the marker that was sent', () => {
  const content = `${lines(8)}why?`;
  const asked = run(after(content), pasted(lines(8)), typed('why?'), enter).state;
  const { state } = command({ ...asked, activity: undefined }, '/edit');
  expect(shownText(state.composer)).toBe('[paste #1, 8 lines]why?');
  expect(composed(state)).toBe(content);
});

test('/edit in line mode names the file and does not print it', () => {
  const state = { ...after(composePrompt({ prompt: 'why?', files: [file] })), isLineMode: true };
  const edited = run(state, { type: 'line-entered', text: '/edit', now: 0 });
  expect(printed(edited.effects)).toEqual([
    'type a new version of: why?\nattached: notes.md; /attach none removes them\nCtrl-C keeps the old version',
  ]);
});

describe('a prompt of an earlier session', () => {
  const recalled = (text: string) =>
    run(stateOf({ history: createHistory([text]) }), pressed('up'));

  test.each([
    ['typed', lines(20), lines(20)],
    ['pasted', `review this:\n${lines(500)}`, 'review this:\n[paste #1, 500 lines]'],
    ['a command', `/system ${lines(500)}`, `/system ${lines(500)}`],
  ])('that was %s comes back to be read and changed', (_, text, shown) => {
    const { composer } = recalled(text).state;
    expect(shownText(composer)).toBe(shown);
    expect(contentOf(composer)).toBe(text);
  });

  test('counts what is pasted into it on', () => {
    const { state } = run(recalled(`review this:\n${lines(500)}`).state, pasted(lines(9)));
    expect(shownText(state.composer)).toContain('[paste #2, 9 lines]');
  });
});
