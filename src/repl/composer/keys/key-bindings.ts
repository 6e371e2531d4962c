import { Failure } from '../../../failure.ts';
import { nearlyNamed } from '../../../near-name.ts';
import { pairsIn } from '../../../terminal/text/pairs.ts';
import { chordOf, type KeyEvent } from './key-event.ts';

/** Which part of the screen handles keys. `completion` is an open menu, `search` the history search, `list` the list of conversations. */
export type KeyContext = 'composer' | 'completion' | 'search' | 'list';

/** `keys` are chords in the format of `chordOf`. */
function rows<const Action extends string>(
  when: KeyContext | 'anywhere',
  ...bindings: readonly (readonly [keys: string, action: Action, summary: string])[]
) {
  return bindings.map(([keys, action, summary]) => {
    const chords: readonly string[] = keys.split(' ');
    return { keys: chords, when, action, summary };
  });
}

/** Every key of the REPL, in the order of `/help keys`. */
export const keyBindings = [
  ...rows(
    'composer',
    ['enter', 'send', 'send, or queue while an answer streams'],
    ['ctrl+j shift+enter alt+enter ctrl+enter', 'new-line', 'new line (or \\ and Enter)'],
    ['escape', 'stop', 'stop the answer and keep its text'],
  ),
  ...rows(
    'anywhere',
    ['ctrl+c', 'interrupt', 'stop the answer, else clear the draft, else quit'],
    ['ctrl+z', 'suspend', 'suspend; fg resumes'],
    ['ctrl+l', 'redraw', 'redraw'],
  ),
  ...rows(
    'composer',
    ['ctrl+d', 'delete-right-or-quit', 'quit, if the draft is empty'],
    ['tab', 'complete', 'complete a command, its argument or an @file, or offer choices'],
    ['ctrl+r', 'search-start', 'search the prompt history; again, find an older prompt'],
    ['ctrl+g', 'open-editor', 'edit the draft in $VISUAL or $EDITOR'],
    ['ctrl+s', 'stash', 'put the draft aside, or bring it back'],
    ['shift+right alt+.', 'version-next', 'next version of the last answer'],
    ['shift+left alt+,', 'version-previous', 'previous version of the last answer'],
    ['ctrl+o', 'expand-paste', 'show the paste at the caret as text'],
    ['up ctrl+p', 'move-up', 'one row up, then older prompts'],
    ['down ctrl+n', 'move-down', 'one row down, then newer prompts'],
    ['ctrl+up alt+up alt+p', 'history-older', 'older prompt'],
    ['ctrl+down alt+down alt+n', 'history-newer', 'newer prompt'],
    ['pageup', 'move-page-up', 'one page up'],
    ['pagedown', 'move-page-down', 'one page down'],
    ['left ctrl+b', 'move-left', 'one character left'],
    ['right ctrl+f', 'move-right', 'one character right'],
    ['ctrl+left alt+left alt+b', 'move-word-left', 'one word left'],
    ['ctrl+right alt+right alt+f', 'move-word-right', 'one word right'],
    ['home ctrl+a', 'move-line-start', 'start of the line'],
    ['end ctrl+e', 'move-line-end', 'end of the line'],
    ['ctrl+home alt+< alt+shift+,', 'move-text-start', 'start of the text'],
    ['ctrl+end alt+> alt+shift+.', 'move-text-end', 'end of the text'],
    ['backspace shift+backspace ctrl+h', 'delete-left', 'delete the character before'],
    ['delete shift+delete', 'delete-right', 'delete the character after'],
    ['ctrl+w', 'kill-blank-word-left', 'cut the text before, up to a space'],
    ['alt+backspace ctrl+backspace', 'kill-word-left', 'cut the word before'],
    ['alt+d ctrl+delete alt+delete', 'kill-word-right', 'cut the word after'],
    ['ctrl+u', 'kill-line-start', 'cut to the start of the line'],
    ['ctrl+k', 'kill-line-end', 'cut to the end of the line'],
    ['ctrl+y', 'yank', 'paste the last cut'],
    ['alt+y', 'yank-pop', 'replace it with the previous cut'],
    ['ctrl+_ ctrl+shift+- ctrl+- ctrl+/', 'undo', 'undo'],
    ['alt+_ alt+shift+- ctrl+shift+z', 'redo', 'redo'],
    ['ctrl+t', 'transpose', 'swap two characters'],
  ),
  ...rows(
    'completion',
    ['tab', 'completion-tab', 'complete the command; else next completion'],
    ['down ctrl+n', 'completion-next', 'next completion'],
    ['shift+tab up ctrl+p', 'completion-previous', 'previous completion'],
    ['enter', 'completion-accept', 'accept the completion'],
    ['escape', 'completion-close', 'close the completions'],
  ),
  ...rows(
    'search',
    ['ctrl+r up', 'search-older', 'older match'],
    ['ctrl+s down', 'search-newer', 'newer match'],
    ['enter tab right end ctrl+e', 'search-accept', 'use the match as the draft'],
    ['escape ctrl+g', 'search-cancel', 'return to the draft'],
    ['backspace ctrl+h', 'search-shorten', 'delete the last character of the search'],
  ),
  ...rows(
    'list',
    ['enter', 'list-open', 'open the conversation'],
    ['escape ctrl+g', 'list-close', 'return to the composer'],
    ['tab ctrl+f', 'list-search', 'search the texts, or filter by title again'],
    ['up ctrl+p', 'list-previous', 'newer conversation'],
    ['down ctrl+n', 'list-next', 'older conversation'],
    ['pageup', 'list-page-up', 'one page up'],
    ['pagedown', 'list-page-down', 'one page down'],
    ['home ctrl+home', 'list-first', 'newest conversation'],
    ['end ctrl+end', 'list-last', 'oldest conversation'],
    ['backspace ctrl+h', 'list-shorten', 'delete the last character of the filter'],
    ['ctrl+w alt+backspace', 'list-shorten-word', 'delete its last word'],
    ['ctrl+u', 'list-clear', 'delete the filter'],
    ['ctrl+d', 'list-quit', 'quit, if the filter is empty'],
  ),
];

