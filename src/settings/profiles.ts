import { isJsonObject, type JsonObject } from '../json.ts';
import { definitions } from './definitions.ts';
import { checkProfileName, defaultProfile, knownProfiles, unknownProfile } from './profile-name.ts';
import { parseSettingName } from './setting-name.ts';
import { parseApiKey } from './setting-value.ts';
import { ownEntry, type Profile, type StoredSettings, withoutEntry } from './stored-settings.ts';

// Pure changes of the stored settings; `changeStored` applies them to the files.

function withProfile(stored: StoredSettings, name: string, profile: Profile): StoredSettings {
  const { settings } = stored;
  return {
    ...stored,
    settings: { ...settings, profiles: { ...settings.profiles, [name]: profile } },
  };
}

/** Returns the value stored in the profile, if any. @throws Failure `usage` for an unknown setting */
export function getStoredSetting(
  stored: StoredSettings,
  profile: string,
  setting: string,
): unknown {
  let value: unknown = ownEntry(stored.settings.profiles, profile);
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
  stored: StoredSettings,
  profile: string,
  setting: string,
  text: string,
): StoredSettings {
  const named = parseSettingName(setting);
  const [name, member] = named.path;
  const value = named.store(text, { label: setting, kind: 'usage' });
  const own = ownEntry(stored.settings.profiles, checkProfileName(profile, 'this', 'usage')) ?? {};
  const changed = member === undefined ? value : { ...(own[name] as JsonObject), [member]: value };
  return withProfile(stored, profile, { ...own, [name]: changed });
}

/**
 * Removes a setting; returns the same object if there is nothing to remove.
 * @throws Failure `usage` for an unknown setting
 */
export function unsetStoredSetting(
  stored: StoredSettings,
  profile: string,
  setting: string,
): StoredSettings {
  if (getStoredSetting(stored, profile, setting) === undefined) return stored;
  const [name, member] = parseSettingName(setting).path;
  const own = ownEntry(stored.settings.profiles, profile) ?? {};
  const rest = member === undefined ? {} : withoutEntry(own[name] as JsonObject, member);
  const isEmpty = Object.keys(rest).length === 0;
  const changed = isEmpty ? withoutEntry(own, name) : { ...own, [name]: rest };
  return withProfile(stored, profile, changed);
}

/** Makes a profile the current one. @throws Failure `configuration` for an unknown one */
export function useProfile(stored: StoredSettings, profile: string): StoredSettings {
  if (!knownProfiles(stored).includes(profile)) throw unknownProfile(profile, stored);
  return { ...stored, settings: { ...stored.settings, profile } };
}

/** Removes a profile and its key; if it was the current one, the default profile is. @throws Failure `configuration` */
export function deleteProfile(stored: StoredSettings, profile: string): StoredSettings {
  if (!knownProfiles(stored).includes(profile)) throw unknownProfile(profile, stored);
  const { profile: current, ...settings } = stored.settings;
  const profiles = withoutEntry(settings.profiles, profile);
  const kept = current === undefined || current === profile ? {} : { profile: current };
  return removeCredential({ ...stored, settings: { ...settings, ...kept, profiles } }, profile);
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
): StoredSettings {
  const key = apiKey === undefined ? undefined : parseApiKey(apiKey, 'the API key', 'usage');
  const withUrl = setStoredSetting(stored, profile, definitions.baseUrl.name, baseUrl);
  const path = definitions.apiPath.name;
  const changed =
    apiPath === undefined
      ? unsetStoredSetting(withUrl, profile, path)
      : setStoredSetting(withUrl, profile, path, apiPath);
  if (key === undefined) return removeCredential(changed, profile);
  const { credentials } = changed;
  const credential = { apiKey: key, baseUrl: baseUrl.trim() };
  return {
    ...changed,
    credentials: { ...credentials, profiles: { ...credentials.profiles, [profile]: credential } },
  };
}

/** Tells whether a profile has a stored key. */
export const hasKey = ({ credentials }: StoredSettings, profile: string): boolean =>
  ownEntry(credentials.profiles, profile) !== undefined;

/** Removes the key of a profile; returns the same object if it has none. */
export function removeCredential(stored: StoredSettings, profile: string): StoredSettings {
  if (!hasKey(stored, profile)) return stored;
  const { credentials } = stored;
  const profiles = withoutEntry(credentials.profiles, profile);
  return { ...stored, credentials: { ...credentials, profiles } };
}

/** Lists all profiles; the current one is that of `config use`, else the default one. */
export function listProfiles(stored: StoredSettings) {
  const current = stored.settings.profile ?? defaultProfile;
  return knownProfiles(stored).map((name) => ({
    name,
    current: name === current,
    hasKey: hasKey(stored, name),
  }));
}
