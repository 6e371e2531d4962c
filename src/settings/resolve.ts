import { isLoopbackName } from '../address.ts';
import type { Environment } from '../environment.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import {
  type Definition,
  definitions,
  headerText,
  type SettingKey,
  settingKeys,
  type SettingValues,
} from './definitions.ts';
import { modelPrice } from './prices.ts';
import { chooseProfile } from './profiles.ts';
import type { Resolved, ResolvedSettings, Source, UnsentSecret } from './resolved-settings.ts';
import { checkParameterName, ownColor, readFamily } from './setting-name.ts';
import { parseApiKey, parseValue, profileOrigin, type ValueOrigin } from './setting-value.ts';
import { ownEntry, type Profile, type StoredSettings } from './settings-file.ts';

/** Flags of the command line: settings as typed, `params` parsed (`parseParameterFlag`). */
export type SettingFlags = {
  readonly [Key in SettingKey]?: string | number | boolean | undefined;
} & {
  readonly profile?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>>;
};

/** What settings are resolved from; the strongest layer comes first. */
export interface SettingLayers {
  readonly flags: SettingFlags;
  readonly environment: Environment;
  readonly stored: StoredSettings;
  /** Set by commands that may create the profile. */
  readonly allowNewProfile?: boolean;
}

function resolveSetting<Value>(
  definition: Definition<Value>,
  flag: SettingFlags[SettingKey],
  environment: Environment,
  profile: string,
  stored: Profile,
): Resolved<Value | undefined> {
  const { name, variable, default: value } = definition;
  const given: readonly (readonly [raw: unknown, source: Source])[] = [
    [flag, { kind: 'flag', name: `--${name}` }],
    [environment[variable] || undefined, { kind: 'environment', name: variable }],
    [ownEntry(stored, name), { kind: 'profile', name: profile }],
  ];
  const [raw, source] = given.find(([text]) => text !== undefined) ?? [];
  if (source === undefined) return { value, source: { kind: 'default', name: 'default' } };
  const origin: ValueOrigin =
    source.kind === 'profile'
      ? profileOrigin(name, profile)
      : { label: source.name, kind: source.kind === 'flag' ? 'usage' : 'configuration' };
  return { value: parseValue(definition.type, raw, origin), source };
}

const originOf = (baseUrl: string | undefined) =>
  baseUrl === undefined ? 'no base URL' : new URL(baseUrl).origin;

/** @param belongsTo an origin: scheme, host and port, as `requested` */
const unsentSecret = (what: string, profile: string, belongsTo: string, requested: string) => ({
  what,
  text: `the ${what} of profile ${profile} was not sent: it belongs to ${belongsTo}, not to ${requested}`,
});

/**
 * Finds the key to send, or the command that prints it. `NATTER_API_KEY` is sent to any base URL, and what a command of
 * the environment prints to any service on a different machine. The command of a profile is for the profile's own
 * service, and the stored key only for the origin it was stored with, so that no flag or variable can send them
 * elsewhere.
 * @throws Failure `configuration` for a key not allowed in a header
 */
function resolveKey(
  { environment, stored }: SettingLayers,
  profile: string,
  baseUrl: string | undefined,
  ownBaseUrl: string | undefined,
  { value: command, source }: Resolved<string | undefined>,
): Pick<ResolvedSettings, 'apiKey' | 'apiKeyCommand'> & { readonly unsent?: UnsentSecret } {
  const variable = environment['NATTER_API_KEY'];
  if (variable !== undefined && variable !== '') {
    const value = parseApiKey(variable, 'NATTER_API_KEY', 'configuration');
    return { apiKey: { value, source: { kind: 'environment', name: 'NATTER_API_KEY' } } };
  }
  if (baseUrl === undefined) return {};
  const { origin: requested, hostname } = new URL(baseUrl);
  const unsent = (belongsTo: string) => {
    return { unsent: unsentSecret('API key', profile, belongsTo, requested) };
  };
  const ownOrigin = originOf(ownBaseUrl);
  const isOfProfile = source.kind === 'profile';
  const isForService = isOfProfile ? ownOrigin === requested : !isLoopbackName(hostname);
  if (command !== undefined && isForService) return { apiKeyCommand: { value: command, source } };
  const credential = ownEntry(stored.credentials.profiles, profile);
  if (credential === undefined) {
    return command !== undefined && isOfProfile ? unsent(ownOrigin) : {};
  }
  const belongsTo = new URL(credential.baseUrl).origin;
  if (belongsTo !== requested) return unsent(belongsTo);
  const label = `the stored key of profile ${profile}`;
  const value = parseApiKey(credential.apiKey, label, 'configuration');
  return { apiKey: { value, source: { kind: 'profile', name: profile } } };
}

