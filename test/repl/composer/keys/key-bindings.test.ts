import { describe, expect, test } from 'vitest';
import {
  actionOf,
  keyBindings,
  type KeyContext,
  keyLabel,
  ownKeyMap,
  storedKeys,
} from '../../../../src/repl/composer/keys/key-bindings.ts';
import { keyPress } from '../../../../src/repl/composer/keys/key-event.ts';
import { readKeys } from './open-keys.ts';

test.each<[string, string, KeyContext, (string | undefined)[]]>([
  ['Shift+Enter under the kitty protocol', '\u001B[13;2u', 'composer', ['new-line']],
  ['Shift+Enter under modifyOtherKeys', '\u001B[27;2;13~', 'composer', ['new-line']],
  ['Ctrl+_ under the kitty protocol', '\u001B[45;6u', 'composer', ['undo']],
  ['Alt+<', '\u001B<', 'composer', ['move-text-start']],
  ['Ctrl+Backspace under the kitty protocol', '\u001B[127;5u', 'composer', ['kill-word-left']],
  [
    'with an open menu, which leaves keys to the composer',
    '\t\r\u0001\u0003',
    'completion',
    ['completion-tab', 'completion-accept', 'move-line-start', 'interrupt'],
  ],
  ['during a search', '\u0012\u0001\u0003', 'search', ['search-older', undefined, 'interrupt']],
])('the keys of %s are bound', (_, input, context, actions) => {
  const bound = readKeys(input).map((event) => actionOf(event, context));
  expect(bound).toEqual(actions);
});

test('no key is bound twice in one context', () => {
  const own = Object.fromEntries(keyBindings.map(({ action, keys }) => [action, keys.join(' ')]));
  expect(ownKeyMap(own)).toEqual(keyBindings);
});

test.each([
  ['ctrl+a', 'Ctrl+A'],
  ['alt+shift+,', 'Alt+Shift+,'],
  ['pageup', 'PgUp'],
  ['alt+pagedown', 'Alt+PgDn'],
  ['escape', 'Esc'],
  ['shift+right', 'Shift+Right'],
  ['ctrl+_', 'Ctrl+_'],
])('the label of %s is %s', (chord, label) => {
  expect(keyLabel(chord)).toBe(label);
});

test.each<readonly [typed: string, stored: string]>([
  ['ctrl+x', 'ctrl+x'],
  ['Ctrl-X', 'ctrl+x'],
  ['C-x', 'ctrl+x'],
  ['M-x', 'alt+x'],
  ['shift+alt+Up', 'alt+shift+up'],
  ['esc', 'escape'],
  ['F5', 'f5'],
  ['PgUp', 'pageup'],
  ['ctrl+space', 'ctrl+space'],
  ['ctrl+-', 'ctrl+-'],
  ['Ctrl-X, alt+s ctrl+x', 'ctrl+x alt+s'],
  ['None', 'none'],
  ...keyBindings.flatMap(({ keys }) => keys.map((key) => [key, key] as const)),
])('the keys %s are stored as %s', (typed, stored) => {
  expect(storedKeys('undo', typed)).toBe(stored);
});

test.each([
  ['hyper+x', '"hyper+x" is not a key'],
  ['ctrl+foo', '"ctrl+foo" is not a key'],
  ['f13', '"f13" is not a key'],
  ['x', 'x types text, so it cannot be a key of an action'],
  ['shift+x', 'shift+x types text, so it cannot be a key of an action'],
  ['ctrl+i', 'terminals send ctrl+i as Tab'],
  ['ctrl+m', 'terminals send ctrl+m as Enter'],
])('the key %s is refused', (typed, message) => {
  expect(() => storedKeys('undo', typed)).toThrow(expect.objectContaining({ message }));
});

describe('the keys of a profile', () => {
  test.each([
    ['f4', 'open-editor'],
    ['g', 'search-start'],
    ['_', undefined],
    ['r', undefined],
  ])('replace the default ones: %s is the key of %s', (name, action) => {
    const map = ownKeyMap({ 'open-editor': 'f4', undo: 'none', 'search-start': 'ctrl+g' }, 'work');
    expect(actionOf(keyPress(name, { ctrl: name !== 'f4' }), 'composer', map)).toBe(action);
  });

  test.each([
    [
      { 'open-editer': 'f4' },
      'keys.open-editer: there is no key action "open-editer"',
      'did you mean keys.open-editor?',
    ],
    [
      { undo: 'ctrl+g' },
      'keys.undo: ctrl+g is the key of open-editor, too',
      /keys\.open-editor none/,
    ],
    [{ undo: 'ctrl+c' }, 'keys.undo: ctrl+c is the key of interrupt, too', /keys\.interrupt/],
    [{ send: 'none' }, 'keys.send: send needs a key', /for example/],
    [{ undo: '' }, 'keys.undo: "" is not a key', /for example/],
    [{ undo: 'none f4' }, 'keys.undo: "none" is not a key', /for example/],
  ])('%j are refused', (own, message, hint) => {
    const expected = { kind: 'usage', message, hint: expect.stringMatching(hint) };
    expect(() => ownKeyMap(own)).toThrow(expect.objectContaining(expected));
  });

  test('the search has separate keys', () => {
    expect(() => ownKeyMap({ 'search-cancel': 'ctrl+a' })).not.toThrow();
  });
});
