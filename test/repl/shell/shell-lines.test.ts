import { describe, expect, test } from 'vitest';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { createBuffer, draftFrom } from '../../../src/repl/composer/text-buffer.ts';
import { initialState } from '../../../src/repl/initial-state.ts';
import { asPrompt, commandName, readShellLine } from '../../../src/repl/shell/shell-lines.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { runInApp } from '../../support/app.tsx';
import {
  answerEnded,
  composed,
  conversationOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  pasted,
  pressed,
  printed,
  run,
  stateOf,
  taskEnded,
  typed,
} from '../../support/repl-state.ts';

const commandsOf = (...results: readonly ReturnType<typeof run>[]) =>
  results.flatMap(({ effects }) => effectsOf(effects, 'run-shell').map(({ command }) => command));

const promptOf = ({ effects }: ReturnType<typeof run>) => {
  const [sent] = effectsOf(effects, 'send');
  return sent?.prompt.type === 'new' ? sent.prompt.content : undefined;
};

const titleOf = ({ dialog }: ReplState) => dialog?.title;

describe('a typed line that starts with !', () => {
  test('runs, and its output is attached', () => {
    const { effects, state } = run(stateOf(), typed('!ls -l'), enter);
    expect(effectsOf(effects, 'run-shell')).toEqual([
      { type: 'run-shell', command: 'ls -l', isAttached: true },
    ]);
    expect(state.activity).toMatchObject({ type: 'task', name: 'running ls -l' });
    expect(composed(state)).toBe('');
  });

  test('is explained if there is no command', () => {
    const { effects } = run(stateOf(), typed('!'), enter);
    expect(printed(effects).join('\n')).toContain('a space before ! sends the line as a prompt');
    expect(effectsOf(effects, 'run-shell')).toEqual([]);
  });

  test('is in the history', () => {
    const { state } = run(stateOf(), typed('!ls'), enter, taskEnded, pressed('up'));
    expect(composed(state)).toBe('!ls');
    expect(commandsOf(run(state, enter))).toEqual(['ls']);
  });

  test('waits while an answer streams', () => {
    const asked = run(stateOf(), typed('hello'), enter);
    const { state, effects } = run(asked.state, typed('!ls'), enter);
    expect(effectsOf(effects, 'run-shell')).toEqual([]);
    expect(state.queue).toHaveLength(1);
    const ended = run(state, answerEnded({ type: 'finished' }, conversationOf()));
    expect(commandsOf(ended)).toEqual(['ls']);
  });

  test('is a prompt after a space', () => {
    expect(promptOf(run(stateOf(), typed(' !important'), enter))).toBe('!important');
  });

  test('is a prompt if commands are turned off', () => {
    const result = run(stateOf({ hasShell: false }), typed('!ls'), enter);
    expect(promptOf(result)).toBe('!ls');
    expect(commandsOf(result)).toEqual([]);
  });

  test('has no meaning further down', () => {
    const result = run(stateOf(), typed('a'), pressed('j', { ctrl: true }), typed('!ls'), enter);
    expect(promptOf(result)).toBe('a\n!ls');
  });
});

