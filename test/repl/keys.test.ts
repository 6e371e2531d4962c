import { describe, expect, test } from 'vitest';
import { sendPrompt } from '../../src/repl/answers/send-prompt.ts';
import { remember } from '../../src/repl/queue.ts';
import { noticeOf } from '../../src/repl/screen/App.tsx';
import { shortenPromptHint } from '../../src/repl/session.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { printNotice, print } from '../../src/repl/step.ts';
import { runInApp } from '../support/app.tsx';
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
  printed,
  stateOf,
  type StateChange,
} from '../support/repl-state.ts';

type Keys = readonly (string | StateChange)[];
type Played = ReturnType<typeof play>;

const question = { role: 'user', content: 'one' } as const;
const answered = conversationOf(question, { role: 'assistant', content: 'first answer' });
const finished = answerEnded({ type: 'finished' }, answered);
const stopped = answerEnded({ type: 'stopped', hasText: true }, answered);
const failedWith = (hint?: string) => {
  const failure = { kind: 'server_error', message: 'the service answered 500', hint } as const;
  return answerEnded({ type: 'failed', hasText: false, failure }, conversationOf(question));
};
const failed = failedWith();

const up = pressed('up');
const quitKey = pressed('d', { ctrl: true });
const stays = { state: { hasQuit: false } };
const quits = { state: { hasQuit: true } };
const longPaste = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
const slashPaste = `/quit\n${'line\n'.repeat(9)}`;
const stopping = { state: { activity: { isStopping: true } } };
/** A prompt that is answered, and a second one. */
const queued: Keys = ['one', enter, 'two', enter];
/** A sent prompt, and a draft of two lines. */
const twoLines: Keys = ['old', enter, finished, 'one\\', enter, 'two'];

/** What keys do in an empty composer. */
test.each<[string, Keys, Partial<Record<keyof Played, unknown>>]>([
  ['an exit word quits during an answer too', ['one', enter, 'exit', enter, enter], quits],
  [
    'any other key ends the question of an exit word',
    ['exit', enter, pressed('left'), enter],
    { effects: [], state: { hasQuit: false, armed: 'send' } },
  ],
  [
    'a longer prompt is text',
    ['exit', enter, ' codes?', enter],
    { sent: ['exit codes?'], text: '' },
  ],
  ['Enter sends the draft and clears the composer', ['one', enter], { sent: ['one'], text: '' }],
  ['Enter sends nothing from an empty composer', ['  ', enter], { effects: [] }],
  ['a prompt is queued during an answer', queued, { sent: ['one'] }],
  ['a queued prompt is sent when the answer ends', [...queued, finished], { sent: ['one', 'two'] }],
  [
    'a long paste is sent in full',
    [pasted(longPaste), ' what?', enter],
    { sent: [`${longPaste} what?`] },
  ],
  ['a doubled slash sends a line with one', ['//etc/hosts?', enter], { sent: ['/etc/hosts?'] }],
  ['a slash in a paste is text', [pasted(slashPaste), enter], { sent: [slashPaste] }],
  ['a command is queued during an answer', ['one', enter, '/rename', enter], { printed: [] }],
  ['an immediate command is not', ['one', enter, '/quit', enter], quits],
  ['a failed answer restores the prompt', ['one', enter, failed], { text: 'one' }],
  ['a failed answer keeps text that was typed', ['one', enter, 'two', failed], { text: 'two' }],
  [
    'a failed answer pauses the queue',
    [...queued, failed],
    { sent: ['one'], state: { isQueuePaused: true, activity: undefined } },
  ],
  [
    'the queue continues with Enter',
    [...queued, failed, interrupt, enter],
    { sent: ['one', 'two'], state: { queue: [] } },
  ],
  ['Esc stops an answer', ['one', enter, escape], stopping],
  ['Ctrl+C stops an answer', ['one', enter, interrupt], stopping],
  [
    'a stopped answer can be resumed',
    ['one', enter, escape, stopped],
    { printed: ['stopped; /continue resumes it'] },
  ],
  ['Ctrl+C clears the draft', ['draft', interrupt], { text: '', ...stays }],
  ['Ctrl+C moves the draft to the history', ['draft', interrupt, up], { text: 'draft' }],
  ['P7 Ctrl+C twice quits', [interrupt, interrupt], quits],
  ['P7 Ctrl+C twice quits after a draft', ['draft', interrupt, interrupt], quits],
  ['P7 Ctrl+C twice quits only in a row', [interrupt, 'x', interrupt], stays],
  ['P7 Ctrl+D quits if the composer is empty', [quitKey], quits],
  ['P7 Ctrl+D deletes in a draft', ['ab', pressed('home'), quitKey], { text: 'b', ...stays }],
  [
    'Up and Down keep the draft',
    ['old', enter, finished, 'draft', up, pressed('down')],
    { text: 'draft' },
  ],
  ['Up moves within the text first', [...twoLines, up, 'X'], { text: 'oneX\ntwo' }],
  ['Up moves to the history from the first line', [...twoLines, up, up], { text: 'old' }],
  ['Up takes the last queued prompt back', [...queued, up], { text: 'two', state: { queue: [] } }],
])('%s', (_, keys, expected) => {
  expect(play(stateOf(), ...keys)).toMatchObject(expected);
});

