import { expect, test } from 'vitest';
import { displayWidth } from '../../src/terminal/text/width.ts';
import {
  notificationSequence,
  progressSequence,
  titleSequence,
  windowModes,
} from '../../src/terminal/window.ts';
import { fc } from '../support/properties.ts';

const direct = {
  multiplexer: undefined,
  notification: undefined,
  progress: true,
  title: true,
} as const;
const tmux = { ...direct, multiplexer: 'tmux' } as const;

test('writes a title, a progress and notifications', () => {
  expect(titleSequence('tea')).toBe('\u001B]2;tea\u0007');
  expect(progressSequence('busy', direct)).toBe('\u001B]9;4;3;\u0007');
  expect(progressSequence('paused', direct)).toBe('\u001B]9;4;4;\u0007');
  expect(progressSequence('none', direct)).toBe('\u001B]9;4;0;\u0007');
  expect(progressSequence(42.9, direct)).toBe('\u001B]9;4;1;42\u0007');
  expect(progressSequence(200, direct)).toBe('\u001B]9;4;1;100\u0007');
  expect(notificationSequence('done', { ...direct, notification: 'bell' })).toBe('\u0007');
  expect(notificationSequence('4;1;50', { ...direct, notification: 'osc9' })).toBe(
    '\u001B]9;natter: 4;1;50\u0007',
  );
  expect(notificationSequence('a;b', { ...direct, notification: 'osc777' })).toBe(
    '\u001B]777;notify;natter;a,b\u0007',
  );
  expect(notificationSequence('done', { ...direct, notification: undefined })).toBe('');
});

test('passes sequences through tmux and screen, but not the bell, which both forward', () => {
  expect(notificationSequence('done', { ...tmux, notification: 'osc9' })).toBe(
    '\u001BPtmux;\u001B\u001B]9;natter: done\u0007\u001B\\',
  );
  expect(progressSequence('busy', { ...direct, multiplexer: 'screen' })).toBe(
    '\u001BP\u001B]9;4;3;\u0007\u001B\\',
  );
  expect(notificationSequence('done', { ...tmux, notification: 'bell' })).toBe('\u0007');
});

test('no text can end a sequence or begin a different one, and long texts are cut', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0007', '\u001B\\', '\u009C', '\u001B]0;x\u0007', '\r\n', 'a'.repeat(9999)),
  );
  fc.assert(
    fc.property(fc.array(texts), (parts) => {
      const text = parts.join('x');
      const title = /^\u001B\]2;([^\u0000-\u001F\u007F-\u009F]*)\u0007$/.exec(titleSequence(text));
      expect(displayWidth(title?.[1] ?? 'a'.repeat(99))).toBeLessThanOrEqual(80);
      const bytes = notificationSequence(text, { ...direct, notification: 'osc777' });
      expect(bytes).toMatch(/^\u001B\]777;notify;natter;[^\u0000-\u001F\u007F-\u009F;]*\u0007$/);
    }),
  );
});

test('puts back everything that it changes', () => {
  const ways = { ...direct, notification: 'bell', progress: true, title: true } as const;
  expect(windowModes(ways)).toEqual({
    enter: '\u001B[22;2t\u001B[?1004h',
    leave: '\u001B[?1004l\u001B]9;4;0;\u0007\u001B[23;2t',
  });
  const none = { ...direct, progress: false, title: false };
  expect(windowModes(none)).toEqual({ enter: '', leave: '' });
});
