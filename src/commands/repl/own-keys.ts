import type { ReplState } from '../../repl/state/state.ts';
import { withoutSources, type ResolvedSettings } from '../../settings/resolved-settings.ts';

/**
 * The state with the keys of the profile, and with vi editing, which line mode does not have.
 * @throws Failure `configuration` for keys that natter cannot use
 */
export async function withKeys(state: ReplState, settings: ResolvedSettings): Promise<ReplState> {
  const { keys, profile, values } = settings;
  let next = state;
  if (Object.keys(keys).length > 0) {
    const { ownKeyMap } = await import('../../repl/editing/keys/key-bindings.ts');
    next = { ...next, keyMap: ownKeyMap(withoutSources(keys), profile.value) };
  }
  if (values.editing !== 'vi' || state.isLineMode) return next;
  const { startVi } = await import('../../repl/reducer/vi-keys.ts');
  return { ...next, vi: startVi(state.composer) };
}
