import { conversationDefinitions } from './conversation-definitions.ts';
import { emptyCredentials, ownEntry, type StoredSettings } from './stored-settings.ts';
import { defaultProfile } from './profile-name.ts';

const names: ReadonlySet<string> = new Set([
  ...Object.values(conversationDefinitions).map(({ name }) => name),
  'keys',
  'colors',
]);

/**
 * The settings of a profile for conversations and the terminal, as those of the default profile: they apply to the
 * sandbox, too, unlike those of its service and requests.
 */
export function terminalSettings({ settings }: StoredSettings, profile: string): StoredSettings {
  const own = ownEntry(settings.profiles, profile) ?? {};
  const kept = Object.entries(own).filter(([name]) => names.has(name));
  const profiles = { [defaultProfile]: Object.fromEntries(kept) };
  // No profile was chosen for the sandbox.
  const { profile: _chosen, ...others } = settings;
  return {
    settings: { ...others, profiles },
    credentials: emptyCredentials,
  };
}
