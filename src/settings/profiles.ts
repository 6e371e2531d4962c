import { type Definition, definitions } from './definitions.ts';
import { checkProfileName, defaultProfile, knownProfiles, unknownProfile } from './profile-name.ts';
import { families, parseSettingName } from './setting-name.ts';
import { parseApiKey, parseSettingValue } from './setting-value.ts';
import { ownEntry, type Profile, type StoredSettings, withoutEntry } from './stored-settings.ts';

// Pure changes of the stored settings; `updateStoredSettings` applies them to the files.

type SettingName = ReturnType<typeof parseSettingName>;

/** Returns the key of a setting in the profile, or in its family. */
const keyOf = ({ family, key }: SettingName): string =>
  family === undefined ? definitions[key].name : key;

function withProfile(stored: StoredSettings, name: string, profile: Profile): StoredSettings {
  const { settings } = stored;
  return {
    ...stored,
    settings: { ...settings, profiles: { ...settings.profiles, [name]: profile } },
  };
}

function parseValue({ family, key }: SettingName, text: string, label: string): unknown {
  const origin = { label, kind: 'usage' } as const;
  if (family !== undefined) return families[family].store(text, origin);
  const definition = definitions[key] as Definition<unknown>;
  return definition.type.store(parseSettingValue(definition, text, origin));
}

/** Returns the value stored in the profile, if any. @throws Failure `usage` for an unknown setting */
export function getStoredSetting(
  stored: StoredSettings,
  profile: string,
  setting: string,
): unknown {
  const name = parseSettingName(setting);
  const settings = ownEntry(stored.settings.profiles, profile) ?? {};
  return ownEntry(
    (name.family === undefined ? settings : settings[name.family]) ?? {},
    keyOf(name),
  );
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
  const name = parseSettingName(setting);
  const value = parseValue(name, text, setting);
  const { family } = name;
  const key = keyOf(name);
  const settings = ownEntry(stored.settings.profiles, checkProfileName(profile, 'this', 'usage'));
  const changed =
    family === undefined ? { [key]: value } : { [family]: { ...settings?.[family], [key]: value } };
  return withProfile(stored, profile, { ...settings, ...changed });
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
  const settings = ownEntry(stored.settings.profiles, profile);
  if (getStoredSetting(stored, profile, setting) === undefined || settings === undefined) {
    return stored;
  }
  const name = parseSettingName(setting);
  const { family } = name;
  const key = keyOf(name);
  const { [family ?? key]: _removed, ...others } = settings;
  const rest = family === undefined ? {} : withoutEntry(settings[family] ?? {}, key);
  if (family === undefined || Object.keys(rest).length === 0) {
    return withProfile(stored, profile, others);
  }
  return withProfile(stored, profile, { ...settings, [family]: rest });
}

/** Sets the path of the API for a new address: the path of the address before may be wrong for it. */
export const setApiPath = (stored: StoredSettings, profile: string, apiPath: string | undefined) =>
  apiPath === undefined
    ? unsetStoredSetting(stored, profile, 'api-path')
    : setStoredSetting(stored, profile, 'api-path', apiPath);

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
 * Stores a key with its address, and the address in the profile.
 * @throws Failure `usage` for a bad key, address or profile name
 */
export function saveCredential(
  stored: StoredSettings,
  profile: string,
  { apiKey, baseUrl }: { readonly apiKey: string; readonly baseUrl: string },
): StoredSettings {
  const key = parseApiKey(apiKey, 'the API key', 'usage');
  const changed = setStoredSetting(stored, profile, definitions.baseUrl.name, baseUrl);
  const { credentials } = changed;
  const credential = { apiKey: key, baseUrl: baseUrl.trim() };
  return {
    ...changed,
    credentials: { ...credentials, profiles: { ...credentials.profiles, [profile]: credential } },
  };
}

/** Removes the key of a profile; returns the same object if it has none. */
export function removeCredential(stored: StoredSettings, profile: string): StoredSettings {
  const { credentials } = stored;
  if (ownEntry(credentials.profiles, profile) === undefined) return stored;
  const profiles = withoutEntry(credentials.profiles, profile);
  return { ...stored, credentials: { ...credentials, profiles } };
}

/** Lists all profiles; the current one is that of `config use`, else the default one. */
export function listProfiles(stored: StoredSettings) {
  const current = stored.settings.profile ?? defaultProfile;
  return knownProfiles(stored).map((name) => ({
    name,
    current: name === current,
    hasKey: ownEntry(stored.credentials.profiles, name) !== undefined,
  }));
}