test.each<[string, ...Keys]>([
  ['a backslash and Enter', '\\', enter],
  ['Shift+Enter', pressed('enter', { shift: true })],
  ['Alt+Enter', pressed('enter', { alt: true })],
  ['Ctrl+J', pressed('j', { ctrl: true })],
])('%s start a line', (_, ...keys) => {
  expect(play(stateOf(), 'one', ...keys, 'two')).toMatchObject({ text: 'one\ntwo', effects: [] });
});

test.each(['exit', 'quit', ':q', ':q!', ':qa', ':qa!', ':wq', ':wqa', ':x', ':xa', ' exit '])(
  'Y18: %j alone quits after a confirmation',
  (word) => {
    const asked = play(stateOf(), word, enter);
    expect(asked.effects).toEqual([]);
    expect(noticeOf(asked.state)).toBe('press Enter again to quit');
    expect(play(asked.state, enter)).toMatchObject({ text: '', ...quits });
  },
);

test('Y18: an exit word quits in line mode when it is typed again', () => {
  const asked = play(stateOf({ isLineMode: true }), lineEntered('exit'));
  expect(asked.printed).toEqual(['type exit again to quit; add words to send it as a prompt']);
  expect(play(asked.state, lineEntered('quit')).state.hasQuit).toBe(true);
  const other = play(asked.state, lineEntered('one'), lineEntered('exit'));
  expect(other.state).toMatchObject({ hasQuit: false, armed: 'send' });
});

test('Ctrl+C cancels a question, and pressed again does not quit', () => {
  const cancel = (state: ReplState) => printNotice({ ...state, dialog: undefined }, 'cancelled');
  const dialog = { type: 'choice', title: 'replace it?', choices: [], cancel } as const;
  const cancelled = runInApp(stateOf({ dialog }), interrupt);
  expect(printed(cancelled.effects)).toEqual(['cancelled']);
  expect(play(cancelled.state, interrupt).state.hasQuit).toBe(false);
});

describe('what is sent', () => {
  test.each<[string, Keys, object]>([
    ['the place after the last answer', ['one', enter, finished, 'two', enter], { parent: 't2' }],
    [
      'D16 the place of a prompt without an answer',
      ['one', enter, failed, enter],
      { content: 'one', parent: undefined },
    ],
    [
      'the marker of a long paste, to show it',
      [pasted(longPaste), ' what?', enter],
      { shown: '[paste #1, 100 lines] what?' },
    ],
  ])('has %s', (_, keys, prompt) => {
    expect(effectsOf(play(stateOf(), ...keys).effects, sendPrompt).at(-1)).toMatchObject({
      prompt,
    });
  });

  test.each([
    ['one', 'one'],
    [pasted(slashPaste), `/${slashPaste}`],
  ])('is in the history, with an escaped slash', (text, input) => {
    const { effects } = play(stateOf(), text, enter);
    expect(effectsOf(effects, remember)).toEqual([{ type: 'remember', input }]);
  });
});

test.each([
  ['Y18: one line with cause and hint', undefined, 'Enter sends it again'],
  ['R2: a hint of its own for a prompt that is too long', shortenPromptHint, shortenPromptHint],
])('a failed answer prints %s', (_, given, hint) => {
  const { effects } = play(stateOf(), 'one', enter, failedWith(given));
  expect(effectsOf(effects, print).at(-1)?.entries).toMatchObject([
    { message: 'the service answered 500', hint },
  ]);
});
