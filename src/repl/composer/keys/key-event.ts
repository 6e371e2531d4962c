import { pairsIn } from '../../../terminal/text/pairs.ts';

/**
 * A key that is not text. `name` is a character in lower case (`a`, `[`) or one of `enter`, `escape`, `tab`,
 * `backspace`, `delete`, `insert`, `home`, `end`, `pageup`, `pagedown`, `up`, `down`, `left`, `right`,
 * `space`, `f1` to `f12`.
 */
export interface KeyPress {
  readonly type: 'key';
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** Keyboard input. Focus, mouse and terminal reports and key releases are not events. */
export type KeyEvent =
  | { readonly type: 'text'; readonly text: string }
  | KeyPress
  /** Line ends are `\n`. `keys`: the keys of one read that were joined into a paste but may have been typed. */
  | { readonly type: 'paste'; readonly text: string; readonly keys?: readonly KeyEvent[] };

export type Modifiers = Partial<KeyPress>;

export function keyPress(name: string, modifiers: Modifiers = {}): KeyPress {
  return { type: 'key', name, ctrl: false, alt: false, shift: false, ...modifiers };
}

/** Format of key bindings: `ctrl+alt+shift+name`, in this order. */
export function chordOf({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

/** Last bytes of `CSI … letter` and `SS3 letter`: xterm and the VT220's keypad. */
const letterKeys = pairsIn('A up B down C right D left F end H home P f1 Q f2 S f4');

/** Keys only after `SS3`: F3 (`CSI R` is a cursor report), and Enter of the keypad. */
const applicationKeys = pairsIn('M enter R f3');

/** The keypad's characters in application mode, from `j`. */
const applicationCharacters = '*+,-./0123456789';

/** First numbers of `CSI number ~`. */
const numberKeys = pairsIn(
  '1 home 2 insert 3 delete 4 end 5 pageup 6 pagedown 7 home 8 end 11 f1 12 f2 13 f3 14 f4 15 f5 17 f6 18 f7 19 f8 ' +
    '20 f9 21 f10 23 f11 24 f12',
);

/** Keys of the kitty protocol and modifyOtherKeys without a character, by code point. */
const codeKeys = pairsIn(
  '8 backspace 9 tab 13 enter 27 escape 127 backspace 57414 enter 57417 left 57418 right 57419 up 57420 down ' +
    '57421 pageup 57422 pagedown 57423 home 57424 end 57425 insert 57426 delete',
);

/** The keypad's characters in the kitty protocol, from 57399. */
const keypadCharacters = '0123456789./*-+';
const firstKeypad = 57399;

/** The character of a code point; undefined for controls, and for the private ones of keys without a character. */
function characterOf(code: number | undefined): string | undefined {
  if (code === undefined || code > 0x10ffff) return undefined;
  const character = String.fromCodePoint(code);
  return /[\p{Control}\p{Surrogate}\p{Private_Use}]/u.test(character) ? undefined : character;
}

/**
 * Undefined for lock and modifier keys and others without bindings.
 * @param key code points of the key: unshifted, shifted, and of the same key on a US keyboard
 * @param text code points of the typed text, if reported by the terminal
 */
function eventOfCode(
  [code = 0, shifted, base]: Field,
  modifiers: Modifiers,
  text: Field = [],
): KeyEvent | undefined {
  const name = codeKeys.get(String(code));
  if (name !== undefined) return keyPress(name, modifiers);
  const character = keypadCharacters.charAt(code - firstKeypad) || characterOf(code);
  if (character === undefined) return undefined;
  if (modifiers.ctrl === true || modifiers.alt === true) {
    // Shortcuts use the US layout, so that they work with Cyrillic, Greek or Hebrew layouts.
    const latin = code > 0x7e ? characterOf(base) : undefined;
    return shortcut(latin ?? character, modifiers);
  }
  const reported = text.filter((part) => part !== undefined).map(characterOf);
  if (reported.length > 0 && !reported.includes(undefined)) {
    return { type: 'text', text: reported.join('') };
  }
  const upper = characterOf(shifted) ?? character.toUpperCase();
  return { type: 'text', text: modifiers.shift === true ? upper : character };
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
  const name = code === 8 ? undefined : codeKeys.get(String(code));
  if (name !== undefined) return keyPress(name, modifiers);
  const character = code === 0 ? ' ' : String.fromCharCode(code + 0x40).toLowerCase();
  return shortcut(character, { ...modifiers, ctrl: true });
}

/** One field of a control sequence and its parts (`1;5:3A` has the fields `1` and `5:3`). */
type Field = readonly (number | undefined)[];

const released = 3;
const superOrHyper = 8 | 16;
const rxvtModifiers: ReadonlyMap<string, Modifiers> = new Map([
  ['$', { shift: true }],
  ['^', { ctrl: true }],
  ['@', { ctrl: true, shift: true }],
]);

function fieldsOf(parameters: string): Field[] {
  return parameters
    .split(';')
    .map((field) => field.split(':').map((part) => (part === '' ? undefined : Number(part))));
}

/** xterm's modifier number, extended by the kitty protocol; undefined for desktop shortcuts (Super, Hyper). */
function modifiersOf(field: Field | undefined): Modifiers | undefined {
  const bits = Math.max(0, (field?.[0] ?? 1) - 1);
  if ((bits & superOrHyper) !== 0) return undefined;
  const meta = 2 | 32;
  return { shift: (bits & 1) !== 0, alt: (bits & meta) !== 0, ctrl: (bits & 4) !== 0 };
}

function numberedKey(fields: readonly Field[], modifiers: Modifiers): KeyEvent | undefined {
  const number = fields[0]?.[0] ?? 0;
  if (number === 27) return eventOfCode(fields[2] ?? [], modifiers);
  const name = numberKeys.get(String(number));
  return name === undefined ? undefined : keyPress(name, modifiers);
}

/**
 * The key of a control sequence (`CSI parameters final`): xterm's and rxvt's keys, modifyOtherKeys
 * (`27;modifiers;code ~`), the kitty keyboard protocol (`code:shifted:base;modifiers:event;text u`). Undefined
 * for releases, reports and unknown sequences.
 */
export function eventOfSequence(parameters: string, final: string): KeyEvent | undefined {
  if (/[^\d;:]/.test(parameters)) return undefined;
  const fields = fieldsOf(parameters);
  const [key = [], modifierField, text] = fields;
  const modifiers = modifiersOf(modifierField);
  if (modifiers === undefined || modifierField?.[1] === released) return undefined;
  const rxvt = rxvtModifiers.get(final);
  if (rxvt !== undefined || final === '~') return numberedKey(fields, rxvt ?? modifiers);
  if (final !== 'u') return letterKey(final, modifiers, { shift: true });
  return eventOfCode(key, modifiers, text);
}

/** rxvt's arrows are in lower case: with Shift after `CSI`, with Ctrl after `SS3`. */
function letterKey(
  final: string,
  modifiers: Modifiers,
  lowerCase: Modifiers,
): KeyEvent | undefined {
  if (final === 'Z') return keyPress('tab', { ...modifiers, shift: true });
  const isArrow = /[a-d]/.test(final);
  const name = letterKeys.get(isArrow ? final.toUpperCase() : final);
  return name === undefined
    ? undefined
    : keyPress(name, { ...modifiers, ...(isArrow && lowerCase) });
}

/** The key of `SS3 modifiers final`: application cursor keys and keypad. */
export function eventOfApplicationKey(parameters: string, final: string): KeyEvent | undefined {
  const name = applicationKeys.get(final);
  if (name !== undefined) return keyPress(name);
  if (final >= 'j' && final <= 'y') {
    const text = applicationCharacters.charAt(final.charCodeAt(0) - 'j'.charCodeAt(0));
    return { type: 'text', text };
  }
  const modifiers = modifiersOf(fieldsOf(parameters).at(-1));
  return modifiers && letterKey(final, modifiers, { ctrl: true });
}

/** Keys that a paste without brackets may consist of. */
const pastedKeys: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['enter', '\n'],
  ['ctrl+j', '\n'],
]);

const charactersOf = (event: KeyEvent): string | undefined =>
  event.type === 'key' ? pastedKeys.get(chordOf(event)) : event.text;

/** Without bracketed paste, events of one read are a paste if text follows a line end: its lines are not sent. */
export function joinPasteBurst(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const first = events.findIndex((event) => event.type === 'key' && event.name === 'enter');
  if (first === -1 || !events.slice(first).some(({ type }) => type === 'text')) return events;
  const characters = events.map(charactersOf);
  if (characters.includes(undefined)) return events;
  return [{ type: 'paste', text: characters.join(''), keys: events }];
}

/** The keys of a burst up to its first Enter, and the rest as a burst. */
export function splitBurst(keys: readonly KeyEvent[]): readonly KeyEvent[] {
  const end = keys.findIndex((event) => event.type === 'key' && event.name === 'enter') + 1;
  return [...keys.slice(0, end), ...joinPasteBurst(keys.slice(end))];
}
