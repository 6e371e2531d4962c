import { expect, test } from 'vitest';
import {
  keyBindings,
  keyLabel,
  actionOf,
  type KeyContext,
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
