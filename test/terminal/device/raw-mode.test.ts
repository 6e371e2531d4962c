import { describe, expect, test } from 'vitest';
import { startRawMode, terminalModes } from '../../../src/terminal/device/raw-mode.ts';
import { terminalTraits } from '../../../src/terminal/device/traits.ts';
import { createMemoryDevice } from '../../support/memory-device.ts';

const traits = terminalTraits({ TERM: 'xterm-256color' });
const { enter, leave } = terminalModes(traits);

function hold() {
  const memory = createMemoryDevice();
  const events: string[] = [];
  const held = startRawMode(memory.device, traits, {
    onInput: (bytes) => events.push(`typed ${Buffer.from(bytes).toString()}`),
    onResize: () => events.push('resized'),
    onContinue: () => events.push('continued'),
    onEnd: () => events.push('ended'),
    finalOutput: () => 'bye',
  });
  return { ...memory, events, held };
}

describe('a terminal that is held', () => {
  test('is raw, its modes are set, and it tells what happens', () => {
    const { log, events, type, resize, hangUp } = hold();
    expect(log).toEqual(['raw', enter]);
    type('a');
    resize();
    hangUp();
    expect(events).toEqual(['typed a', 'resized', 'ended']);
  });

  test('is brought back when it is released, once', () => {
    const { log, events, held, type, resize, exit, resume } = hold();
    held.release();
    held.release();
    type('a');
    resize();
    resume();
    exit();
    expect(log).toEqual(['raw', enter, leave, 'cooked']);
    expect(events).toEqual([]);
  });

  test('P18 is brought back after the last words when the process ends', () => {
    const { log, exit } = hold();
    exit();
    expect(log).toEqual(['raw', enter, `bye${leave}`, 'cooked']);
  });

  test('leaves the keyboard to another program in a pause', () => {
    const { log, events, held, type } = hold();
    held.pause();
    type('for the editor');
    held.resume();
    type('b');
    expect(log).toEqual(['raw', enter, leave, 'cooked', 'raw', enter]);
    expect(events).toEqual(['typed b']);
  });

  test('P18 has nothing to bring back when the process ends in a pause', () => {
    const { log, held, exit } = hold();
    held.pause();
    exit();
    expect(log).toEqual(['raw', enter, leave, 'cooked']);
  });

  test('P19 is given back while natter is stopped, and taken again', () => {
    const { log, events, held, resume, exit } = hold();
    held.suspend();
    expect(log).toEqual(['raw', enter, leave, 'cooked', 'stopped']);
    exit();
    expect(log).toHaveLength(5);
    resume();
    expect(log.slice(5)).toEqual(['raw', enter]);
    expect(events).toEqual(['continued']);
  });

  test('P19 is set up anew when natter goes on after a stop from outside', () => {
    const { log, events, resume } = hold();
    resume();
    expect(log).toEqual(['raw', enter, leave, 'cooked', 'raw', enter]);
    expect(events).toEqual(['continued']);
  });
});

describe('the modes', () => {
  test('ask for marked pastes and exact keys, and take all of it back', () => {
    expect(enter).toContain('\u001B[?2004h');
    expect(enter).toContain('\u001B[>1u');
    expect(enter).toContain('\u001B[>4;1m');
    expect(leave).toContain('\u001B[?2004l');
    expect(leave).toContain('\u001B[<u');
    expect(leave).toContain('\u001B[>4;0m');
    expect(leave).toContain('\u001B[?25h');
  });

  test('do not ask the Linux console for keys: it would show the question', () => {
    expect(terminalModes(terminalTraits({ TERM: 'linux' })).enter).toBe('\u001B[?2004h');
  });
});

describe('the traits', () => {
  test.each([
    ['most terminals rewrap', { TERM: 'xterm-256color' }, true],
    ['xterm itself does not', { TERM: 'xterm', XTERM_VERSION: 'XTerm(390)' }, false],
    ['the Linux console does not', { TERM: 'linux' }, false],
    ['GNU screen does not', { TERM: 'screen', STY: '1.pts' }, false],
    ['tmux does, in xterm too', { TERM: 'tmux', TMUX: '/tmp/x', XTERM_VERSION: 'X' }, true],
  ])('%s', (_, environment, rewraps) => {
    expect(terminalTraits(environment).rewraps).toBe(rewraps);
  });

  test.each([
    [{ TERM: 'xterm-256color' }, 100],
    [{ TERM: 'xterm-256color', TMUX: '/tmp/x' }, 300],
    [{ TERM: 'tmux-256color' }, 300],
    [{ TERM: 'screen-256color' }, 300],
  ])('P20 of %o: a new size must hold for %i ms', (environment, pause) => {
    expect(terminalTraits(environment).resizePause).toBe(pause);
  });

  test('synchronized updates can be switched off', () => {
    expect(terminalTraits({}).synchronized).toBe(true);
    expect(terminalTraits({ NATTER_NO_SYNC: '1' }).synchronized).toBe(false);
  });
});
