import { Option } from 'commander';
import { definitions, type SettingKey } from '../../settings/definitions.ts';
import { formatDuration } from '../../settings/duration.ts';

/** Settings that say how the service is reached; every command takes them. */
export const serviceSettings = [
  'baseUrl',
  'allowInsecure',
  'retries',
  'retryMaxWait',
  'connectTimeout',
  'firstByteTimeout',
  'idleTimeout',
  'timeout',
] as const satisfies readonly SettingKey[];

const units: Readonly<Record<string, string>> = { retries: ' retries', maxTokens: ' tokens' };

function defaultText(key: SettingKey): string {
  const { default: value, type } = definitions[key];
  if (value === undefined || value === false) return '';
  const text = type.name === 'duration' ? formatDuration(Number(value)) : String(value);
  return `, default ${text}${units[key] ?? ''}`;
}

const decapitalize = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * The flag of a setting, from the table of settings. Its value stays text: the settings layer parses flags,
 * variables and profiles alike.
 */
export function settingOption(key: SettingKey, short?: string): Option {
  const { name, type, summary, variable } = definitions[key];
  const argument = type.name === 'true or false' ? '' : ` <${type.name}>`;
  const flags = `${short === undefined ? '' : `${short}, `}--${name}${argument}`;
  return new Option(flags, `${decapitalize(summary)}${defaultText(key)} [${variable}]`);
}
