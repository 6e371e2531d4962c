import { describe, expect, test } from 'vitest';
import { sendPrompt } from '../../../src/repl/answers/send-prompt.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { createBuffer } from '../../../src/repl/composer/text-buffer.ts';
import { initialState } from '../../../src/repl/run.ts';
import { runShellLine } from '../../../src/repl/shell/shell-command.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { runInApp } from '../../support/app.tsx';
import {
  answerEnded,
  composed,
  conversationOf,
  type Effect,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  pasted,
  play,
  pressed,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const commandsOf = ({ effects }: { readonly effects: readonly Effect[] }) =>
  effectsOf(effects, runShellLine).map(({ command }) => command);

const titleOf = ({ dialog }: ReplState) => dialog?.title;
const asksAboutPaste = 'run the pasted text in the shell?';
const asksAboutLines = 'run these 2 lines in the shell?';
const finished = answerEnded({ type: 'finished' }, conversationOf());
const lineMode = { isLineMode: true };
const newLine = pressed('j', { ctrl: true });

type Keys = Parameters<typeof play>[1][];

test.each<[string, Partial<ReplState>, Keys, string[], string[], string?]>([
  ['runs', {}, ['! ls -l ', enter], ['ls -l'], []],
  ['without a command does not run', {}, ['!!', enter], [], []],
  ['is a prompt after a space', {}, [' !important', enter], [], ['!important']],
  ['is a prompt if commands are turned off', { hasShell: false }, ['!ls', enter], [], ['!ls']],
  ['asks about several lines', {}, ['!ls', newLine, 'pwd', enter], [], [], asksAboutLines],
  ['asks about a pasted mark', {}, [pasted('!ls'), enter], [], [], asksAboutPaste],
  ['asks about pasted lines', {}, [pasted('!ls\nrm x\n'), enter], [], [], asksAboutPaste],
  ['asks about lines after it', {}, ['!', pasted('ls\nrm x'), enter], [], [], asksAboutLines],
  ['asks about a long paste', {}, ['!', pasted('x'.repeat(501)), enter], [], [], asksAboutPaste],
  ['runs if it replaces a pasted one', {}, [pasted('!ls'), interrupt, '!pwd', enter], ['pwd'], []],
  ['runs in line mode', lineMode, [lineEntered('!ls')], ['ls'], []],
  ['asks in line mode, too', lineMode, [lineEntered('!ls\npwd')], [], [], asksAboutLines],
  [
    'asks about lines after a command',
    lineMode,
    [lineEntered('/usage\n!ls\npwd')],
    [],
    [],
    asksAboutLines,
  ],
])('a line that starts with ! %s', (_what, changes, keys, commands, sent, title) => {
  const done = play(stateOf(changes), ...keys);
  expect([commandsOf(done), done.sent, titleOf(done.state)]).toEqual([commands, sent, title]);
});

test('the output of ! is attached, and the status has the start of a long command', () => {
  const { effects, state, text } = play(stateOf(), `!echo ${'a'.repeat(20)}`, enter);
  expect(effectsOf(effects, runShellLine)).toMatchObject([{ isAttached: true }]);
  expect(state.activity).toMatchObject({ type: 'task', name: `running echo ${'a'.repeat(18)}…` });
  expect(text).toBe('');
});

test('! is explained if there is no command', () => {
  expect(play(stateOf(), '!', enter).printed.join('\n')).toContain(
    'a space before ! sends the line as a prompt',
  );
});

test('a command for the shell waits while an answer streams', () => {
  const waiting = play(stateOf(), 'hello', enter, '!ls', enter);
  expect(commandsOf(waiting)).toEqual([]);
  expect(waiting.state.queue).toHaveLength(1);
  expect(commandsOf(play(waiting.state, finished))).toEqual(['ls']);
});

describe('when natter asks before it runs a command,', () => {
  test.each([
    ['an empty answer', enter],
    ['Esc', escape],
  ])('%s keeps the text', (_how, key) => {
    const { state, effects } = runInApp(stateOf(), pasted('!ls'), enter, key);
    expect([composed(state), state.dialog, effects]).toEqual(['!ls', undefined, []]);
    expect(titleOf(play(state, enter).state)).toBe(asksAboutPaste);
  });

  test('the third choice sends it, and the history has it as a prompt', () => {
    const { state, effects } = runInApp(stateOf(), pasted('!ls'), enter, typed('3'));
    expect(effectsOf(effects, sendPrompt)).toMatchObject([{ prompt: { content: '!ls' } }]);
    expect(commandsOf({ effects })).toEqual([]);
    expect(play(state, pressed('up')).text).toBe(' !ls');
  });

  test.each([
    ['clearing it', [interrupt, pressed('up')]],
    ['sending another one of the history', [pressed('up'), enter]],
    ['a look at the history', [pressed('up'), pressed('down')]],
  ])('a text that was pasted is a prompt after %s', (_what, actions) => {
    const history = createHistory(['hello']);
    const { state, text } = play(stateOf({ history }), pasted('!ls'), ...actions);
    expect(text).toBe(' !ls');
    expect(play({ ...state, activity: undefined }, enter).sent).toEqual(['!ls']);
  });

  test('it asks about the draft of an earlier session, too', () => {
    const { columns, rows, conversation, settings, service, now } = stateOf();
    const composer = createBuffer('!ls');
    const facts = { columns, rows, conversation, settings, service, now, composer };
    expect(titleOf(play(initialState(facts), enter).state)).toBe(asksAboutPaste);
  });
});

test('a question that is open when an answer ends holds the queue back', () => {
  const keys = ['hello', enter, 'next', enter, pasted('!ls'), enter, finished] as const;
  const held = play(stateOf(), ...keys).state;
  expect([titleOf(held), held.queue.length]).toEqual([asksAboutPaste, 1]);
  const answered = runInApp(held, typed('2'));
  expect(effectsOf(answered.effects, sendPrompt)).toMatchObject([{ prompt: { content: 'next' } }]);
  expect(commandsOf(play(answered.state, finished))).toEqual(['ls']);
});

test('several lines of line mode run after the question, or not', () => {
  const asked = play(stateOf(lineMode), lineEntered('!ls\npwd')).state;
  const run = play(asked, lineEntered('2'));
  expect(commandsOf(run)).toEqual(['ls\npwd']);
  expect(run.state.activity).toMatchObject({ name: 'running ls …' });
  const refused = play(asked, lineEntered(''));
  expect([refused.printed, refused.text]).toEqual([['nothing was run'], '']);
});