/** Settings with the name of an option that means something else: `-c, --continue`, and `--times` of an export or a fault. */
const withoutFlag: ReadonlySet<SettingKey> = new Set(['continue', 'times']);

/**
 * Resolves all settings: flag over environment over profile over default; an empty variable counts as unset.
 * @throws Failure `usage` for a bad flag, `configuration` for a bad variable, profile or key; it names the source
 */
export function resolveSettings(layers: SettingLayers): ResolvedSettings {
  const { flags, environment, stored } = layers;
  const chosen = chooseProfile(flags.profile, environment, stored, layers.allowNewProfile);
  const { value: profile } = chosen;
  const settings = ownEntry(stored.settings.profiles, profile) ?? {};
  const all = settingKeys.map((key) => {
    const definition = definitions[key] as Definition<unknown>;
    const flag = withoutFlag.has(key) ? undefined : flags[key];
    return [key, resolveSetting(definition, flag, environment, profile, settings)] as const;
  });
  // The table gives each key a value of the key's own type, which entries cannot express.
  const values = Object.fromEntries(all.map(([key, { value }]) => [key, value])) as SettingValues;
  const sources = Object.fromEntries(
    all.map(([key, { source }]) => [key, source]),
  ) as ResolvedSettings['sources'];
  const headers = readFamily('headers', settings.headers, profile, headerText);
  const ownParams = Object.entries(settings.params ?? {}).map(([name, value]) => {
    const source: Source = { kind: 'profile', name: profile };
    const checked = checkParameterName(name, 'configuration', ` in profile ${profile}`);
    return [checked, { value, source }] as const;
  });
  const flagParams = Object.entries(flags.params ?? {}).map(([name, value]) => {
    const source: Source = { kind: 'flag', name: '--param' };
    return [checkParameterName(name, 'usage'), { value, source }] as const;
  });

  const { baseUrl } = values;
  const own = ownEntry(settings, definitions.baseUrl.name);
  const ownBaseUrl = typeof own === 'string' ? definitions.baseUrl.type.parse(own) : undefined;
  // The path in a profile belongs to its address.
  const isForOther = sources.apiPath.kind === 'profile' && baseUrl !== ownBaseUrl;
  const command = { value: values.apiKeyCommand, source: sources.apiKeyCommand };
  const { unsent, ...key } = resolveKey(layers, profile, baseUrl, ownBaseUrl, command);
  const [belongsTo, requested] = [originOf(ownBaseUrl), originOf(baseUrl)];
  // Secret headers belong to the profile's own service.
  const isUnsent = (name: string) =>
    baseUrl !== undefined && belongsTo !== requested && isSecretHeader(name);
  const unsentHeaders = headers
    .filter(([name]) => isUnsent(name))
    .map(([name]) => unsentSecret(`header ${name}`, profile, belongsTo, requested));
  return {
    profile: chosen,
    values: isForOther ? { ...values, apiPath: undefined } : values,
    sources,
    params: Object.fromEntries([...ownParams, ...flagParams]),
    headers: Object.fromEntries(headers.filter(([name]) => !isUnsent(name))),
    prices: new Map(readFamily('prices', settings.prices, profile, modelPrice)),
    keys: settings.keys ?? {},
    colors: Object.fromEntries(readFamily('colors', settings.colors, profile, ownColor)),
    ...key,
    unsentSecrets: [...(unsent === undefined ? [] : [unsent]), ...unsentHeaders],
  };
}
