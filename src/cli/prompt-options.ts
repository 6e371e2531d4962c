import { Option } from 'commander';
import { definitions } from '../settings/definitions.ts';
import { parseSettingValue } from '../settings/setting-value.ts';
import { collect, settingOption } from './global-options.ts';

// Options of the commands that send prompts.

/** Refuses a word: `-t` is the template of a different client. @throws Failure `usage` */
function refuseTemplate(text: string): string {
  if (/^[a-z_][\w./-]*$/i.test(text)) {
    parseSettingValue(definitions.maxTokens, text, {
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

export const checkOptions = (): readonly Option[] => [
  schemaOption(),
  new Option('--schema-retries <n>', 'ask again after a mismatch, at most n times; default 1'),
  settingOption('responseFormat'),
];

export const selectOption = (): Option =>
  new Option(
    '--select <pointer>',
    'print one value of a JSON answer, such as /items/0/name',
  ).conflicts(uncheckedOptions);

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
