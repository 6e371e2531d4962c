import { expect, test } from 'vitest';
import { startRawMode, terminalModes } from '../../../src/terminal/device/raw-mode.ts';
import { terminalTraits } from '../../../src/terminal/device/terminal-kind.ts';
import { createMemoryDevice } from '../../support/memory-context.ts';

const traits = terminalTraits({ TERM: 'xterm-256color' });
const { enter, leave } = terminalModes(traits);

function start() {
  const memory = createMemoryDevice();
  const events: string[] = [];
  const rawMode = startRawMode(memory.device, traits, {
    onInput: (bytes) => events.push(`typed ${Buffer.from(bytes).toString()}`),
    onResize: () => events.push('resized'),
    onContinue: () => events.push('continued'),
    onEnd: () => events.push('ended'),
    finalOutput: () => 'bye',
  });
  return { ...memory, events, rawMode };
}

test('a terminal in raw mode has its modes set and reports events', () => {
  const { log, events, type, resize, hangUp } = start();
  expect(log).toEqual(['raw', enter]);
  type('a');
  resize();
  hangUp();
  expect(events).toEqual(['typed a', 'resized', 'ended']);
});

test('a terminal in raw mode is restored once when it is released', () => {
  const { log, events, rawMode, type, resize, exit, resume } = start();
  rawMode.release();
  rawMode.release();
  type('a');
  resize();
  resume();
  exit();
  expect(log).toEqual(['raw', enter, leave, 'cooked']);
  expect(events).toEqual([]);
});

test('P18 a terminal in raw mode is restored after the final output when the process ends', () => {
  const { log, exit } = start();
  exit();
  expect(log).toEqual(['raw', enter, `bye${leave}`, 'cooked']);
});

test('P18 a terminal in raw mode leaves the keyboard to another program during a pause, and nothing to restore', () => {
  const { log, events, rawMode, type, exit } = start();
  rawMode.pause();
  exit();
  type('for the editor');
  rawMode.resume();
  type('b');
  expect(log).toEqual(['raw', enter, leave, 'cooked', 'raw', enter]);
  expect(events).toEqual(['typed b']);
});

test('P19 a terminal in raw mode is restored while natter is suspended, and set again afterwards', () => {
  const { log, events, rawMode, resume, exit } = start();
  rawMode.suspend();
  expect(log).toEqual(['raw', enter, leave, 'cooked', 'stopped']);
  exit();
  expect(log).toHaveLength(5);
  resume();
  expect(log.slice(5)).toEqual(['raw', enter]);
  expect(events).toEqual(['continued']);
});

test('P19 a terminal in raw mode is set again when natter continues after an external stop', () => {
  const { log, events, resume } = start();
  resume();
  expect(log).toEqual(['raw', enter, leave, 'cooked', 'raw', enter]);
  expect(events).toEqual(['continued']);
});

test('the modes switch bracketed paste and key protocols on and off', () => {
  for (const on of ['?2004h', '>1u', '>4;1m']) expect(enter).toContain(`\u001B[${on}`);
  for (const off of ['?2004l', '<u', '>4;0m', '?25h']) expect(leave).toContain(`\u001B[${off}`);
});

test('the modes do not switch on key protocols in the Linux console, which would print them', () => {
  expect(terminalModes(terminalTraits({ TERM: 'linux' })).enter).toBe('\u001B[?2004h');
});

test('the modes reset the shape of the cursor only if natter changes it', () => {
  expect(leave).not.toContain(' q');
  expect(terminalModes({ ...traits, shapesCursor: true }).leave).toContain('\u001B[0 q');
});

test.each([
  [{ TERM: 'xterm-256color' }, { rewraps: true, resizePause: 100, cursorDrifts: false }],
  [{ TERM: 'xterm', XTERM_VERSION: 'XTerm(390)' }, { rewraps: false }],
  [{ TERM: 'linux' }, { rewraps: false, hasKeyProtocols: false }],
  [
    { TERM: 'screen', STY: '1.pts' },
    { rewraps: false, resizePause: 300 },
  ],
  [
    { TERM: 'tmux', TMUX: '/tmp/x', XTERM_VERSION: 'X' },
    { rewraps: true, resizePause: 300 },
  ],
  [{ TERM: 'tmux-256color' }, { resizePause: 300 }],
  [{ TERM_PROGRAM: 'vscode' }, { cursorDrifts: true }],
  [{ TERM_PROGRAM: 'vscode', TMUX: '/tmp/x' }, { cursorDrifts: false }],
  [{ TERM_PROGRAM: 'WezTerm' }, { cursorDrifts: false, synchronized: true }],
  [{ NATTER_NO_SYNC: '1' }, { synchronized: false }],
])('P20 X26 the terminal of %j has the traits %j', (environment, expected) => {
  expect(terminalTraits(environment)).toMatchObject(expected);
});