/** An `EditAction` changes the buffer only; the others concern the session. */
export type KeyAction = KeyMap[number]['action'];

/** Labels that are not just the capitalized name. */
const keyNames = pairsIn('pageup PgUp pagedown PgDn escape Esc');

/** A chord as printed on keyboards: `Ctrl+A`, `Shift+Enter`, `PgUp`. */
export function keyLabel(chord: string): string {
  return chord.replaceAll(/(?<=^|\+)[a-z]+/g, (name) => {
    return keyNames.get(name) ?? name.charAt(0).toUpperCase() + name.slice(1);
  });
}

/** natter could not be used without a key for each of these. */
const neededActions = ['send', 'interrupt'] as const;

export type KeyMap = typeof keyBindings;

/**
 * The first key of an action, as printed on keyboards; undefined if the user has taken its keys, which `ownKeyMap` refuses
 * for the needed actions.
 */
export function keyOf(action: (typeof neededActions)[number], map?: KeyMap): string;
export function keyOf(action: KeyAction, map?: KeyMap): string | undefined;
export function keyOf(action: KeyAction, map: KeyMap = keyBindings): string | undefined {
  const chord = map.find((binding) => binding.action === action)?.keys[0];
  return chord && keyLabel(chord);
}

/** The action of a key, if any. The composer's keys also work during completion, but not during a search. */
export function actionOf(
  event: KeyEvent,
  context: KeyContext,
  map: KeyMap = keyBindings,
): KeyAction | undefined {
  if (event.type !== 'key') return undefined;
  const chord = chordOf(event);
  const below = context === 'completion' ? (['composer'] as const) : [];
  const places = [context, ...below, 'anywhere'] as const;
  const bound = map.filter(({ keys }) => keys.includes(chord));
  return places.flatMap((place) => bound.filter(({ when }) => when === place))[0]?.action;
}

const modifierNames = pairsIn(
  'ctrl ctrl control ctrl c ctrl alt alt meta alt option alt m alt shift shift s shift',
);

const namedKeys =
  /^(?:enter|escape|tab|backspace|delete|insert|home|end|page(?:up|down)|up|down|left|right|space|f[1-9]|f1[0-2])$/;

const otherNames = pairsIn(
  'esc escape return enter pgup pageup pgdn pagedown del delete ins insert',
);

/** What terminals send for keys with Ctrl, as other keys. */
const sameCodes = pairsIn('ctrl+i Tab ctrl+m Enter ctrl+[ Esc');

