import { keyPress } from './key-event.ts';
import type { KeyEvent, KeyPress, Modifiers } from './key-event.ts';

/** Last bytes of `CSI … letter` and `SS3 letter`: xterm, the VT220's keypad, rxvt (lower case, with a modifier). */
export const letterKeys: ReadonlyMap<string, KeyPress> = new Map([
  ['A', keyPress('up')],
  ['B', keyPress('down')],
  ['C', keyPress('right')],
  ['D', keyPress('left')],
  ['F', keyPress('end')],
  ['H', keyPress('home')],
  ['P', keyPress('f1')],
  ['Q', keyPress('f2')],
  ['S', keyPress('f4')],
  ['Z', keyPress('tab', { shift: true })],
  ['a', keyPress('up', { shift: true })],
  ['b', keyPress('down', { shift: true })],
  ['c', keyPress('right', { shift: true })],
  ['d', keyPress('left', { shift: true })],
]);

/** Keys only after `SS3`: F3 (`CSI R` is a cursor report), Enter of the keypad, rxvt's Ctrl and arrows. */
export const applicationKeys: ReadonlyMap<string, KeyPress> = new Map([
  ['M', keyPress('enter')],
  ['R', keyPress('f3')],
  ['a', keyPress('up', { ctrl: true })],
  ['b', keyPress('down', { ctrl: true })],
  ['c', keyPress('right', { ctrl: true })],
  ['d', keyPress('left', { ctrl: true })],
]);

/** The keypad's characters in application mode, from `j`. */
export const applicationCharacters = '*+,-./0123456789';

/** First numbers of `CSI number ~`. */
export const numberKeys: ReadonlyMap<number, string> = new Map([
  [1, 'home'],
  [2, 'insert'],
  [3, 'delete'],
  [4, 'end'],
  [5, 'pageup'],
  [6, 'pagedown'],
  [7, 'home'],
  [8, 'end'],
  ...[11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24].map((code, index): [number, string] => [
    code,
    `f${index + 1}`,
  ]),
]);

/** Keys of the kitty protocol and modifyOtherKeys without a character, by code point. */
const codeKeys: ReadonlyMap<number, string> = new Map([
  [8, 'backspace'],
  [9, 'tab'],
  [13, 'enter'],
  [27, 'escape'],
  [127, 'backspace'],
  [57414, 'enter'],
  [57417, 'left'],
  [57418, 'right'],
  [57419, 'up'],
  [57420, 'down'],
  [57421, 'pageup'],
  [57422, 'pagedown'],
  [57423, 'home'],
  [57424, 'end'],
  [57425, 'insert'],
  [57426, 'delete'],
]);

/** The keypad's characters in the kitty protocol, from 57399. */
const keypadCharacters = '0123456789./*-+';
const firstKeypad = 57399;
const keypadEnd = firstKeypad + keypadCharacters.length;

/** A key by code points: unshifted, shifted, and of the same key on a US keyboard. */
export interface CodedKey {
  readonly code: number;
  readonly shifted?: number | undefined;
  readonly base?: number | undefined;
  /** Code points of the typed text, if reported by the terminal. */
  readonly text?: readonly number[];
}

function isCharacter(code: number): boolean {
  const isPrivate = code >= 57344 && code <= 63743;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return code <= 0x10ffff && !isPrivate && !isSurrogate && !isControl;
}

function typedText(key: CodedKey, character: string, isShifted: boolean): string {
  if (key.text !== undefined && key.text.length > 0 && key.text.every(isCharacter)) {
    return String.fromCodePoint(...key.text);
  }
  if (!isShifted) return character;
  const { shifted } = key;
  return shifted !== undefined && isCharacter(shifted)
    ? String.fromCodePoint(shifted)
    : character.toUpperCase();
}

/** Undefined for lock and modifier keys and others without bindings. */
export function eventOfCode(key: CodedKey, modifiers: Modifiers): KeyEvent | undefined {
  const name = codeKeys.get(key.code);
  if (name !== undefined) return keyPress(name, modifiers);
  const isKeypad = key.code >= firstKeypad && key.code < keypadEnd;
  if (!isKeypad && !isCharacter(key.code)) return undefined;
  const character = isKeypad
    ? keypadCharacters.charAt(key.code - firstKeypad)
    : String.fromCodePoint(key.code);
  if (modifiers.ctrl !== true && modifiers.alt !== true) {
    return { type: 'text', text: typedText(key, character, modifiers.shift === true) };
  }
  // Shortcuts use the US layout, so that they work with Cyrillic, Greek or Hebrew layouts.
  const { base } = key;
  const isForeign = key.code > 0x7e && base !== undefined && isCharacter(base);
  return shortcut(isForeign ? String.fromCodePoint(base) : character, modifiers);
}

/** The key of a character with Ctrl or Alt. */
export function shortcut(character: string, modifiers: Modifiers): KeyPress {
  const name = character === ' ' ? 'space' : character.toLowerCase();
  const isUpper = name !== character && character !== ' ';
  if (name === '[' && modifiers.ctrl === true && modifiers.alt !== true) return keyPress('escape');
  return keyPress(name, isUpper ? { ...modifiers, shift: true } : modifiers);
}

/** The key of a control character (C0 or DEL). */
export function eventOfControl(code: number, modifiers: Modifiers = {}): KeyPress {
  const name = code === 8 ? undefined : codeKeys.get(code);
  if (name !== undefined) return keyPress(name, modifiers);
  const character = code === 0 ? ' ' : String.fromCharCode(code + 0x40).toLowerCase();
  return shortcut(character, { ...modifiers, ctrl: true });
}
