import { type Command, Option } from 'commander';
import { serviceSettings, settingOption } from './setting-option.ts';

/** Options that every command takes, before or after its name. Values of settings are unparsed text. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly sandbox?: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet?: boolean;
  /** False with `--no-input`: never ask. */
  readonly input: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly speed?: string;
  readonly baseUrl?: string;
  readonly allowInsecure?: boolean;
  readonly retries?: string;
  readonly retryMaxWait?: string;
  readonly connectTimeout?: string;
  readonly firstByteTimeout?: string;
  readonly idleTimeout?: string;
  readonly timeout?: string;
}

/** Options of a command that can print its data as JSON. */
export interface JsonOptions extends GlobalOptions {
  readonly json?: boolean;
}

/** Options under the heading that help shows them by. */
export type OptionGroup = readonly [heading: string, options: readonly Option[]];

/** Adds options in the order that help shows them in. */
export function addOptionGroups(command: Command, groups: readonly OptionGroup[]): void {
  for (const [heading, options] of groups) {
    for (const option of options) command.addOption(option.helpGroup(heading));
  }
}

export const serviceGroup = 'Service options:';
export const generalGroup = 'General options:';

/** Adds the options every command takes to the root command. */
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
      'replay speed: 1 as recorded, 10 ten times as fast, or max [NATTER_REPLAY_SPEED]',
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

/** Collects a repeatable option. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}
