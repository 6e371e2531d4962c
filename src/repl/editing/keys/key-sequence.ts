import {
  applicationCharacters,
  applicationKeys,
  eventOfCode,
  letterKeys,
  numberKeys,
} from './key-codes.ts';
import { keyPress } from './key-event.ts';
import type { KeyEvent, Modifiers } from './key-event.ts';

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
  if (number === 27) return eventOfCode({ code: fields[2]?.[0] ?? 0 }, modifiers);
  const name = numberKeys.get(number);
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
  const [key = [], modifierField, text = []] = fields;
  const modifiers = modifiersOf(modifierField);
  if (modifiers === undefined || modifierField?.[1] === released) return undefined;
  const rxvt = rxvtModifiers.get(final);
  if (rxvt !== undefined) return numberedKey(fields, rxvt);
  if (final === '~') return numberedKey(fields, modifiers);
  if (final !== 'u') return letterKey(final, modifiers);
  const [code = 0, shifted, base] = key;
  const typed = text.filter((part) => part !== undefined);
  return eventOfCode({ code, shifted, base, text: typed }, modifiers);
}

function letterKey(final: string, { ctrl, alt, shift }: Modifiers): KeyEvent | undefined {
  const key = letterKeys.get(final);
  if (key === undefined) return undefined;
  return {
    ...key,
    ctrl: key.ctrl || ctrl === true,
    alt: key.alt || alt === true,
    shift: key.shift || shift === true,
  };
}

/** The key of `SS3 modifiers final`: application cursor keys and keypad. */
export function eventOfApplicationKey(parameters: string, final: string): KeyEvent | undefined {
  const modifiers = modifiersOf(fieldsOf(parameters).at(-1));
  const key = applicationKeys.get(final);
  if (key !== undefined) return key;
  if (final >= 'j' && final <= 'y') {
    const text = applicationCharacters.charAt(final.charCodeAt(0) - 'j'.charCodeAt(0));
    return { type: 'text', text };
  }
  return modifiers === undefined ? undefined : letterKey(final, modifiers);
}
