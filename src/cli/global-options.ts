import { type Command, Option } from 'commander';
import { type SettingKey, definitions } from '../settings/definitions.ts';
import { formatDuration } from '../settings/value-types.ts';

export type OptionGroup = readonly [heading: string, options: readonly Option[]];

export function addOptionGroups(command: Command, groups: readonly OptionGroup[]): void {
  for (const [heading, options] of groups) {
    for (const option of options) command.addOption(option.helpGroup(heading));
  }
}

export const serviceGroup = 'Service options:';
export const generalGroup = 'General options:';

/** Settings about reaching the service; every command has their options. */
const serviceSettings = [
  'baseUrl',
  'apiPath',
  'allowInsecure',
  'retries',
  'retryMaxWait',
  'connectTimeout',
  'firstByteTimeout',
  'idleTimeout',
  'timeout',
] as const satisfies readonly SettingKey[];

/** What `<duration>` is in the help of options. */
export const durationNote =
  'A <duration> is 500ms, 30s, 10m or 1h; a plain number is seconds, 0 no limit.';

export const decapitalize = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** What a setting is, its numbers and its default, for a row of the help: `…, 0 to 100, default 2`. */
export function settingText(key: SettingKey): string {
  const { summary, type, default: value } = definitions[key];
  const numbers = type.expected.replace(/^a whole number,? (?:from )?/, '');
  const range = type.name === 'number' ? `, ${numbers}` : '';
  const shown = type.name === 'duration' ? formatDuration(Number(value)) : String(value);
  const isUnset = value === undefined || value === false;
  return `${decapitalize(summary)}${range}${isUnset ? '' : `, default ${shown}`}`;
}

/** The option of a setting, from the table of settings. The settings layer parses its value. */
export function settingOption(key: SettingKey, short?: string): Option {
  const { name, type, variable } = definitions[key];
  const argument = type.name === 'true or false' ? '' : ` <${type.name}>`;
  const flags = `${short === undefined ? '' : `${short}, `}--${name}${argument}`;
  return new Option(flags, `${settingText(key)} [${variable}]`);
}

// Options of several commands.

export const jsonOption = () => new Option('--json', 'print JSON');
export const jsonLinesOption = () => new Option('--jsonl', 'print each event as a JSON line');
export const plainOption = () => new Option('--plain', 'print plain text on a terminal too');
export const forceOption = () => new Option('--force', 'replace an existing file');

export function addGlobalOptions(program: Command): void {
  const service = [
    new Option('--profile <name>', 'settings profile, default the current one [NATTER_PROFILE]'),
    new Option('--sandbox', 'use the built-in sandbox: no service, key or network'),
    new Option(
      '--record <file>',
      'record requests and responses in this file, keys redacted [NATTER_RECORD]',
    ),
    new Option('--replay <file>', 'answer from this recording: no service or key [NATTER_REPLAY]'),
    new Option(
      '--speed <factor>',
      'replay speed: 1 as recorded, 10 ten times as fast, or max; default 1 [NATTER_REPLAY_SPEED]',
    ),
    ...serviceSettings.map((key) => settingOption(key)),
  ];
  const general = [
    new Option('--color <when>', 'use colour: auto, always or never; default auto')
      .choices(['auto', 'always', 'never'])
      .default('auto'),
    new Option('-q, --quiet', 'print only warnings and failures on standard error'),
    new Option('--no-input', 'never prompt for input; fail instead'),
  ];
  addOptionGroups(program, [
    [serviceGroup, service],
    [generalGroup, general],
  ]);
}

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}
