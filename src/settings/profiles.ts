import { isJsonObject, type JsonObject } from '../json.ts';
import { definitions } from './definitions.ts';
import { checkProfileName, defaultProfile, knownProfiles, unknownProfile } from './profile-name.ts';
import { parseSettingName } from './setting-name.ts';
import { parseApiKey } from './setting-value.ts';
import { ownEntry, type StoredSettings } from './stored-settings.ts';

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
 * Sets a setting in a profile; creates a new profile.
 * @param text the value as typed
 * @throws Failure `usage` for an unknown setting, a bad value or a bad profile name
 */
export function setStoredSetting(
  { settings: { profiles } }: StoredSettings,
  profile: string,
  setting: string,
  text: string,
): void {
  const named = parseSettingName(setting);
  const [name, member] = named.path;
  const value = named.store(text, { label: setting, kind: 'usage' });
  const own = ownEntry(profiles, checkProfileName(profile, 'this', 'usage')) ?? {};
  const changed = member === undefined ? value : { ...(own[name] as JsonObject), [member]: value };
  profiles[profile] = { ...own, [name]: changed };
}

/** Removes a setting, and its family if that has no other member. @throws Failure `usage` for an unknown setting */
export function unsetStoredSetting(stored: StoredSettings, profile: string, setting: string): void {
  if (getStoredSetting(stored, profile, setting) === undefined) return;
  const [name, member = ''] = parseSettingName(setting).path;
  const own: Record<string, unknown> = stored.settings.profiles[profile] ?? {};
  const { [member]: _, ...rest } = (member === '' ? {} : own[name]) as JsonObject;
  if (Object.keys(rest).length === 0) delete own[name];
  else own[name] = rest;
}

/** Makes a profile the current one. @throws Failure `configuration` for an unknown one */
export function useProfile(stored: StoredSettings, profile: string): void {
  if (!knownProfiles(stored).includes(profile)) throw unknownProfile(profile, stored);
  stored.settings.profile = profile;
}

/** Removes a profile and its key; if it was the current one, the default profile is. @throws Failure `configuration` */
export function deleteProfile(stored: StoredSettings, profile: string): void {
  if (!knownProfiles(stored).includes(profile)) throw unknownProfile(profile, stored);
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
  {
    apiKey,
    baseUrl,
    apiPath,
  }: {
    readonly apiKey: string | undefined;
    readonly baseUrl: string;
    readonly apiPath?: string | undefined;
  },
): void {
  const { profiles } = stored.credentials;
  setStoredSetting(stored, profile, definitions.baseUrl.name, baseUrl);
  const path = definitions.apiPath.name;
  if (apiPath === undefined) unsetStoredSetting(stored, profile, path);
  else setStoredSetting(stored, profile, path, apiPath);
  delete profiles[profile];
  if (apiKey === undefined) return;
  const key = parseApiKey(apiKey, 'the API key', 'usage');
  profiles[profile] = { apiKey: key, baseUrl: baseUrl.trim() };
}

export const hasKey = ({ credentials }: StoredSettings, profile: string): boolean =>
  ownEntry(credentials.profiles, profile) !== undefined;

/** Lists all profiles; the current one is that of `config use`, else the default one. */
export function listProfiles(stored: StoredSettings) {
  const current = stored.settings.profile ?? defaultProfile;
  return knownProfiles(stored).map((name) => ({
    name,
    current: name === current,
    hasKey: hasKey(stored, name),
  }));
}
