import { completeAddress, portProblem } from '../address.ts';

const millisecondsPerUnit: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

export interface ValueType<Value> {
  /** The word in tables and help: `duration`, `number`. */
  readonly name: string;
  /** All values, if they are few. */
  readonly words?: readonly string[];
  /** Completes "must be …". */
  readonly expected: string;
  /** Undefined for invalid text. */
  parse(text: string): Value | undefined;
  /** Completes "has …", if the mistake is known. */
  readonly mistake?: (text: string) => string | undefined;
  /** Makes the text of the settings file; absent if the file has the value itself. */
  readonly store?: (value: Value) => string;
}

/** Returns a value as the settings file has it; as text it is the output of `config get`. */
export const storedValue = <Value>({ store }: ValueType<Value>, value: Value): unknown =>
  store === undefined ? value : store(value);

export const anyText: ValueType<string> = {
  name: 'text',
  expected: 'text',
  parse: (text) => text,
};

/**
 * Makes a type for text that matches a pattern, without the white space around it.
 * @param read brings the text into the spelling that is checked and stored
 */
function matching(
  name: string,
  expected: string,
  pattern: RegExp,
  read = (text: string) => text,
): ValueType<string> {
  const parse = (text: string) => {
    const value = read(text.trim());
    return pattern.test(value) ? value : undefined;
  };
  return { name, expected, parse };
}

const identifier = matching('id', 'an id without spaces', /^[^\s\p{Cc}]+$/u);

/** The name of a file without folders and extension. */
const fileName = matching(
  'role',
  'a name without spaces and slashes',
  /^[^\s\p{Cc}/\\:.][^\s\p{Cc}/\\:]*$/u,
);

/** A command on one line; `commandWords` splits it where it runs. */
const command = matching('command', 'a command on one line', /^[^\p{Cc}]+$/u);

/** The value of a header. RFC 9110, 5.5: visible ASCII, spaces and tabs. */
export const headerText = matching('text', 'one line of plain ASCII text', /^[\t\x20-\x7e]+$/);

const urlPath = matching('path', 'a path such as /v3, or / for none', /^(?=.)(?:\/[\w.~%-]+)*\/?$/);

/** A budget is stored as typed; `usage/budget.ts` reads it. */
const budget = matching(
  'budget',
  'tokens or money with its currency, and /day, /week or /month, such as 2M/day or 5usd/week',
  /^(?=[\d.]*[1-9])\d{1,12}(?:\.\d{1,9})?\s*(?:[kmg]|[a-z]{3})?\s*\/\s*(?:day|week|month)$/i,
);

/** An age as typed; {@link parseAge} reads it. */
const age = matching(
  'age',
  'forever, or an age such as 90d, 12w or 48h',
  /^(?:forever|[1-9]\d{0,3}[hdw])$/,
);

/** Reads `48h`, `90d` or `12w` as milliseconds; undefined for any other text. */
export function parseAge(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(text.trim()) ?? [];
  const hoursOf: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };
  const hours = hoursOf[unit];
  return hours === undefined ? undefined : Number(digits) * hours * 3_600_000;
}

/** A key, or a key after Ctrl+X; without those that end a line or a program. `none` removes the binding. */
export const keys = matching(
  'key',
  'a key such as alt-m, ctrl-g, f4 or "ctrl-x m", or none',
  /^(?:none|alt-[a-z\d/,.=]|ctrl-(?![cdhijmqsxz])[a-z]|ctrl-x (?:[a-z\d]|ctrl-(?![cdijmz])[a-z])|f(?:[1-9]|1[0-2]))$/,
  (text) => text.toLowerCase().replaceAll(/\b(alt|ctrl)\+/g, '$1-'),
);

/** Models separated by commas, each `model`, `profile:model` or `profile:`. */
const modelNames: ValueType<string> = {
  name: 'models',
  expected: 'models separated by commas, such as nextgen,local:llama3',
  parse(text) {
    const names = text.split(',').map((name) => name.trim());
    const areNames = names.every((name) => /^(?!:$)[^\s\p{Cc}]+$/u.test(name));
    return areNames ? names.join(',') : undefined;
  },
};

