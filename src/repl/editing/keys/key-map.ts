import { keyBindings, type KeyAction, type KeyBinding, type KeyContext } from './key-bindings.ts';

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
