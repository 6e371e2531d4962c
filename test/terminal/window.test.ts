import { expect, test } from 'vitest';
import { displayWidth } from '../../src/terminal/text/width.ts';
import {
  createTerminalWindow,
  type WindowProgress,
  type WindowSettings,
  windowWays,
  type WindowWays,
} from '../../src/terminal/window.ts';
import { expectForAll, fc } from '../support/properties.ts';

const automatic: WindowSettings = { notify: 'auto', progress: 'auto', title: 'auto' };
const xterm = { TERM: 'xterm-256color' };

test.each([
  ['xterm', xterm, 'bell', false, true],
  ['iTerm2', { ...xterm, TERM_PROGRAM: 'iTerm.app' }, 'osc9', false, true],
  ['iTerm2 over SSH', { ...xterm, LC_TERMINAL: 'iTerm2' }, 'osc9', false, true],
  ['kitty', { TERM: 'xterm-kitty' }, 'osc9', false, true],
  ['foot', { TERM: 'foot' }, 'osc777', false, true],
  ['ghostty', { TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }, 'osc9', true, true],
  ['Windows Terminal', { ...xterm, WT_SESSION: '1' }, 'bell', true, false],
  ['ConEmu', { ...xterm, ConEmuANSI: 'ON' }, 'bell', true, false],
  ['a new GNOME Terminal', { ...xterm, VTE_VERSION: '8000' }, 'bell', true, true],
  ['an old GNOME Terminal', { ...xterm, VTE_VERSION: '7600' }, 'bell', false, true],
  ['Terminal.app', { ...xterm, TERM_PROGRAM: 'Apple_Terminal' }, 'bell', false, false],
  ['Konsole', { ...xterm, KONSOLE_VERSION: '231200' }, 'bell', false, false],
  ['tmux', { TERM: 'tmux-256color', TMUX: '/tmp/t', LC_TERMINAL: 'iTerm2' }, 'bell', false, true],
  ['screen', { TERM: 'screen', STY: '1.a' }, 'bell', false, false],
  ['the Linux console', { TERM: 'linux' }, 'bell', false, false],
  ['an unknown terminal', {}, 'bell', false, false],
  ['a dumb terminal', { TERM: 'dumb' }, undefined, false, false],
])(
  'writes by default only what %s understands and restores',
  (_, environment, notification, progress, title) => {
    expect(windowWays(automatic, environment)).toMatchObject({ notification, progress, title });
  },
);

test('follows the settings in place of the defaults', () => {
  const on = { notify: 'osc777', progress: 'on', title: 'on' } as const;
  const all = { notification: 'osc777', progress: true, title: true };
  expect(windowWays(on, { ...xterm, STY: '1.a' })).toEqual({ ...all, multiplexer: 'screen' });
  const off = { notify: 'off', progress: 'off', title: 'off' } as const;
  const none = { notification: undefined, progress: false, title: false, multiplexer: undefined };
  expect(windowWays(off, { TERM: 'xterm-kitty' })).toEqual(none);
});

test.each(['dumb', 'linux'])('writes no sequences to TERM=%s, whatever is set', (name) => {
  const on = { notify: 'osc9', progress: 'on', title: 'on' } as const;
  const ways = windowWays(on, { TERM: name });
  expect(ways).toMatchObject({ progress: false, title: false });
  expect(ways.notification).not.toBe('osc9');
});

const direct = {
  multiplexer: undefined,
  notification: undefined,
  progress: true,
  title: true,
} as const;
const tmux = { ...direct, multiplexer: 'tmux' } as const;

/** What a new window writes. */
function written(
  ways: WindowWays,
  use: (window: ReturnType<typeof createTerminalWindow>) => void,
): string {
  const sequences: string[] = [];
  use(createTerminalWindow(ways, (sequence) => sequences.push(sequence)));
  return sequences.join('');
}

const titleBytes = (text: string) =>
  written({ ...direct, progress: false }, (window) => window.show(text, 'none'));
const progressBytes = (progress: WindowProgress, ways: WindowWays = direct) =>
  written({ ...ways, title: false }, (window) => window.show('', progress));
const notificationBytes = (text: string, ways: WindowWays) =>
  written(ways, (window) => window.notify(text));

test('writes a title, a progress and notifications', () => {
  expect(titleBytes('tea')).toBe('\u001B]2;tea\u0007');
  expect(progressBytes('busy')).toBe('\u001B]9;4;3;\u0007');
  expect(progressBytes('paused')).toBe('\u001B]9;4;4;\u0007');
  expect(progressBytes('none')).toBe('');
  expect(progressBytes(42.9)).toBe('\u001B]9;4;1;42\u0007');
  expect(progressBytes(200)).toBe('\u001B]9;4;1;100\u0007');
  expect(notificationBytes('done', { ...direct, notification: 'bell' })).toBe('\u0007');
  expect(notificationBytes('4;1;50', { ...direct, notification: 'osc9' })).toBe(
    '\u001B]9;natter: 4;1;50\u0007',
  );
  expect(notificationBytes('a;b', { ...direct, notification: 'osc777' })).toBe(
    '\u001B]777;notify;natter;a,b\u0007',
  );
  expect(notificationBytes('done', { ...direct, notification: undefined })).toBe('');
});

test('writes a progress again only if it has changed', () => {
  const bytes = written({ ...direct, title: false }, (window) => {
    window.show('', 'busy');
    window.show('', 'busy');
    window.show('', 'none');
    window.show('', 'none', 1);
  });
  expect(bytes).toBe('\u001B]9;4;3;\u0007\u001B]9;4;0;\u0007');
});

test('passes sequences through tmux and screen, but not the bell, which both forward', () => {
  expect(notificationBytes('done', { ...tmux, notification: 'osc9' })).toBe(
    '\u001BPtmux;\u001B\u001B]9;natter: done\u0007\u001B\\',
  );
  expect(progressBytes('busy', { ...direct, multiplexer: 'screen' })).toBe(
    '\u001BP\u001B]9;4;3;\u0007\u001B\\',
  );
  expect(notificationBytes('done', { ...tmux, notification: 'bell' })).toBe('\u0007');
});

test('no text can end a sequence or begin a different one, and long texts are cut', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0007', '\u001B\\', '\u009C', '\u001B]0;x\u0007', '\r\n', 'a'.repeat(9999)),
  );
  expectForAll(fc.array(texts), (parts) => {
    const text = `x${parts.join('x')}`;
    const title = /^\u001B\]2;([^\u0000-\u001F\u007F-\u009F]*)\u0007$/.exec(titleBytes(text));
    expect(displayWidth(title?.[1] ?? 'a'.repeat(99))).toBeLessThanOrEqual(80);
    const bytes = notificationBytes(text, { ...direct, notification: 'osc777' });
    expect(bytes).toMatch(/^\u001B\]777;notify;natter;[^\u0000-\u001F\u007F-\u009F;]*\u0007$/);
  });
});

test('puts back everything that it changes', () => {
  const ways = { ...direct, notification: 'bell', progress: true, title: true } as const;
  expect(createTerminalWindow(ways, () => undefined).modes).toEqual({
    enter: '\u001B[22;2t\u001B[?1004h',
    leave: '\u001B[?1004l\u001B]9;4;0;\u0007\u001B[23;2t',
  });
  const none = { ...direct, progress: false, title: false };
  expect(createTerminalWindow(none, () => undefined).modes).toEqual({ enter: '', leave: '' });
});