/** White space, control characters, and where query and fragment begin. */
const notInAddress = /[\s\p{Cc}?#]/u;

/** An HTTP base address, stored as typed except for a missing `http://`. */
export const address: ValueType<string> = {
  name: 'URL',
  expected:
    'an http:// or https:// address such as https://api.example.com, without query (but ?api-version=) or fragment',
  parse(text) {
    const trimmed = completeAddress(text.trim());
    const [scheme] = trimmed.toLowerCase().split('//', 1);
    const isUrl = (scheme === 'http:' || scheme === 'https:') && URL.canParse(trimmed);
    const withoutVersion = trimmed.replace(/\?api-version=[\w.-]+$/, '');
    return isUrl && !notInAddress.test(withoutVersion) ? trimmed : undefined;
  },
  mistake: (text) => portProblem(completeAddress(text.trim())),
};

/** A duration is milliseconds in the program, at most an exact integer, and text such as `30s` in the file. */
export const duration = {
  name: 'duration',
  expected: 'a duration such as 500ms, 30s, 10m or 1h (a plain number is seconds)',
  parse: (text: string): number | undefined => {
    const match = /^(?<amount>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|h)?$/i.exec(text.trim());
    const size = millisecondsPerUnit.get(match?.groups?.['unit']?.toLowerCase() ?? 's');
    if (match === null || size === undefined) return undefined;
    const milliseconds = Math.round(Number(match.groups?.['amount']) * size);
    return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
  },
  /** Writes the shortest exact text: `10m`, `90s`, `500ms`, `0`. */
  store: (milliseconds: number): string => {
    if (milliseconds === 0) return '0';
    const units = [...millisecondsPerUnit];
    const [unit, size] = units.find(([, one]) => milliseconds % one === 0) ?? ['ms', 1];
    return `${milliseconds / size}${unit}`;
  },
};

export function wholeNumber(least: number, most: number): ValueType<number> {
  return {
    name: 'number',
    expected:
      most === Number.MAX_SAFE_INTEGER
        ? `a whole number, ${least} or more`
        : `a whole number from ${least} to ${most}`,
    parse(text) {
      const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export const trueOrFalse: ValueType<boolean> = {
  name: 'true or false',
  expected: 'true or false',
  parse(text) {
    if (/^\s*(?:true|yes|on|1)\s*$/i.test(text)) return true;
    return /^\s*(?:false|no|off|0)\s*$/i.test(text) ? false : undefined;
  },
};

function oneOf<Word extends string>(...words: readonly Word[]): ValueType<Word> {
  return {
    name: words.join('|'),
    words,
    expected: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    parse: (text) => words.find((word) => word === text.trim().toLowerCase()),
  };
}

const optional = <Value>(type: ValueType<Value>, summary: string) => ({
  type,
  summary,
  default: undefined as Value | undefined,
});

const withDefault = <Value>(type: ValueType<Value>, value: NoInfer<Value>, summary: string) => ({
  type,
  summary,
  default: value,
});

const onOrOff = (value: boolean, summary: string) => withDefault(trueOrFalse, value, summary);

const lasting = (milliseconds: number, summary: string) =>
  withDefault(duration, milliseconds, summary);

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
  retryMaxWait: lasting(60_000, 'Longest Retry-After to wait for'),
  connectTimeout: lasting(10_000, 'Longest time to connect'),
  firstByteTimeout: lasting(600_000, 'Longest wait for the first byte of the response'),
  idleTimeout: lasting(300_000, 'Longest pause within an answer'),
  timeout: lasting(0, 'Total time limit, retries included; 0 means no limit'),
  allowInsecure: onOrOff(false, 'Send the key over plain http to another host'),
  save: onOrOff(true, 'Keep conversations on disk'),
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
  ledger: onOrOff(true, 'Keep a line without text for each request (natter usage)'),
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
  shellCommands: onOrOff(true, 'Run lines of a conversation that start with ! in the shell'),
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
  notifyAfter: lasting(10_000, 'How long an answer must take to be reported (notify)'),
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
  readonly [Key in SettingKey]: Table[Key]['default'];
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
  readonly default: Value | undefined;
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
