import { type Definition, definitions, settingKeys } from './definitions.ts';
import { maskKey, maskMark } from '../secrecy/mask-key.ts';
import { isSecretHeader } from '../secrecy/secret-header.ts';
import { maskUrl } from './mask.ts';
import type { ResolvedSettings, Source } from './resolved-settings.ts';

/** One line of `config list` or of a dry run; nothing in it needs masking any more. */
export interface SettingRow {
  /** `model`, `params.temperature`, `headers.x-team`, `api-key`. */
  readonly name: string;
  /** As `config set` takes it; undefined where there is no value. */
  readonly value: string | undefined;
  readonly source: Source;
}

/** A value of a setting, parameter or header as text for a person, secrets masked. */
function maskSettingValue(name: string, value: string): string {
  if (name === definitions.baseUrl.name) return maskUrl(value);
  const header = /^headers\.(?<header>.+)$/.exec(name)?.groups?.['header'];
  return header !== undefined && isSecretHeader(header) ? maskMark : value;
}

/** Everything that is in force, in the order of the table, secrets masked. */
export function listSettings(resolved: ResolvedSettings): readonly SettingRow[] {
  const settings = settingKeys.map((key): SettingRow => {
    const { name, type } = definitions[key] as Definition<unknown>;
    const value = resolved.values[key];
    const text =
      value === undefined ? undefined : maskSettingValue(name, String(type.store(value)));
    return { name, value: text, source: resolved.sources[key] };
  });
  const params = Object.entries(resolved.params).map(([name, { value, source }]): SettingRow => ({
    name: `params.${name}`,
    value: JSON.stringify(value),
    source,
  }));
  const headers = Object.entries(resolved.headers).map(([name, { value, source }]): SettingRow => ({
    name: `headers.${name}`,
    value: maskSettingValue(`headers.${name}`, value),
    source,
  }));
  const { apiKey } = resolved;
  const key: SettingRow = {
    name: 'api-key',
    value: apiKey === undefined ? undefined : maskKey(apiKey.value),
    source: apiKey?.source ?? { kind: 'default', name: 'default' },
  };
  return [...settings, ...params, ...headers, key];
}
