import type { Environment } from '../environment.ts';
import { type Definition, definitions, type SettingKey, settingKeys } from './definitions.ts';
import { chooseProfile } from './profile-name.ts';
import type { Resolved, ResolvedSettings, Source, WithheldSecret } from './resolved-settings.ts';
import { resolveApiKey, withheldHeaders } from './resolve-secrets.ts';
import { checkHeaderName, checkParameterName } from './setting-name.ts';
import { parseHeaderValue, parseSettingValue, type ValueOrigin } from './setting-value.ts';
import { ownEntry, type Profile, type StoredSettings } from './stored-settings.ts';
import type { StoredValue } from './value-types.ts';

/** Flags of the command line: settings as typed, `params` parsed (`parseParameterFlag`). */
export type SettingFlags = { readonly [Key in SettingKey]?: StoredValue | undefined } & {
  readonly profile?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>>;
};

export interface SettingLayers {
  readonly flags: SettingFlags;
  readonly environment: Environment;
  readonly stored: StoredSettings;
  /** For commands that create the profile they are given. */
  readonly allowNewProfile?: boolean;
}

interface NamedProfile {
  readonly name: string;
  readonly settings: Profile;
}

function profileOrigin(setting: string, profile: string): ValueOrigin {
  return {
    label: `${setting} in profile ${profile}`,
    kind: 'configuration',
    hint: `natter config unset ${setting} --profile ${profile}`,
  };
}

function resolveSetting<Value>(
  definition: Definition<Value>,
  flag: StoredValue | undefined,
  environment: Environment,
  profile: NamedProfile,
): Resolved<Value | undefined> {
  const { name, variable } = definition;
  if (flag !== undefined) {
    const value = parseSettingValue(definition, flag, { label: `--${name}`, kind: 'usage' });
    return { value, source: { kind: 'flag', name: `--${name}` } };
  }
  const text = environment[variable];
  if (text !== undefined && text !== '') {
    const value = parseSettingValue(definition, text, { label: variable, kind: 'configuration' });
    return { value, source: { kind: 'environment', name: variable } };
  }
  const raw = ownEntry(profile.settings, name);
  if (raw !== undefined) {
    const value = parseSettingValue(definition, raw, profileOrigin(name, profile.name));
    return { value, source: { kind: 'profile', name: profile.name } };
  }
  return { value: definition.default, source: { kind: 'default', name: 'default' } };
}

function resolveAll(
  flags: SettingFlags,
  environment: Environment,
  profile: NamedProfile,
): Pick<ResolvedSettings, 'values' | 'sources'> {
  const resolved = settingKeys.map((key) => {
    const definition = definitions[key] as Definition<unknown>;
    return [key, resolveSetting(definition, flags[key], environment, profile)] as const;
  });
  const values = Object.fromEntries(resolved.map(([key, { value }]) => [key, value]));
  const sources = Object.fromEntries(resolved.map(([key, { source }]) => [key, source]));
  // The table gives each key a value of the key's own type, which entries cannot express.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { values, sources } as unknown as Pick<ResolvedSettings, 'values' | 'sources'>;
}

function resolveParams(
  flags: SettingFlags,
  profile: NamedProfile,
): Readonly<Record<string, Resolved<unknown>>> {
  const where = ` in profile ${profile.name}`;
  const stored = Object.entries(profile.settings.params ?? {});
  const typed = Object.entries(flags.params ?? {});
  return Object.fromEntries([
    ...stored.map(([name, value]) => {
      const source: Source = { kind: 'profile', name: profile.name };
      return [checkParameterName(name, 'configuration', where), { value, source }] as const;
    }),
    ...typed.map(([name, value]) => {
      const source: Source = { kind: 'flag', name: '--param' };
      return [checkParameterName(name, 'usage'), { value, source }] as const;
    }),
  ]);
}

function resolveHeaders(profile: NamedProfile): Readonly<Record<string, Resolved<string>>> {
  const where = ` in profile ${profile.name}`;
  const stored = Object.entries(profile.settings.headers ?? {});
  return Object.fromEntries(
    stored.map(([name, raw]) => {
      const lower = checkHeaderName(name, 'configuration', where);
      const value = parseHeaderValue(raw, profileOrigin(`headers.${lower}`, profile.name));
      return [lower, { value, source: { kind: 'profile', name: profile.name } }] as const;
    }),
  );
}

function withoutWithheld<Value>(
  headers: Readonly<Record<string, Value>>,
  withheld: readonly WithheldSecret[],
): Readonly<Record<string, Value>> {
  const names = new Set(withheld.map(({ what }) => what));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !names.has(`header ${name}`)),
  );
}

/**
 * Every setting in force: flag, then environment, then profile, then default; an empty variable is unset.
 * @throws Failure `usage` for a bad flag, `configuration` for a bad variable, profile or key; each names
 * its source
 */
export function resolveSettings(layers: SettingLayers): ResolvedSettings {
  const { flags, environment, stored } = layers;
  const choice = { flag: flags.profile, environment, stored };
  const chosen = chooseProfile(choice, layers.allowNewProfile);
  const profile = {
    name: chosen.value,
    settings: ownEntry(stored.settings.profiles, chosen.value) ?? {},
  };
  const { values, sources } = resolveAll(flags, environment, profile);
  const { baseUrl } = values;
  const key = resolveApiKey({ profile: profile.name, environment, stored, baseUrl });
  const headers = resolveHeaders(profile);
  const own = ownEntry(profile.settings, definitions.baseUrl.name);
  const ownBaseUrl = typeof own === 'string' ? definitions.baseUrl.type.parse(own) : undefined;
  const kept = withheldHeaders(Object.keys(headers), profile.name, ownBaseUrl, baseUrl);
  return {
    profile: chosen,
    values,
    sources,
    params: resolveParams(flags, profile),
    headers: withoutWithheld(headers, kept),
    ...(key.apiKey === undefined ? {} : { apiKey: key.apiKey }),
    withheld: [...(key.withheld === undefined ? [] : [key.withheld]), ...kept],
  };
}
