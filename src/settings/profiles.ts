import { type Definition, definitions } from './definitions.ts';
import { parseOwnColor, storedColor } from './own-colors.ts';
import { parsePrice } from './prices.ts';
import { checkProfileName, defaultProfile, knownProfiles, unknownProfile } from './profile-name.ts';
import { parseSettingName, type Family, type SettingName } from './setting-name.ts';
import {
  parseApiKey,
  parseHeaderValue,
  parseParameterValue,
  parseSettingValue,
  type ValueOrigin,
} from './setting-value.ts';
import { ownEntry, type Profile, type StoredSettings, withoutEntry } from './stored-settings.ts';

// Pure changes of the stored settings; `updateStoredSettings` applies them to the files.

/** Where a setting is in a profile. */
function placeOf(name: SettingName): { readonly family?: Family; readonly key: string } {
  return name.family === undefined ? { key: definitions[name.key].name } : name;
}

function withProfile(stored: StoredSettings, name: string, profile: Profile): StoredSettings {
  const { settings } = stored;
  return {
    ...stored,
    settings: { ...settings, profiles: { ...settings.profiles, [name]: profile } },
  };
}

function parseValue(name: SettingName, text: string, label: string): unknown {
  const origin: ValueOrigin = { label, kind: 'usage' };
  switch (name.family) {
    case undefined: {
      const definition = definitions[name.key] as Definition<unknown>;
      return definition.type.store(parseSettingValue(definition, text, origin));
    }
    case 'params':
      return parseParameterValue(text, origin);
    case 'headers':
      return parseHeaderValue(text, origin);
    case 'keys':
      return text;
    case 'colors':
      return storedColor(parseOwnColor(text, origin));
    case 'prices': {
      const { input, output, currency } = parsePrice(text, origin);
      return `${input}/${output} ${currency}`;
    }
  }
}

/** The value stored in the profile, if any. @throws Failure `usage` for an unknown setting */
export function getStoredSetting(
  stored: StoredSettings,
  profile: string,
  setting: string,
): unknown {
  const { family, key } = placeOf(parseSettingName(setting));
  const settings = ownEntry(stored.settings.profiles, profile) ?? {};
  return ownEntry((family === undefined ? settings : settings[family]) ?? {}, key);
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
  const { family, key } = placeOf(name);
  const settings = ownEntry(stored.settings.profiles, checkProfileName(profile, 'this', 'usage'));
  const changed =
    family === undefined ? { [key]: value } : { [family]: { ...settings?.[family], [key]: value } };
  return withProfile(stored, profile, { ...settings, ...changed });
}

/** Returns the same object if there is nothing to remove. @throws Failure `usage` for an unknown setting */
export function unsetStoredSetting(
  stored: StoredSettings,
  profile: string,
  setting: string,
): StoredSettings {
  const settings = ownEntry(stored.settings.profiles, profile);
  if (getStoredSetting(stored, profile, setting) === undefined || settings === undefined) {
    return stored;
  }
  const { family, key } = placeOf(parseSettingName(setting));
  const { [family ?? key]: _removed, ...others } = settings;
  const rest = family === undefined ? {} : withoutEntry(settings[family] ?? {}, key);
  if (family === undefined || Object.keys(rest).length === 0) {
    return withProfile(stored, profile, others);
  }
  return withProfile(stored, profile, { ...settings, [family]: rest });
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

/** Returns the same object if the profile has no key. */
export function removeCredential(stored: StoredSettings, profile: string): StoredSettings {
  const { credentials } = stored;
  if (ownEntry(credentials.profiles, profile) === undefined) return stored;
  const profiles = withoutEntry(credentials.profiles, profile);
  return { ...stored, credentials: { ...credentials, profiles } };
}

export interface ProfileSummary {
  readonly name: string;
  /** Of `config use`, else the default one. */
  readonly current: boolean;
  readonly hasKey: boolean;
}

export function listProfiles(stored: StoredSettings): readonly ProfileSummary[] {
  const current = stored.settings.profile ?? defaultProfile;
  return knownProfiles(stored).map((name) => ({
    name,
    current: name === current,
    hasKey: ownEntry(stored.credentials.profiles, name) !== undefined,
  }));
}
