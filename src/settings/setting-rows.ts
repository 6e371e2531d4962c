import { maskKey, maskMark, maskUrl } from '../secrets/mask.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { type Definition, definitions, settingKeys } from './definitions.ts';
import { priceText } from './prices.ts';
import type { ResolvedSettings, Source } from './resolved-settings.ts';
import { storedValue } from './value-types.ts';

/** A line of `config list` or of a dry run, masked. */
export interface SettingRow {
  /** `model`, `params.temperature`, `headers.x-team`, `api-key`. */
  readonly name: string;
  /** The value as `config set` takes it; undefined if there is none. */
  readonly value: string | undefined;
  /** The value as the settings file has it: a number, true or false, the JSON of a parameter, else text. Absent if `value` is. */
  readonly json?: unknown;
  readonly source: Source;
}

function maskSettingValue(name: string, value: string): string {
  if (name === definitions.baseUrl.name) return maskUrl(value);
  const header = /^headers\.(?<header>.+)$/.exec(name)?.groups?.['header'];
  return header !== undefined && isSecretHeader(header) ? maskMark : value;
}

/** Writes a stored value for output, with secrets masked. @param name as in {@link SettingRow} */
export function storedText(name: string, value: unknown): string {
  return maskSettingValue(name, typeof value === 'string' ? value : JSON.stringify(value));
}

/** Makes a row with a value as the settings file has it, masked. */
export function settingRow(name: string, stored: unknown, source: Source): SettingRow {
  if (stored === undefined) return { name, value: undefined, source };
  if (typeof stored !== 'string')
    return { name, value: JSON.stringify(stored), json: stored, source };
  const value = maskSettingValue(name, stored);
  return { name, value, json: value, source };
}

/** Makes a row for JSON output; null if there is no value. */
export function jsonRow({ name, json = null, source }: SettingRow) {
  return { name, value: json, source };
}

/** Lists all settings in force, in the order of the table, with secrets masked. */
export function listSettings(resolved: ResolvedSettings): readonly SettingRow[] {
  const settings = settingKeys.map((key) => {
    const { name, type } = definitions[key] as Definition<unknown>;
    const value = resolved.values[key];
    const stored = value === undefined ? undefined : storedValue(type, value);
    return settingRow(name, stored, resolved.sources[key]);
  });
  const { params, headers, keys, colors, profile, apiKey, apiKeyCommand: printed } = resolved;
  const parameters = Object.entries(params).map(([key, { value, source }]) => {
    return { name: `params.${key}`, value: JSON.stringify(value), json: value, source };
  });
  const prices = Object.fromEntries(
    Array.from(resolved.prices, ([model, price]) => [model, priceText(price)] as const),
  );
  const families = Object.entries({ headers, prices, keys, colors }).flatMap(([family, members]) =>
    Object.entries(members).map(([key, value]) => {
      const source = { kind: 'profile', name: profile.value } as const;
      return settingRow(`${family}.${key}`, String(value), source);
    }),
  );
  const masked = apiKey === undefined ? undefined : maskKey(apiKey.value);
  const key = printed === undefined ? masked : maskMark;
  const source = (apiKey ?? printed)?.source ?? ({ kind: 'default', name: 'default' } as const);
  return [...settings, ...parameters, ...families, settingRow('api-key', key, source)];
}
