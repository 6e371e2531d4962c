import {
  address,
  age,
  anyText,
  budget,
  command,
  duration,
  fileName,
  identifier,
  keys,
  modelNames,
  oneOf,
  trueOrFalse,
  urlPath,
  type ValueType,
  wholeNumber,
} from './value-types.ts';

const optional = <Value>(type: ValueType<Value>, summary: string) => ({ type, summary });

const withDefault = <Value>(type: ValueType<Value>, value: NoInfer<Value>, summary: string) => ({
  type,
  summary,
  default: value,
});

/** A setting with one of some words; the first is the default. */
const choice = <Word extends string>(words: readonly [Word, ...Word[]], summary: string) =>
  withDefault(oneOf(...words), words[0], summary);

/** The settings: the source of flags, variables, the settings file, help and checks. Summaries have no full stop. */
const table = {
  baseUrl: optional(address, 'Address of the service, with or without /v1'),
  apiPath: optional(urlPath, 'Path of the API after the base URL, instead of /v1; / adds nothing'),
  apiKeyCommand: optional(
    command,
    'Command that prints the key, such as pass show natter; run without a shell',
  ),
  model: withDefault(
    identifier,
    'origin',
    'Model to use, such as origin or nextgen; auto picks the smallest that fits the prompt',
  ),
  system: optional(anyText, 'System prompt sent before the conversation'),
  role: optional(
    fileName,
    'System prompt by name: the text of roles/NAME.md in the settings folder',
  ),
  maxTokens: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), 'Maximum tokens in the answer'),
  retries: withDefault(wholeNumber(0, 100), 4, 'Maximum number of retries'),
  retryMaxWait: withDefault(duration, 60_000, 'Longest Retry-After to wait for'),
  connectTimeout: withDefault(duration, 10_000, 'Longest time to connect'),
  firstByteTimeout: withDefault(
    duration,
    600_000,
    'Longest wait for the first byte of the response',
  ),
  idleTimeout: withDefault(duration, 300_000, 'Longest pause within an answer'),
  timeout: withDefault(duration, 0, 'Total time limit, retries included; 0 means no limit'),
  allowInsecure: withDefault(trueOrFalse, false, 'Send the key over plain http to another host'),
  save: withDefault(trueOrFalse, true, 'Keep conversations on disk'),
  keep: withDefault(
    age,
    'forever',
    'Delete conversations for good that did not change for so long, such as 90d; pinned ones stay',
  ),
  continue: choice(
    ['anywhere', 'folder'],
    'Conversation that -c continues: the latest of anywhere, or of the current folder',
  ),
  titles: choice(
    ['words', 'model'],
    'Title of a conversation: its first words, or model: one more request after the first answer on a terminal',
  ),
  fallback: optional(
    modelNames,
    'Models that answer if the first one fails or is too small: nextgen,local:llama3',
  ),
  ledger: withDefault(
    trueOrFalse,
    true,
    'Keep a line without text for each request (natter usage)',
  ),
  secretGuard: choice(
    ['ask', 'redact', 'off'],
    'What to do about keys and passwords in piped and attached text',
  ),
  responseFormat: choice(
    ['none', 'json_object', 'json_schema'],
    'Field response_format to send with --schema: none, json_object or json_schema',
  ),
  thinkTags: choice(
    ['auto', 'answer'],
    '<think>…</think> at the start of an answer: auto hides it as reasoning, answer prints it',
  ),
  budget: optional(
    budget,
    'Most tokens or money a profile may use, such as 2M/day, 5usd/week or 20eur/month',
  ),
  shellKey: withDefault(keys, 'alt-m', 'Key for a command (natter shell-init)'),
  shellExplainKey: withDefault(keys, 'alt-i', 'Key for an explanation (natter shell-init)'),
  shellCommands: withDefault(
    trueOrFalse,
    true,
    'Run lines of a conversation that start with ! in the shell',
  ),
  compact: choice(
    ['off', 'auto'],
    'Summarize older turns of a conversation at 80% of the window: off or auto',
  ),
  editing: choice(
    ['emacs', 'vi'],
    'Keys that edit a prompt of a conversation, except in line mode: emacs or vi',
  ),
  theme: choice(
    ['color', 'light', 'dark', 'mono', 'plain'],
    'Colours of an answer on a terminal: color, light, dark, mono or plain',
  ),
  wrap: choice(
    ['words', 'none'],
    'Where rows of an answer end on a terminal: words, or none to let the terminal wrap',
  ),
  times: choice(['off', 'on'], 'Show when the prompts of a conversation were sent: off or on'),
  notify: choice(
    ['auto', 'bell', 'osc9', 'osc777', 'off'],
    'Report a long answer while the window has no focus: auto, bell, osc9, osc777 or off',
  ),
  notifyAfter: withDefault(
    duration,
    10_000,
    'How long an answer must take to be reported (notify)',
  ),
  progress: choice(
    ['auto', 'on', 'off'],
    'Progress in the tab or taskbar (OSC 9;4); auto: in terminals known to show it',
  ),
  windowTitle: choice(
    ['auto', 'on', 'off'],
    'State in the title of the window; auto: in terminals that can restore the old title',
  ),
  promptMarks: choice(
    ['auto', 'on', 'off'],
    'Marks that terminals jump between (OSC 133); auto: in terminals known to use them',
  ),
  window: optional(
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
    'Context window of the models in tokens, instead of what the service reports',
  ),
};

type Table = typeof table;

export type SettingKey = keyof Table;

/** Every setting with one value. Durations are milliseconds; 0 means no limit. */
export type SettingValues = {
  readonly [Key in SettingKey]: Table[Key] extends { readonly default: infer Value }
    ? Value
    : Table[Key] extends { readonly type: ValueType<infer Value> }
      ? Value | undefined
      : never;
};

/** The settings that options set, as typed; `-c, --continue` and `--times` mean something else. */
export type SettingOptions = {
  readonly [Key in Exclude<SettingKey, 'continue' | 'times'>]?:
    | (SettingValues[Key] extends boolean ? boolean : string)
    | undefined;
};

/** A setting of the table with its names. */
export interface Definition<Value> {
  /** The name in `config set`; with two dashes it is the flag. */
  readonly name: string;
  readonly variable: string;
  readonly type: ValueType<Value>;
  /** Absent if the setting has no value by default. */
  readonly default?: Value;
  readonly summary: string;
}

/** The settings of the table by key; `retryMaxWait` is `retry-max-wait` and `NATTER_RETRY_MAX_WAIT`. */
export const definitions = Object.fromEntries(
  Object.entries(table).map(([key, row]) => {
    const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const variable = `NATTER_${name.toUpperCase().replaceAll('-', '_')}`;
    return [key, { name, variable, ...row }];
  }),
) as unknown as {
  readonly [Key in SettingKey]: Definition<Exclude<SettingValues[Key], undefined>>;
};

/** Families of settings in a profile; the user chooses the names of their members. */
export const familyNames = ['params', 'headers', 'prices', 'keys', 'colors'] as const;
export type Family = (typeof familyNames)[number];

export const settingKeys = Object.keys(definitions) as readonly SettingKey[];
