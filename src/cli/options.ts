import { type Command, Option } from 'commander';
import { type SettingKey, definitions, duration } from '../settings/definitions.ts';
import { parseValue } from '../settings/setting-value.ts';

export type OptionGroup = readonly [heading: string, options: readonly Option[]];

export function addOptionGroups(command: Command, groups: readonly OptionGroup[]): void {
  for (const [heading, options] of groups) {
    for (const option of options) command.addOption(option.helpGroup(heading));
  }
}

export const serviceGroup = 'Service options:';
export const generalGroup = 'General options:';

/** What `<duration>` is in the help of options. */
export const durationNote =
  'A <duration> is 500ms, 30s, 10m or 1h; a plain number is seconds, 0 no limit.';

export const decapitalize = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** What a setting is, its numbers and its default, for a row of the help: `…, 0 to 100, default 2`. */
export function settingText(key: SettingKey): string {
  const { summary, type, default: value } = definitions[key];
  const numbers = type.expected.replace(/^a whole number,? (?:from )?/, '');
  const range = type.name === 'number' ? `, ${numbers}` : '';
  const shown = type.name === 'duration' ? duration.store(Number(value)) : String(value);
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
    new Option('--record <file>', 'record requests and responses, keys redacted [NATTER_RECORD]'),
    new Option('--replay <file>', 'answer from this recording: no service or key [NATTER_REPLAY]'),
    new Option(
      '--speed <factor>',
      'replay speed: 1 as recorded, 10 ten times as fast, or max; default 1 [NATTER_REPLAY_SPEED]',
    ),
    ...(['baseUrl', 'apiPath', 'allowInsecure', 'retries', 'retryMaxWait'] as const),
    ...(['connectTimeout', 'firstByteTimeout', 'idleTimeout', 'timeout'] as const),
  ].map((option) => (typeof option === 'string' ? settingOption(option) : option));
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

// Options of the commands that send prompts.

/** Refuses a word: `-t` is the template of a different client. @throws Failure `usage` */
function refuseTemplate(text: string): string {
  if (/^[a-z_][\w./-]*$/i.test(text)) {
    parseValue(definitions.maxTokens.type, text, {
      label: '--max-tokens',
      kind: 'usage',
      hint: 'a template is a prompt file: ‹natter run NAME› sends it; ‹natter prompts› lists them',
    });
  }
  return text;
}

export const strictOption = () =>
  new Option('--strict', 'fail (exit code 16) if the service seems to have cut the prompt');

/** Options of the request, except the model. */
export const requestOptions = (): readonly Option[] => [
  settingOption('system', '-s'),
  settingOption('role'),
  settingOption('maxTokens', '-t').argParser(refuseTemplate),
  new Option(
    '-f, --file <path>',
    'attach a text file, a folder, a quoted pattern, an https: URL, or - for standard input; repeatable',
  ).argParser(collect),
  new Option('--param <key=json>', 'add a field to the request body; repeatable').argParser(
    collect,
  ),
  new Option('--no-stream', 'do not stream the answer'),
  settingOption('budget'),
  strictOption(),
];

export const allowSecretsOption = () =>
  new Option('--allow-secrets', 'send secrets in the input [NATTER_SECRET_GUARD]');

export const secretOptions = (): readonly Option[] => [
  new Option('--redact', 'send placeholders for secrets in the input, and put them back').conflicts(
    'allowSecrets',
  ),
  allowSecretsOption(),
];

export const inputOptions = (): readonly Option[] => [
  new Option('--no-stdin', 'do not read standard input; the prompt word - requires it'),
  new Option(
    '--stdin-encoding <label>',
    'encoding of standard input and files, such as latin1, default utf-8',
  ),
  new Option('--lossy', 'replace invalid bytes instead of failing'),
  ...secretOptions(),
];

/** `alone`: what `--resume` without a conversation and a prompt does. */
export const conversationOptions = (alone = ''): readonly Option[] => [
  new Option('-c, --continue', 'continue the most recent conversation, or start one'),
  new Option(
    '--resume [conversation]',
    `continue this conversation: id, title or latest (default)${alone}`,
  ).conflicts('continue'),
  new Option(
    '--conversation <name>',
    'continue the conversation with this title, or start it',
  ).conflicts(['continue', 'resume', 'branch']),
  new Option('--branch', 'continue in a copy of it'),
  new Option('--save', 'save the conversation, overriding the setting'),
  new Option('--no-save', 'do not save the conversation [NATTER_SAVE]'),
];

export const checkGroup = 'Checked answers:';

/** They print something else, or send several prompts. */
export const uncheckedOptions = ['markdown', 'interactive', 'every', 'split', 'extract'];

export const schemaOption = (): Option =>
  new Option(
    '--schema <schema>',
    'ask for JSON and check it: a JSON Schema (file or text), or fields: "name, age int"',
  ).conflicts(uncheckedOptions);

export const selectOption = (): Option =>
  new Option(
    '--select <pointer>',
    'print one value of a JSON answer, such as /items/0/name',
  ).conflicts(uncheckedOptions);

export const checkOptions = (): readonly Option[] => [
  schemaOption(),
  new Option('--schema-retries <n>', 'ask again after a mismatch, at most n times; default 1'),
  settingOption('responseFormat'),
  selectOption(),
];

/** Messages before the prompt. They start a conversation. */
export const messageOptions = (): readonly Option[] => {
  const others = ['continue', 'resume', 'branch', 'interactive', 'every', 'split'];
  return [
    new Option(
      '--messages <file>',
      'send these messages before the prompt: JSON, or JSON lines, of {role, content}; - for standard input',
    ).conflicts(others),
    new Option(
      '-M <role:text>',
      'send this message before the prompt; roles: system, user, assistant; repeatable',
    )
      .argParser(collect)
      .conflicts(others),
  ];
};

/** See `withExtractValues` in cli/command-line.ts. */
export const extractOption = (): Option =>
  new Option(
    '-x, --extract [n|last]',
    'print only a code block of the answer: the first (default), number n, or the last; exit code 13 without it',
  ).conflicts([
    'markdown',
    'interactive',
    'every',
    'split',
    'raw',
    'schema',
    'select',
    'schemaRetries',
    'block',
  ]);
