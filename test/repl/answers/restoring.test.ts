import { describe, expect, test } from 'vitest';
import { composePrompt } from '../../../src/conversation/compose-prompt.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { contentOf, shownText } from '../../../src/repl/composer/paste.ts';
import { withAttached } from '../../../src/repl/files/attachments.ts';
import { onKey } from '../../../src/repl/keys.ts';
import { step } from '../../../src/repl/step.ts';
import {
  answerEnded,
  composed,
  conversationOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  lineInterrupted,
  pasted,
  pressed,
  printed,
  run,
  type StateChange,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
const file = { name: 'notes.md', content: lines(500) };

const after = (content: string) =>
  stateOf({
    conversation: conversationOf(
      { role: 'user', content },
      { role: 'assistant', content: 'because', model: 'origin' },
    ),
  });

const command = (state: ReturnType<typeof stateOf>, name: string) => run(state, typed(name), enter);

test('a second /undo, even right after the first, removes the previous prompt', () => {
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
  test('restores a file as an attachment and sends the same prompt', () => {
    const content = composePrompt({ prompt: 'see @notes.md', files: [file] });
    const { state } = command(after(content), name);
    expect(composed(state)).toBe('see @notes.md');
    expect(state.attachments).toEqual([file]);
    const prompt = effectsOf(run(state, enter).effects, 'send')[0]?.prompt;
    expect(prompt).toMatchObject({ content: 'see @notes.md', files: [file] });
  });

  test('restores piped input as a paste marker and sends it unchanged', () => {
    const content = composePrompt({ prompt: '/review this', files: [], input: lines(500) });
    const { state } = command(after(content), name);
    expect(shownText(state.composer)).toBe('//review this\n\n[paste #1, 500 lines]');
    const prompt = effectsOf(run(state, enter).effects, 'send')[0]?.prompt;
    expect(prompt).toMatchObject({ content });
  });

  test('drops attachments when the prompt is discarded', () => {
    const other = { name: 'other.md', content: 'x' };
    const start = after(composePrompt({ prompt: 'why?', files: [file] }));
    const { state } = run(command({ ...start, attachments: [other] }, name).state, interrupt);
    expect(state.attachments).toEqual([other]);
  });
});

test('/edit restores a paste from this session as its marker', () => {
  const content = `${lines(8)}why?`;
  const sent = run(after(content), pasted(lines(8)), typed('why?'), enter).state;
  const { state } = command({ ...sent, activity: undefined }, '/edit');
  expect(shownText(state.composer)).toBe('[paste #1, 8 lines]why?');
  expect(composed(state)).toBe(content);
});

describe('a prompt from an earlier session', () => {
  const recalled = (text: string) =>
    run(stateOf({ history: createHistory([text]) }), pressed('up'));

  test.each([
    ['typed', lines(20), lines(20)],
    ['pasted', `review this:\n${lines(500)}`, 'review this:\n[paste #1, 500 lines]'],
    ['a command', `/system ${lines(500)}`, `/system ${lines(500)}`],
  ])('is restored so that it can be edited: %s', (_, text, shown) => {
    const { composer } = recalled(text).state;
    expect(shownText(composer)).toBe(shown);
    expect(contentOf(composer)).toBe(text);
  });
});

const failed = answerEnded(
  {
    type: 'failed',
    hasText: false,
    failure: { kind: 'server_error', message: 'the service answered 500' },
  },
  conversationOf({ role: 'user', content: 'one' }),
);

const withFile = stateOf({ attachments: [file] });

describe('a restored unanswered prompt', () => {
  test('is replaced by a command when a slash is typed right after it', () => {
    const { effects } = run(stateOf(), typed('one'), enter, failed, typed('/retry'), enter);
    expect(effectsOf(effects, 'send').at(-1)?.prompt).toMatchObject({ type: 'repeat' });
  });

  test('keeps its files', () => {
    const { state, effects } = run(withFile, typed('one'), enter, failed);
    expect(effectsOf(effects, 'send').at(-1)?.prompt).toMatchObject({ files: [file] });
    expect(state.attachments).toEqual([file]);
    const again = run(state, enter);
    expect(effectsOf(again.effects, 'send').at(-1)?.prompt).toMatchObject({ files: [file] });
    expect(again.state.attachments).toEqual([]);
  });

  test('is repeated by /retry with its files, and keeps only files attached later', () => {
    const since = { name: 'since.md', content: 'more' };
    const attached: StateChange = (state) => step(withAttached(state, since));
    const { state } = run(withFile, typed('one'), enter, failed, attached, typed('/retry'), enter);
    expect(state.attachments).toEqual([since]);
  });

  test('is ordinary text once it was edited', () => {
    const later: StateChange = (now) => onKey({ ...now, now: 5000 }, { type: 'text', text: ' or' });
    const { state } = run(stateOf(), typed('one'), enter, failed, later, typed('/two'));
    expect(composed(state)).toBe('one or/two');
  });

  test('S4: is above the text of a person who did not notice that it came back', () => {
    const { state } = run(stateOf(), typed('one'), enter, failed, typed('t'), typed('wo'));
    expect(composed(state)).toBe('one\ntwo');
  });
});

const exchange = conversationOf(
  { role: 'user', content: 'why?' },
  { role: 'assistant', content: 'because', model: 'origin' },
);

test('Esc cancels /edit', () => {
  const start = stateOf({ conversation: exchange });
  const { state, effects } = run(command(start, '/edit').state, typed(' now'), escape);
  expect(printed(effects)).toEqual(['edit cancelled; the prompt is unchanged']);
  expect(composed(state)).toBe('');
  expect(state.branch).toBeUndefined();
  expect(composed(run(state, pressed('up')).state)).toBe('why? now');
});

test('/undo of a failed prompt names no answer', () => {
  const conversation = conversationOf(
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: '', model: 'origin' },
  );
  const { effects } = command(stateOf({ conversation }), '/undo');
  expect(printed(effects)).toEqual(['the prompt "why?" is removed; your next prompt replaces it']);
});

describe('/edit in line mode', () => {
  const state = { ...after(composePrompt({ prompt: 'why?', files: [file] })), isLineMode: true };
  const edited = run(state, lineEntered('/edit'));

  test('shows the prompt with the names of its files, and the next line replaces it', () => {
    expect(printed(edited.effects)).toEqual([
      'type a new version of: why?\nattached: notes.md; /attach none removes them\nCtrl+C keeps the old version',
    ]);
    const sent = run(edited.state, lineEntered('how?'));
    expect(effectsOf(sent.effects, 'send')[0]?.prompt).toMatchObject({
      content: 'how?',
      parent: undefined,
    });
  });

  test('is cancelled with Ctrl+C', () => {
    const cancelled = run(edited.state, lineInterrupted);
    expect(printed(cancelled.effects)).toEqual(['edit cancelled; the prompt is unchanged']);
    const sent = run(cancelled.state, lineEntered('next'));
    expect(effectsOf(sent.effects, 'send')[0]?.prompt).toMatchObject({ parent: 't2' });
  });
});
