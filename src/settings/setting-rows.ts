import { maskKey, maskMark, maskUrl } from '../secrets/mask.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { type Definition, definitions, settingKeys } from './definitions.ts';
import { type PriceTable, priceText } from './prices.ts';
import type { ResolvedSettings, Source } from './resolved-settings.ts';

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

/** Makes a row whose value is text. */
export function textRow(name: string, value: string | undefined, source: Source): SettingRow {
  return value === undefined ? { name, value, source } : { name, value, json: value, source };
}

/** Makes a row for JSON output; null if there is no value. */
export function jsonRow({ name, json = null, source }: SettingRow) {
  return { name, value: json, source };
}

const priceTexts = (prices: PriceTable) =>
  Object.fromEntries([...prices].map(([model, price]) => [model, priceText(price)]));

function familyRows(resolved: ResolvedSettings): readonly SettingRow[] {
  const { params, headers, prices, keys, colors, profile } = resolved;
  const source: Source = { kind: 'profile', name: profile.value };
  const texts = { headers, prices: priceTexts(prices), keys, colors };
  return [
    ...Object.entries(params).map(([key, { value, source: own }]) => {
      return { name: `params.${key}`, value: JSON.stringify(value), json: value, source: own };
    }),
    ...Object.entries(texts).flatMap(([family, members]) =>
      Object.entries(members).map(([key, value]) => {
        const name = `${family}.${key}`;
        return textRow(name, maskSettingValue(name, String(value)), source);
      }),
    ),
  ];
}

/** Lists all settings in force, in the order of the table, with secrets masked. */
export function listSettings(resolved: ResolvedSettings): readonly SettingRow[] {
  const settings = settingKeys.map((key): SettingRow => {
    const { name, type } = definitions[key] as Definition<unknown>;
    const value = resolved.values[key];
    const source = resolved.sources[key];
    if (value === undefined) return { name, value: undefined, source };
    const stored = type.store(value);
    const text = maskSettingValue(name, String(stored));
    return { name, value: text, json: typeof stored === 'string' ? text : stored, source };
  });
  const { apiKey, apiKeyCommand: printed } = resolved;
  const masked = apiKey === undefined ? undefined : maskKey(apiKey.value);
  const key = printed === undefined ? masked : maskMark;
  const source = (apiKey ?? printed)?.source ?? ({ kind: 'default', name: 'default' } as const);
  return [...settings, ...familyRows(resolved), textRow('api-key', key, source)];
}
