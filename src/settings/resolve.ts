import { isLoopbackName } from '../address.ts';
import type { Environment } from '../environment.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { type Definition, type SettingKey, definitions, settingKeys } from './definitions.ts';
import { chooseProfile } from './profile-name.ts';
import type { Resolved, ResolvedSettings, Source, UnsentSecret } from './resolved-settings.ts';
import { checkHeaderName, checkParameterName } from './setting-name.ts';
import {
  parseApiKey,
  parseHeaderValue,
  parseSettingValue,
  type ValueOrigin,
} from './setting-value.ts';
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
  /** For commands that may create the profile. */
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

const defaultSource: Source = { kind: 'default', name: 'default' };

function resolveSetting<Value>(
  definition: Definition<Value>,
  flag: StoredValue | undefined,
  environment: Environment,
  profile: NamedProfile,
): Resolved<Value | undefined> {
  const { name, variable, flagHint: hint } = definition;
  if (flag !== undefined) {
    const origin = { label: `--${name}`, kind: 'usage', ...(hint && { hint }) } as const;
    const value = parseSettingValue(definition, flag, origin);
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
  return { value: definition.default, source: defaultSource };
}

function resolveAll(
  flags: SettingFlags,
  environment: Environment,
  profile: NamedProfile,
): Pick<ResolvedSettings, 'values' | 'sources'> {
  const values: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  for (const key of settingKeys) {
    const definition = definitions[key] as Definition<unknown>;
    const { value, source } = resolveSetting(definition, flags[key], environment, profile);
    values[key] = value;
    sources[key] = source;
  }
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

/** The unchecked values of a family. */
function resolveFamily(
  { name }: NamedProfile,
  values: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, Resolved<unknown>>> {
  const source: Source = { kind: 'profile', name };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, source }]));
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

interface SecretRequest {
  readonly profile: string;
  readonly environment: Environment;
  readonly stored: StoredSettings;
  readonly baseUrl: string | undefined;
  /** The base URL that is stored in the profile. */
  readonly ownBaseUrl: string | undefined;
  readonly command: Resolved<string | undefined>;
}

interface ResolvedKey extends Pick<ResolvedSettings, 'apiKey' | 'apiKeyCommand'> {
  readonly unsent?: UnsentSecret;
}

const originOf = (baseUrl: string | undefined) =>
  baseUrl === undefined ? 'no base URL' : new URL(baseUrl).origin;

/**
 * The command that prints the key: a profile's for the profile's own service, that of the environment for any service
 * on a different machine.
 */
function resolveKeyCommand({ profile, command, ...request }: SecretRequest): ResolvedKey {
  const { value, source } = command;
  const { baseUrl, ownBaseUrl } = request;
  if (value === undefined || baseUrl === undefined) return {};
  const apiKeyCommand = { value, source };
  if (source.kind !== 'profile') {
    return isLoopbackName(new URL(baseUrl).hostname) ? {} : { apiKeyCommand };
  }
  const [belongsTo, requested] = [originOf(ownBaseUrl), originOf(baseUrl)];
  if (belongsTo === requested) return { apiKeyCommand };
  return { unsent: { what: 'API key', profile, belongsTo, requested } };
}

/**
 * The key to send: `NATTER_API_KEY` to any base URL, else that of a command, else the stored key only to the origin it
 * was stored with, so that no flag or variable can send it elsewhere.
 * @throws Failure `configuration` for a key not allowed in a header
 */
function resolveApiKey(request: SecretRequest): ResolvedKey {
  const { profile, environment, stored, baseUrl } = request;
  const variable = environment['NATTER_API_KEY'];
  if (variable !== undefined && variable !== '') {
    const value = parseApiKey(variable, 'NATTER_API_KEY', 'configuration');
    return { apiKey: { value, source: { kind: 'environment', name: 'NATTER_API_KEY' } } };
  }
  const printed = resolveKeyCommand(request);
  const credential = ownEntry(stored.credentials.profiles, profile);
  if (printed.apiKeyCommand !== undefined || credential === undefined || baseUrl === undefined) {
    return printed;
  }
  const belongsTo = new URL(credential.baseUrl).origin;
  const requested = new URL(baseUrl).origin;
  if (belongsTo !== requested) {
    return { unsent: { what: 'API key', profile, belongsTo, requested } };
  }
  const label = `the stored key of profile ${profile}`;
  const value = parseApiKey(credential.apiKey, label, 'configuration');
  return { apiKey: { value, source: { kind: 'profile', name: profile } } };
}

/**
 * All settings in force: flag over environment over profile over default; an empty variable counts as unset.
 * @throws Failure `usage` for a bad flag, `configuration` for a bad variable, profile or key; it names the source
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
  const headers = resolveHeaders(profile);
  const own = ownEntry(profile.settings, definitions.baseUrl.name);
  const ownBaseUrl = typeof own === 'string' ? definitions.baseUrl.type.parse(own) : undefined;
  // The path in a profile belongs to its address.
  const isForOther = sources.apiPath.kind === 'profile' && baseUrl !== ownBaseUrl;
  const command = { value: values.apiKeyCommand, source: sources.apiKeyCommand };
  const request = { profile: profile.name, environment, stored, baseUrl, ownBaseUrl, command };
  const { unsent: unsentKey, ...key } = resolveApiKey(request);
  const [belongsTo, requested] = [originOf(ownBaseUrl), originOf(baseUrl)];
  // Secret headers belong to the profile's own service.
  const isUnsent = (name: string) =>
    baseUrl !== undefined && belongsTo !== requested && isSecretHeader(name);
  const unsentHeaders = Object.keys(headers)
    .filter(isUnsent)
    .map((name) => ({ what: `header ${name}`, profile: profile.name, belongsTo, requested }));
  return {
    profile: chosen,
    values: isForOther ? { ...values, apiPath: undefined } : values,
    sources,
    params: resolveParams(flags, profile),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !isUnsent(name))),
    prices: resolveFamily(profile, profile.settings.prices),
    keys: resolveFamily(profile, profile.settings.keys),
    colors: resolveFamily(profile, profile.settings.colors),
    ...key,
    unsentSecrets: [...(unsentKey === undefined ? [] : [unsentKey]), ...unsentHeaders],
  };
}
