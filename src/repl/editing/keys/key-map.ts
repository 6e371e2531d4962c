import {
  keyBindings,
  keyLabel,
  type KeyAction,
  type KeyBinding,
  type KeyContext,
} from './key-bindings.ts';

/** Without a key for each of these, natter could not be used. */
export const neededActions = ['send', 'interrupt'] as const;

type NeededAction = (typeof neededActions)[number];

/** The keys in force. */
export interface KeyMap {
  readonly bindings: readonly KeyBinding[];
  readonly actions: ReadonlyMap<string, KeyAction>;
}

/** @param bindings no chord twice in one context */
export function createKeyMap(bindings: readonly KeyBinding[]): KeyMap {
  const actions = bindings.flatMap(({ keys, when, action }) =>
    keys.map((key): [string, KeyAction] => [`${when} ${key}`, action]),
  );
  return { bindings, actions: new Map(actions) };
}

export const defaultKeyMap = createKeyMap(keyBindings);

/** The first key of an action, as printed on keyboards; undefined if the user has taken its keys. */
export function keyOf(action: KeyAction, { bindings }: KeyMap = defaultKeyMap): string | undefined {
  const chord = bindings.find((binding) => binding.action === action)?.keys[0];
  return chord && keyLabel(chord);
}

/** That of an action which always has a key. */
export function neededKeyOf(action: NeededAction, map: KeyMap | undefined): string {
  return keyOf(action, map) ?? keyOf(action) ?? '';
}

/** Not Shift+Enter, the first default key, which only some terminals report. */
export function newLineKey(map: KeyMap | undefined): string | undefined {
  const own = map?.bindings.find(({ action }) => action === 'new-line')?.keys;
  return own === undefined || own.includes('ctrl+j') ? 'Ctrl+J' : keyOf('new-line', map);
}

/** The action of a chord. The composer's keys also work during completion, but not during a search. */
export function actionOf(
  chord: string,
  context: KeyContext,
  { actions }: KeyMap = defaultKeyMap,
): KeyAction | undefined {
  const below: readonly string[] = context === 'completion' ? ['composer'] : [];
  return [context, ...below, 'anywhere']
    .map((when) => actions.get(`${when} ${chord}`))
    .find((action) => action !== undefined);
}
