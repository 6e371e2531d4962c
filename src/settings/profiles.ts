import type { Environment } from '../environment.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { definedFields, isJsonObject, isPrototypeName, type JsonObject } from '../json.ts';
import { definitions } from './definitions.ts';
import type { Resolved, Source } from './resolved-settings.ts';
import { parseSettingName } from './setting-name.ts';
import { parseApiKey } from './setting-value.ts';
import { nothingStored, ownEntry, type StoredSettings } from './settings-file.ts';

/** Returns the profile that `--profile` or `NATTER_PROFILE` names; undefined leaves the choice to `config use`. */
export const namedProfile = (flag: string | undefined, environment: Environment) =>
  flag ?? (environment['NATTER_PROFILE'] || undefined);

/** The profile if none is chosen; it need not be in a file. */
export const defaultProfile = 'default';

/**
 * Checks the name of a profile.
 * @returns the name
 * @throws Failure of `kind` for one that is not valid as a key in the files
 */
export function checkProfileName(name: string, label: string, kind: FailureKind): string {
  if (/^[A-Za-z0-9_][\w.-]{0,63}$/.test(name) && !isPrototypeName(name)) return name;
  throw new Failure(kind, `${label} is not a profile name`, {
    hint: 'use up to 64 letters, digits, dots, dashes and underscores, starting with a letter or digit',
  });
}

/** Lists the default profile and those with settings or a key, sorted. */
export function knownProfiles({ settings, credentials }: StoredSettings): readonly string[] {
  const names = new Set([
    defaultProfile,
    ...Object.keys(settings.profiles),
    ...Object.keys(credentials.profiles),
  ]);
  return [...names].sort();
}

/** @throws Failure `configuration` for a name that no profile has; the hint lists the known ones */
export function requireProfile(stored: StoredSettings, name: string): void {
  const names = knownProfiles(stored);
  if (names.includes(name)) return;
  throw new Failure('configuration', `there is no profile ${JSON.stringify(name)}`, {
    hint: `the profiles are ${names.join(', ')}`,
  });
}

/**
 * Chooses the profile in force: of `--profile`, `NATTER_PROFILE` or `config use`, else the default one.
 * @param flag the value of `--profile`
 * @param allowNew for commands that may create the profile
 * @throws Failure for an unknown profile
 */
export function chooseProfile(
  flag: string | undefined,
  environment: Environment,
  stored: StoredSettings,
  allowNew = false,
): Resolved<string> {
  const named = namedProfile(flag, environment);
  const current = stored.settings.profile;
  let source: Source = { kind: 'default', name: 'default' };
  if (current !== undefined) source = { kind: 'profile', name: 'set by config use' };
  if (named !== undefined) source = { kind: 'environment', name: 'NATTER_PROFILE' };
  if (flag !== undefined) source = { kind: 'flag', name: '--profile' };
  const label = source.kind === 'profile' ? 'the current profile in config.json' : source.name;
  const kind = source.kind === 'flag' ? 'usage' : 'configuration';
  const value = checkProfileName(named ?? current ?? defaultProfile, label, kind);
  if (!allowNew) requireProfile(stored, value);
  return { value, source };
}

const terminalNames: ReadonlySet<string> = new Set(
  [
    'shell-commands continue keep compact editing theme wrap times notify notify-after progress',
    'window-title prompt-marks keys colors',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Makes the settings of a profile for conversations and the terminal those of the default profile: they apply to the
 * sandbox, too, unlike those of its service and requests.
 */
export function terminalSettings({ settings }: StoredSettings, profile: string): StoredSettings {
  const own = ownEntry(settings.profiles, profile) ?? {};
  const kept = Object.entries(own).filter(([name]) => terminalNames.has(name));
  const profiles = { [defaultProfile]: Object.fromEntries(kept) };
  // No profile was chosen for the sandbox.
  const { profile: _chosen, ...others } = settings;
  return { settings: { ...others, profiles }, credentials: nothingStored.credentials };
}

// Changes of the stored settings, in the copy that `changeStored` passes.

/** Returns the value stored in the profile, if any. @throws Failure `usage` for an unknown setting */
export function getStoredSetting(
  { settings }: StoredSettings,
  profile: string,
  setting: string,
): unknown {
  let value: unknown = ownEntry(settings.profiles, profile);
  for (const key of parseSettingName(setting).path) {
    value = isJsonObject(value) ? ownEntry(value, key) : undefined;
  }
  return value;
}

/**
 * Sets a setting in a profile, which may be new, or removes it, and its family if that has no other member.
 * @param text the value as typed; undefined removes it
 * @throws Failure `usage` for an unknown setting, a bad value or a bad profile name
 */
export function setStoredSetting(
  { settings: { profiles } }: StoredSettings,
  profile: string,
  setting: string,
  text: string | undefined,
): void {
  const { path, store } = parseSettingName(setting);
  const [name, member] = path;
  const value = text === undefined ? undefined : store(text, { label: setting, kind: 'usage' });
  const own = ownEntry(profiles, checkProfileName(profile, 'this', 'usage'));
  if (own === undefined && text === undefined) return;
  let changed = value;
  if (member !== undefined) {
    const family = definedFields({ ...(own?.[name] as JsonObject), [member]: value });
    changed = Object.keys(family).length === 0 ? undefined : family;
  }
  profiles[profile] = definedFields({ ...own, [name]: changed });
}

/** Makes a profile the current one. @throws Failure `configuration` for an unknown one */
export function useProfile(stored: StoredSettings, profile: string): void {
  requireProfile(stored, profile);
  stored.settings.profile = profile;
}

/** Removes a profile and its key; if it was the current one, the default profile is. @throws Failure `configuration` */
export function deleteProfile(stored: StoredSettings, profile: string): void {
  requireProfile(stored, profile);
  const { settings, credentials } = stored;
  if (settings.profile === profile) delete settings.profile;
  delete settings.profiles[profile];
  delete credentials.profiles[profile];
}

/**
 * Stores a service in a profile with its key and its API path, instead of those of the one before.
 * @throws Failure `usage` for a bad key, address, path or profile name
 */
export function saveService(
  stored: StoredSettings,
  profile: string,
  service: {
    readonly apiKey: string | undefined;
    readonly baseUrl: string;
    readonly apiPath?: string | undefined;
  },
): void {
  const { profiles } = stored.credentials;
  const { apiKey, baseUrl, apiPath } = service;
  setStoredSetting(stored, profile, definitions.baseUrl.name, baseUrl);
  setStoredSetting(stored, profile, definitions.apiPath.name, apiPath);
  delete profiles[profile];
  if (apiKey === undefined) return;
  const key = parseApiKey(apiKey, 'the API key', 'usage');
  profiles[profile] = { apiKey: key, baseUrl: baseUrl.trim() };
}

export const hasKey = ({ credentials }: StoredSettings, profile: string): boolean =>
  ownEntry(credentials.profiles, profile) !== undefined;
