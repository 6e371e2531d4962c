import { Failure, type FailureKind } from '../../../failure.ts';
import { nearlyNamed } from '../../../near-name.ts';
import { keyBindings, type KeyAction, type KeyBinding } from './key-bindings.ts';
import { createKeyMap, neededActions, type KeyMap } from './key-map.ts';

/** The settings `keys.<action>`: actions with their keys, as in the settings file. */
export type OwnKeys = ReadonlyMap<KeyAction, readonly string[]>;

const modifierNames: ReadonlyMap<string, 'ctrl' | 'alt' | 'shift'> = new Map([
  ['ctrl', 'ctrl'],
  ['control', 'ctrl'],
  ['c', 'ctrl'],
  ['alt', 'alt'],
  ['meta', 'alt'],
  ['option', 'alt'],
  ['m', 'alt'],
  ['shift', 'shift'],
  ['s', 'shift'],
]);

const named = new Set(
  'enter escape tab backspace delete insert home end pageup pagedown up down left right space'.split(
    ' ',
  ),
);

const otherNames: ReadonlyMap<string, string> = new Map([
  ['esc', 'escape'],
  ['return', 'enter'],
  ['pgup', 'pageup'],
  ['pgdn', 'pagedown'],
  ['del', 'delete'],
  ['ins', 'insert'],
]);

/** What terminals send for keys with Ctrl, as other keys. */
const sameCodes: ReadonlyMap<string, string> = new Map([
  ['ctrl+i', 'Tab'],
  ['ctrl+m', 'Enter'],
  ['ctrl+[', 'Esc'],
]);

interface KeyProblem {
  readonly message: string;
  readonly hint: string;
}

interface ParseOptions {
  /** The profile of the keys, for the hint of a stored key that natter cannot use. */
  readonly profile?: string;
  /** The action that a conflict is reported for. */
  readonly changed?: string;
}

const examples = 'for example ctrl+x, alt+s, f5 or shift+up; none is no key';

function unknownKey(text: string): KeyProblem {
  return { message: `${JSON.stringify(text)} is not a key`, hint: examples };
}

/** A key as typed, `Ctrl-X` or `alt+shift+up`, in the format of `chordOf`. */
export function parseChord(text: string): string | KeyProblem {
  const parts = /^(?<modifiers>(?:[a-z]+[+-])*)(?<name>.+)$/i.exec(text)?.groups;
  const names = (parts?.['modifiers'] ?? '').toLowerCase().split(/[+-]/).filter(Boolean);
  const modifiers = new Set(names.map((name) => modifierNames.get(name)));
  const typed = (parts?.['name'] ?? '').toLowerCase();
  const name = otherNames.get(typed) ?? typed;
  const isCharacter = /^[\x21-\x7e]$/.test(name);
  const isKey = isCharacter || named.has(name) || /^f(?:[1-9]|1[0-2])$/.test(name);
  if (modifiers.has(undefined) || !isKey) return unknownKey(text);
  const isText =
    (isCharacter || name === 'space') && !modifiers.has('ctrl') && !modifiers.has('alt');
  if (isText)
    return { message: `${text} types text, so it cannot be a key of an action`, hint: examples };
  const chord = [
    ...(['ctrl', 'alt', 'shift'] as const).filter((each) => modifiers.has(each)),
    name,
  ].join('+');
  const same = sameCodes.get(chord);
  if (same === undefined) return chord;
  return { message: `terminals send ${chord} as ${same}`, hint: examples };
}

/** The keys of a value such as `ctrl+x, alt+s`; `none` is no key. */
function parseKeyList(text: string): readonly string[] | KeyProblem {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0) return unknownKey(text);
  if (words.length === 1 && words[0]?.toLowerCase() === 'none') return [];
  const chords: string[] = [];
  for (const word of words) {
    const chord = parseChord(word);
    if (typeof chord !== 'string') return chord;
    if (!chords.includes(chord)) chords.push(chord);
  }
  return chords;
}

