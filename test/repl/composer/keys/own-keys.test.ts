import { describe, expect, test } from 'vitest';
import {
  keyBindings,
  actionOf,
  ownKeyMap,
  parseChord,
  parseOwnKeys,
  storedKeys,
} from '../../../../src/repl/composer/keys/key-bindings.ts';

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
    [{ undo: 'ctrl+g' }, 'ctrl+g of undo is the key of open-editor, too', /keys\.open-editor none/],
    [{ undo: 'ctrl+c' }, 'ctrl+c of undo is the key of interrupt, too', /keys\.interrupt/],
    [{ send: 'none' }, 'keys.send: send needs a key', /for example/],
    [{ undo: '' }, 'keys.undo: "" is not a key', /for example/],
  ])('%j are refused', (own, message, hint) => {
    const expected = { kind: 'usage', message, hint: expect.stringMatching(hint) };
    expect(() => parseOwnKeys(own)).toThrow(expect.objectContaining(expected));
  });

  test('the search has separate keys', () => {
    expect(() => parseOwnKeys({ 'search-cancel': 'ctrl+a' })).not.toThrow();
  });
});