const examples = 'for example ctrl+x, alt+s, f5 or shift+up; none removes the binding';

function fail(message: string, hint = examples): never {
  throw new Failure('usage', message, { hint });
}

/** A key as typed, `Ctrl-X` or `alt+shift+up`, in the format of `chordOf`. @throws Failure `usage` */
function parseChord(text: string): string {
  const [, start = '', last = ''] = /^((?:[a-z]+[+-])*)(.+)$/.exec(text.toLowerCase()) ?? [];
  const words = start.match(/[a-z]+/g) ?? [];
  const modifiers = new Set(words.map((word) => modifierNames.get(word)));
  const name = otherNames.get(last) ?? last;
  const isCharacter = /^[\x21-\x7e]$/.test(name);
  const isKey = isCharacter || namedKeys.test(name);
  if (modifiers.has(undefined) || !isKey) fail(`${JSON.stringify(text)} is not a key`);
  const isText = isCharacter || name === 'space';
  if (isText && !modifiers.has('ctrl') && !modifiers.has('alt')) {
    fail(`${text} types text, so it cannot be a key of an action`);
  }
  const held = ['ctrl', 'alt', 'shift'].filter((each) => modifiers.has(each));
  const chord = [...held, name].join('+');
  const same = sameCodes.get(chord);
  if (same !== undefined) fail(`terminals send ${chord} as ${same}`);
  return chord;
}

/** The keys of an action, from a value such as `ctrl+x, alt+s`; `none` removes the binding. */
function parseKeys(action: string, text: string): readonly string[] {
  // A comma after `alt+` is the key.
  const words = text.split(/(?:\s|(?<![+-]),)+/).filter((word) => word !== '');
  if (words.length === 0) fail(`${JSON.stringify(text)} is not a key`);
  if (words.length > 1 || words[0]?.toLowerCase() !== 'none') {
    return [...new Set(words.map(parseChord))];
  }
  if (neededActions.some((needed) => needed === action)) fail(`${action} needs a key`);
  return [];
}

const actions = keyBindings.map(({ action }) => action);

function findAction(name: string): KeyAction {
  const action = actions.find((known) => known === name);
  if (action !== undefined) return action;
  const near = nearlyNamed(name, actions);
  const hint =
    near === undefined ? '‹natter config keys› lists them' : `did you mean keys.${near}?`;
  return fail(`there is no key action ${JSON.stringify(name)}`, hint);
}

/** Refuses a key of a binding that is a key of a different one, too. */
function refuseConflict(map: KeyMap, { action, when, keys }: KeyMap[number]): void {
  const beside = map.filter((other) => {
    return (
      other.action !== action && (other.when === when || [other.when, when].includes('anywhere'))
    );
  });
  for (const key of keys) {
    const taken = beside.find((other) => other.keys.includes(key))?.action;
    const hint = `‹natter config set keys.${taken} none›, or a different key, frees it`;
    if (taken !== undefined) fail(`${key} is the key of ${taken}, too`, hint);
  }
}

/**
 * The table with a profile's keys in place of the default ones.
 * @param keys by action, as in the settings file
 * @param profile the profile of stored keys, for the hint of one that natter cannot use
 * @throws Failure for an unknown action or key, and for a key of two actions: `configuration` with a profile, else
 * `usage`
 */
export function ownKeyMap(keys: Readonly<Record<string, unknown>>, profile?: string): KeyMap {
  const own = new Map<KeyAction, readonly string[]>();
  let current = '';
  try {
    for (const [name, value] of Object.entries(keys)) {
      current = name;
      own.set(findAction(name), parseKeys(name, String(value)));
    }
    const map = keyBindings.map((binding) => {
      return { ...binding, keys: own.get(binding.action) ?? binding.keys };
    });
    for (const binding of map.filter(({ action }) => own.has(action))) {
      current = binding.action;
      refuseConflict(map, binding);
    }
    return map;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `keys.${current}: ${error.message}`;
    if (profile === undefined) return fail(message, error.hint);
    const hint = `‹natter config unset keys.${current} --profile ${profile}› removes it`;
    throw new Failure('configuration', message, { hint });
  }
}

/** A value for the settings file, in one spelling. @throws Failure `usage` for an unknown action or key */
export function storedKeys(name: string, value: string): string {
  return parseKeys(findAction(name), value).join(' ') || 'none';
}
