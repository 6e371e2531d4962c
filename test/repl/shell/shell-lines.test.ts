import { describe, expect, test } from 'vitest';
import { sendPrompt } from '../../../src/repl/answers/send-prompt.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { createBuffer } from '../../../src/repl/composer/text-buffer.ts';
import { initialState } from '../../../src/repl/run.ts';
import { commandName, readShellLine, runShellLine } from '../../../src/repl/shell/shell-command.ts';
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
const finished = answerEnded({ type: 'finished' }, conversationOf());

describe('a typed line that starts with !', () => {
  test('runs, and its output is attached', () => {
    const { effects, state, text } = play(stateOf(), '!ls -l', enter);
    expect(effectsOf(effects, runShellLine)).toEqual([
      { type: 'runShellLine', command: 'ls -l', isAttached: true },
    ]);
    expect(state.activity).toMatchObject({ type: 'task', name: 'running ls -l' });
    expect(text).toBe('');
  });

  test('is explained if there is no command', () => {
    const { effects, printed } = play(stateOf(), '!', enter);
    expect(printed.join('\n')).toContain('a space before ! sends the line as a prompt');
    expect(commandsOf({ effects })).toEqual([]);
  });

  test('waits while an answer streams', () => {
    const waiting = play(stateOf(), 'hello', enter, '!ls', enter);
    expect(commandsOf(waiting)).toEqual([]);
    expect(waiting.state.queue).toHaveLength(1);
    expect(commandsOf(play(waiting.state, finished))).toEqual(['ls']);
  });

  test('is a prompt after a space, or if commands are turned off', () => {
    expect(play(stateOf(), ' !important', enter).sent).toEqual(['!important']);
    const { effects, sent } = play(stateOf({ hasShell: false }), '!ls', enter);
    expect([sent, commandsOf({ effects })]).toEqual([['!ls'], []]);
  });
});

describe('before it runs, natter asks about', () => {
  const newLine = pressed('j', { ctrl: true });

  test.each([
    ['several lines', [typed('!ls'), newLine, typed('pwd')], 'run these 2 lines in the shell?'],
    ['a pasted mark', [pasted('!ls')], asksAboutPaste],
    ['pasted lines', [pasted('!ls\nrm x\n')], asksAboutPaste],
    [
      'lines pasted after the mark',
      [typed('!'), pasted('ls\nrm x')],
      'run these 2 lines in the shell?',
    ],
    ['a long paste', [typed('!'), pasted('x'.repeat(501))], asksAboutPaste],
  ])('%s', (_what, actions, title) => {
    const { state, effects, sent } = play(stateOf(), ...actions, enter);
    expect([commandsOf({ effects }), sent]).toEqual([[], []]);
    expect(titleOf(state)).toBe(title);
  });

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

  test('the draft of an earlier session', () => {
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

test('a typed mark replaces a pasted one', () => {
  expect(commandsOf(play(stateOf(), pasted('!ls'), interrupt, '!pwd', enter))).toEqual(['pwd']);
});

describe('in line mode', () => {
  const lineMode = stateOf({ isLineMode: true });

  test('several lines run only after a question', () => {
    expect(commandsOf(play(lineMode, lineEntered('!ls')))).toEqual(['ls']);
    const asked = play(lineMode, lineEntered('!ls\npwd'));
    expect(commandsOf(asked)).toEqual([]);
    expect(commandsOf(play(asked.state, lineEntered('2')))).toEqual(['ls\npwd']);
    const refused = play(asked.state, lineEntered(''));
    expect([refused.printed, refused.text]).toEqual([['nothing was run'], '']);
  });

  test('the lines after a command do not run', () => {
    const { state, effects } = play(lineMode, lineEntered('/usage\n!ls\npwd'));
    expect(commandsOf({ effects })).toEqual([]);
    expect(titleOf(state)).toBe('run these 2 lines in the shell?');
  });
});

test.each([
  ['! ls ', 'ls', true],
  ['!!make', 'make', false],
  ['!', '', true],
  ['!!', '', false],
  ['!ls\npwd', 'ls\npwd', true],
])('%j is the command %j', (text, command, isAttached) => {
  expect(readShellLine(text)).toEqual({ command, isAttached });
});

test.each([
  ['ls', 'ls'],
  ['ls\npwd', 'ls …'],
  ['a'.repeat(61), `${'a'.repeat(59)}…`],
])('%j has the name %j', (command, name) => {
  expect(commandName(command)).toBe(name);
});