const actions = keyBindings.map(({ action }) => action);

function findAction(name: string): KeyAction | KeyProblem {
  const action = actions.find((known) => known === name);
  if (action !== undefined) return action;
  const near = nearlyNamed(name, actions);
  return {
    message: `there is no key action ${JSON.stringify(name)}`,
    hint: near === undefined ? 'natter config keys lists them' : `did you mean keys.${near}?`,
  };
}

/** The table with a profile's keys in place of the default ones. */
export function withOwnKeys(own: OwnKeys): readonly KeyBinding[] {
  return keyBindings.map((binding) => ({
    ...binding,
    keys: own.get(binding.action) ?? binding.keys,
  }));
}

function overlap(one: KeyBinding, other: KeyBinding): boolean {
  return one.when === other.when || one.when === 'anywhere' || other.when === 'anywhere';
}

/** The first key of an own binding that is a key of a different action, too. */
function conflictOf(
  own: OwnKeys,
  changed: string | undefined,
): (KeyProblem & { readonly name: string }) | undefined {
  const bindings = withOwnKeys(own);
  const isChanged = ({ action }: KeyBinding) => Number(action === changed);
  const ownFirst = bindings
    .filter(({ action }) => own.has(action))
    .toSorted((one, other) => isChanged(other) - isChanged(one));
  for (const binding of ownFirst) {
    const others = bindings.filter((other) => other !== binding && overlap(binding, other));
    for (const key of binding.keys) {
      const taken = others.find(({ keys }) => keys.includes(key));
      if (taken === undefined) continue;
      const { action } = taken;
      const other = action === changed ? binding.action : action;
      return {
        name: binding.action,
        message: `${key} of ${binding.action} is the key of ${action}, too`,
        hint: `natter config set keys.${other} none, or a different key, frees it`,
      };
    }
  }
  return undefined;
}

/**
 * Checks the settings `keys.<action>` of a profile.
 * @param keys by action, as in the settings file
 * @throws Failure of `kind` for an unknown action or key, and for a key of two actions
 */
export function parseOwnKeys(
  keys: Readonly<Record<string, unknown>>,
  kind: FailureKind,
  { profile, changed }: ParseOptions = {},
): OwnKeys {
  const own = new Map<KeyAction, readonly string[]>();
  const fail = ({ message, hint }: KeyProblem, name: string) => {
    const removes = `natter config unset keys.${name} --profile ${profile} removes it`;
    return new Failure(kind, message, { hint: profile === undefined ? hint : removes });
  };
  for (const [name, value] of Object.entries(keys)) {
    const action = findAction(name);
    if (typeof action !== 'string') throw fail(action, name);
    const list = parseKeyList(String(value));
    if ('message' in list) {
      throw fail({ ...list, message: `keys.${name}: ${list.message}` }, name);
    }
    if (list.length === 0 && neededActions.some((needed) => needed === action)) {
      throw fail({ message: `${action} needs a key`, hint: examples }, name);
    }
    own.set(action, list);
  }
  const conflict = conflictOf(own, changed);
  if (conflict !== undefined) throw fail(conflict, conflict.name);
  return own;
}

/** A value for the settings file, in one spelling. @throws Failure `usage` for an unknown action or key */
export function storedKeys(name: string, value: string): string {
  const found = findAction(name);
  const list = parseKeyList(value);
  const problem = typeof found === 'string' ? list : found;
  if ('message' in problem) throw new Failure('usage', problem.message, { hint: problem.hint });
  return problem.length === 0 ? 'none' : problem.join(' ');
}

/** @throws Failure `configuration` for keys of a profile that natter cannot use */
export function ownKeyMap(keys: Readonly<Record<string, unknown>>, profile: string): KeyMap {
  return createKeyMap(withOwnKeys(parseOwnKeys(keys, 'configuration', { profile })));
}
