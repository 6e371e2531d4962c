import { maskKey, maskMark, maskUrl } from '../secrets/mask.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { type Definition, definitions, settingKeys, storedValue } from './definitions.ts';
import { modelPrice } from './prices.ts';
import type { ResolvedSettings, Source } from './resolved-settings.ts';

/** A line of `config list` or of a dry run. */
export type SettingRow = ReturnType<typeof settingRow>;

/**
 * Makes a row, with secrets masked.
 * @param name `model`, `params.temperature`, `headers.x-team`, `api-key`
 * @param value as the settings file has it: a number, true or false, the JSON of a parameter, else text
 */
export function settingRow(name: string, value: unknown, source: Source) {
  const [, header] = /^headers\.(.+)$/.exec(name) ?? [];
  const isSecret = header !== undefined && isSecretHeader(header);
  const isAddress = name === definitions.baseUrl.name && typeof value === 'string';
  const shown = isAddress ? maskUrl(value) : value;
  return { name, value: isSecret ? maskMark : shown, source };
}

/** Writes the value of a row as `config set` takes it. */
export const valueText = ({ name, value }: SettingRow): string =>
  typeof value === 'string' && !name.startsWith('params.') ? value : JSON.stringify(value);

/** Makes a row for JSON output; null if there is no value. */
export const jsonRow = ({ name, value = null, source }: SettingRow) => ({ name, value, source });

/** Lists all settings in force, in the order of the table; undefined for those without a value. */
export function listSettings(resolved: ResolvedSettings): readonly SettingRow[] {
  const settings = settingKeys.map((key) => {
    const { name, type } = definitions[key] as Definition<unknown>;
    const value = resolved.values[key];
    const stored = value === undefined ? undefined : storedValue(type, value);
    return settingRow(name, stored, resolved.sources[key]);
  });
  const { params, headers, keys, colors, profile, apiKey, apiKeyCommand: printed } = resolved;
  const parameters = Object.entries(params).map(([key, { value, source }]) =>
    settingRow(`params.${key}`, value, source),
  );
  const prices = Object.fromEntries(
    Array.from(
      resolved.prices,
      ([model, price]) => [model, storedValue(modelPrice, price)] as const,
    ),
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
