import { describe, expect, test } from 'vitest';
import { sendPrompt } from '../../../src/repl/answers/send-prompt.ts';
import { composePrompt } from '../../../src/conversation/compose-prompt.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { shownText } from '../../../src/repl/composer/paste.ts';
import { withAttached } from '../../../src/repl/files/attachments.ts';
import { onKey } from '../../../src/repl/keys.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import {
  answerEnded,
  conversationOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  pasted,
  play,
  pressed,
  type StateChange,
  stateOf,
} from '../../support/repl-state.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
const file = { name: 'notes.md', content: lines(500) };
const other = { name: 'other.md', content: 'x' };

/** A conversation whose prompts were answered. */
const after = (...contents: readonly string[]) =>
  stateOf({
    conversation: conversationOf(
      ...contents.flatMap((content) => [
        { role: 'user', content } as const,
        { role: 'assistant', content: 'because', model: 'origin' } as const,
      ]),
    ),
  });

const command = (state: ReplState, name: string) => play(state, name, enter);
const promptsOf = ({ effects }: ReturnType<typeof play>) =>
  effectsOf(effects, sendPrompt).map(({ prompt }) => prompt);

test('a second /undo, even right after the first, removes the previous prompt', () => {
  const once = command(after('one', 'two'), '/undo');
  const twice = command(once.state, '/undo');
  expect([once.text, twice.text]).toEqual(['two', 'one']);
  expect(promptsOf(play(twice.state, enter))).toMatchObject([
    { content: 'one', parent: undefined },
  ]);
});

describe.each(['/edit', '/undo'])('%s', (name) => {
  test('restores a file as an attachment and sends the same prompt', () => {
    const content = composePrompt({ prompt: 'see @notes.md', files: [file] });
    const { state, text } = command(after(content), name);
    expect([text, state.attachments]).toEqual(['see @notes.md', [file]]);
    const sent = promptsOf(play(state, enter));
    expect(sent).toMatchObject([{ content: 'see @notes.md', files: [file] }]);
  });

  test('restores piped input as a paste marker and sends it unchanged', () => {
    const content = composePrompt({ prompt: '/review this', files: [], input: lines(500) });
    const { state } = command(after(content), name);
    expect(shownText(state.composer)).toBe('//review this\n\n[paste #1, 500 lines]');
    expect(play(state, enter).sent).toEqual([content]);
  });

  test('drops attachments when the prompt is discarded', () => {
    const start = after(composePrompt({ prompt: 'why?', files: [file] }));
    const { state } = play(command({ ...start, attachments: [other] }, name).state, interrupt);
    expect(state.attachments).toEqual([other]);
  });
});

test('/edit restores a paste from this session as its marker', () => {
  const content = `${lines(8)}why?`;
  const sent = play(after(content), pasted(lines(8)), 'why?', enter).state;
  const { state, text } = command({ ...sent, activity: undefined }, '/edit');
  expect([shownText(state.composer), text]).toEqual(['[paste #1, 8 lines]why?', content]);
});

test.each([
  ['typed', lines(20), lines(20)],
  ['pasted', `review this:\n${lines(500)}`, 'review this:\n[paste #1, 500 lines]'],
  ['a command', `/system ${lines(500)}`, `/system ${lines(500)}`],
])('a prompt of an earlier session can be edited: %s', (_, sent, shown) => {
  const { state, text } = play(stateOf({ history: createHistory([sent]) }), pressed('up'));
  expect([shownText(state.composer), text]).toEqual([shown, sent]);
});

const failure = { kind: 'server_error', message: 'the service answered 500' } as const;
const failed = answerEnded(
  { type: 'failed', hasText: false, failure },
  conversationOf({ role: 'user', content: 'one' }),
);
const unanswered = play(stateOf({ attachments: [file] }), 'one', enter, failed);

describe('a restored unanswered prompt', () => {
  test('keeps its files, and is repeated by /retry, typed right after it, with them', () => {
    expect(promptsOf(unanswered)).toMatchObject([{ files: [file] }]);
    expect(unanswered.state.attachments).toEqual([file]);
    const again = play(unanswered.state, enter);
    expect(promptsOf(again)).toMatchObject([{ files: [file] }]);
    expect(again.state.attachments).toEqual([]);
    const attached: StateChange = (state) => step(withAttached(state, other));
    const repeated = play(unanswered.state, attached, '/retry', enter);
    expect(promptsOf(repeated)).toMatchObject([{ type: 'repeat' }]);
    // Only files attached later stay.
    expect(repeated.state.attachments).toEqual([other]);
  });

  test('S4: is ordinary text once it was edited, and above that of a person who did not see it', () => {
    const later: StateChange = (now) => onKey({ ...now, now: 5000 }, { type: 'text', text: ' or' });
    expect(play(unanswered.state, later, '/two').text).toBe('one or/two');
    expect(play(unanswered.state, 't', 'wo').text).toBe('one\ntwo');
  });
});

test('Esc cancels /edit', () => {
  const { state, printed, text } = play(command(after('why?'), '/edit').state, ' now', escape);
  expect(printed).toEqual(['edit cancelled; the prompt is unchanged']);
  expect([text, state.branch]).toEqual(['', undefined]);
  expect(play(state, pressed('up')).text).toBe('why? now');
});

test('/undo of a failed prompt names no answer', () => {
  const missing = { role: 'assistant', content: '', model: 'origin' } as const;
  const conversation = conversationOf({ role: 'user', content: 'why?' }, missing);
  expect(command(stateOf({ conversation }), '/undo').printed).toEqual([
    'the prompt "why?" is removed; your next prompt replaces it',
  ]);
});

test('/edit in line mode shows the prompt with the names of its files, and the next line replaces it', () => {
  const state = { ...after(composePrompt({ prompt: 'why?', files: [file] })), isLineMode: true };
  const edited = play(state, lineEntered('/edit'));
  expect(edited.printed).toEqual([
    'type a new version of: why?\nattached: notes.md; /attach none removes them\nCtrl+C keeps the old version',
  ]);
  expect(promptsOf(play(edited.state, lineEntered('how?')))).toMatchObject([
    { content: 'how?', parent: undefined },
  ]);
});