describe('before it runs, natter asks about', () => {
  test.each([
    [
      'several lines',
      [typed('!ls'), pressed('j', { ctrl: true }), typed('pwd')],
      'run these 2 lines in the shell?',
    ],
    ['a pasted mark', [pasted('!ls')], 'run the pasted text in the shell?'],
    ['pasted lines', [pasted('!ls\nrm x\n')], 'run the pasted text in the shell?'],
    [
      'lines pasted after the mark',
      [typed('!'), pasted('ls\nrm x')],
      'run these 2 lines in the shell?',
    ],
    ['a long paste', [typed('!'), pasted('x'.repeat(501))], 'run the pasted text in the shell?'],
  ])('%s', (_what, actions, title) => {
    const { state, effects } = run(stateOf(), ...actions, enter);
    expect(effectsOf(effects, 'run-shell')).toEqual([]);
    expect(effectsOf(effects, 'send')).toEqual([]);
    expect(titleOf(state)).toBe(title);
  });

  test('an empty answer keeps the text', () => {
    const { state, effects } = runInApp(stateOf(), pasted('!ls'), enter, enter);
    expect(composed(state)).toBe('!ls');
    expect(effects).toEqual([]);
    expect(titleOf(run(state, enter).state)).toBe('run the pasted text in the shell?');
  });

  test('Esc keeps the text', () => {
    const { state } = runInApp(stateOf(), pasted('!ls'), enter, escape);
    expect([composed(state), state.dialog]).toEqual(['!ls', undefined]);
  });

  test('the third choice sends it, and the history has it as a prompt', () => {
    const sent = runInApp(stateOf(), pasted('!ls'), enter, typed('3'));
    expect(promptOf(sent)).toBe('!ls');
    expect(commandsOf(sent)).toEqual([]);
    const { state } = run(sent.state, pressed('up'));
    expect(composed(state)).toBe(' !ls');
  });

  test.each([
    ['clearing it', [interrupt, pressed('up')]],
    ['sending another one of the history', [pressed('up'), enter]],
    ['a look at the history', [pressed('up'), pressed('down')]],
  ])('a text that was pasted is a prompt after %s', (_what, actions) => {
    const history = createHistory(['hello']);
    const { state } = run(stateOf({ history }), pasted('!ls'), ...actions);
    expect(composed(state)).toBe(' !ls');
    expect(promptOf(run({ ...state, activity: undefined }, enter))).toBe('!ls');
  });

  test('the draft of an earlier session', () => {
    const { columns, rows, conversation, settings, service, now } = stateOf();
    const composer = createBuffer('!ls');
    const facts = { columns, rows, conversation, settings, service, now, composer };
    expect(titleOf(run(initialState(facts), enter).state)).toBe(
      'run the pasted text in the shell?',
    );
  });
});

describe('a question that is open when an answer ends', () => {
  const finished = answerEnded({ type: 'finished' }, conversationOf());
  const asking = () =>
    run(stateOf(), typed('hello'), enter, typed('next'), enter, pasted('!ls'), enter, finished)
      .state;

  test('holds the queue back until it is cancelled', () => {
    const held = asking();
    expect([titleOf(held), held.queue.length]).toEqual(['run the pasted text in the shell?', 1]);
    const cancelled = runInApp(held, escape);
    expect([promptOf(cancelled), composed(cancelled.state)]).toEqual(['next', '!ls']);
  });

  test('holds the queue back until it is answered', () => {
    const answered = runInApp(asking(), typed('2'));
    expect([promptOf(answered), answered.state.queue.length]).toEqual(['next', 1]);
    expect(commandsOf(run(answered.state, finished))).toEqual(['ls']);
  });
});

test('a typed mark replaces a pasted one', () => {
  const { state } = run(stateOf(), pasted('!ls'), interrupt, typed('!pwd'));
  expect(commandsOf(run(state, enter))).toEqual(['pwd']);
});

describe('in line mode', () => {
  test('a line runs', () => {
    expect(commandsOf(run(stateOf({ isLineMode: true }), lineEntered('!ls')))).toEqual(['ls']);
  });

  test('several lines run only after a question', () => {
    const asked = run(stateOf({ isLineMode: true }), lineEntered('!ls\npwd'));
    expect(commandsOf(asked)).toEqual([]);
    expect(commandsOf(run(asked.state, lineEntered('2')))).toEqual(['ls\npwd']);
    const refused = run(asked.state, lineEntered(''));
    expect(printed(refused.effects)).toEqual(['nothing was run']);
    expect(composed(refused.state)).toBe('');
  });

  test('the lines after a command do not run', () => {
    const result = run(stateOf({ isLineMode: true }), lineEntered('/usage\n!ls\npwd'));
    expect(commandsOf(result)).toEqual([]);
    expect(titleOf(result.state)).toBe('run these 2 lines in the shell?');
  });
});

test('a prompt of the command line is not a command', () => {
  expect(asPrompt(draftFrom('!ls')).text).toBe(' !ls');
  expect(asPrompt(draftFrom('ls')).text).toBe('ls');
});

test.each([
  ['!ls -l', 'ls -l', true],
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
