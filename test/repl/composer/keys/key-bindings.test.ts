import { describe, expect, test } from 'vitest';
import {
  actionOf,
  keyBindings,
  type KeyContext,
  keyLabel,
  ownKeyMap,
  parseChord,
  storedKeys,
} from '../../../../src/repl/composer/keys/key-bindings.ts';
import { chordOf } from '../../../../src/repl/composer/keys/key-event.ts';
import { KeyParser } from '../../../../src/repl/composer/keys/key-parser.ts';

function actionsFor(input: string, context: KeyContext = 'composer'): (string | undefined)[] {
  return new KeyParser()
    .feed(input)
    .map((event) => (event.type === 'key' ? actionOf(chordOf(event), context) : event.type));
}

test.each([
  ['Ctrl+J', '\n'],
  ['Alt+Enter', '\u001B\r'],
  ['Shift+Enter under the kitty protocol', '\u001B[13;2u'],
  ['Shift+Enter under modifyOtherKeys', '\u001B[27;2;13~'],
])('%s inserts a line end', (_, input) => {
  expect(actionsFor(input)).toEqual(['new-line']);
});

test.each([
  ['Ctrl+_', '\u001F', 'undo'],
  ['Ctrl+_ under the kitty protocol', '\u001B[45;6u', 'undo'],
  ['Alt+<', '\u001B<', 'move-text-start'],
  ['Ctrl+Backspace under the kitty protocol', '\u001B[127;5u', 'kill-word-left'],
  ['Ctrl+C', '\u0003', 'interrupt'],
])('%s is bound', (_, input, action) => {
  expect(actionsFor(input)).toEqual([action]);
});

test('with an open completion menu, the composer gets the other keys', () => {
  expect(actionsFor('\t\r\u0001\u0003', 'completion')).toEqual([
    'completion-tab',
    'completion-accept',
    'move-line-start',
    'interrupt',
  ]);
});

test('during a search, the keys of the composer do nothing', () => {
  expect(actionsFor('\u0012\u0001\u0003', 'search')).toEqual([
    'search-older',
    undefined,
    'interrupt',
  ]);
});

test('no key is bound twice in one context', () => {
  const chords = keyBindings.flatMap(({ keys, when }) => keys.map((key) => `${when} ${key}`));
  expect(new Set(chords).size).toBe(chords.length);
  const anywhere = keyBindings.filter(({ when }) => when === 'anywhere');
  const taken = new Set(anywhere.flatMap(({ keys }) => keys));
  const others = keyBindings.filter(({ when }) => when !== 'anywhere');
  expect(others.flatMap(({ keys }) => keys).filter((key) => taken.has(key))).toEqual([]);
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

describe('a key', () => {
  test.each([
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
  ])('%s is %s', (typed, chord) => {
    expect(parseChord(typed)).toBe(chord);
  });

  test.each([
    ['hyper+x', '"hyper+x" is not a key'],
    ['ctrl+foo', '"ctrl+foo" is not a key'],
    ['f13', '"f13" is not a key'],
    ['x', 'x types text, so it cannot be a key of an action'],
    ['shift+x', 'shift+x types text, so it cannot be a key of an action'],
    ['ctrl+i', 'terminals send ctrl+i as Tab'],
    ['ctrl+m', 'terminals send ctrl+m as Enter'],
  ])('%s is refused', (typed, message) => {
    expect(() => parseChord(typed)).toThrow(expect.objectContaining({ message }));
  });

  test('every default key is one', () => {
    for (const key of keyBindings.flatMap(({ keys }) => keys)) expect(parseChord(key)).toBe(key);
  });
});

test('several keys are stored in one spelling, each once', () => {
  expect(storedKeys('undo', 'Ctrl-X, alt+s ctrl+x')).toBe('ctrl+x alt+s');
  expect(storedKeys('undo', 'None')).toBe('none');
});

describe('the keys of a profile', () => {
  test('replace the default ones', () => {
    const map = ownKeyMap({ 'open-editor': 'f4', undo: 'none' }, 'work');
    const actions = ['f4', 'ctrl+g', 'ctrl+_', 'ctrl+r'].map((key) =>
      actionOf(key, 'composer', map),
    );
    expect(actions).toEqual(['open-editor', undefined, undefined, 'search-start']);
  });

  test('may take over a key that its action has given up', () => {
    const own = { 'open-editor': 'none', 'search-start': 'ctrl+g' };
    expect(actionOf('ctrl+g', 'composer', ownKeyMap(own, 'work'))).toBe('search-start');
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
  ])('%j are refused', (own, message, hint) => {
    const expected = { kind: 'usage', message, hint: expect.stringMatching(hint) };
    expect(() => ownKeyMap(own)).toThrow(expect.objectContaining(expected));
  });

  test('the search has separate keys', () => {
    expect(() => ownKeyMap({ 'search-cancel': 'ctrl+a' })).not.toThrow();
  });
});
