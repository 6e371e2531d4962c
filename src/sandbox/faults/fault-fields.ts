import { malformedEvents, errorShapes, modelShapes } from '../shapes.ts';

/** What answers a prompt, by the name in `[sandbox …]`. */
export const replySummaries = {
  default:
    'a description of the request, and suggestions; `sample` if the prompt has a JSON Schema',
  help: 'these tables',
  echo: 'the last user message, unchanged',
  tokens: 'prose of exactly `tokens` tokens; default: 200',
  million: 'prose of a million tokens',
  markdown: 'every Markdown construct',
  code: 'code blocks in many languages',
  tables: 'narrow, wide, ragged and long tables',
  unicode: 'CJK, emoji, right-to-left and combining text',
  sample: 'JSON that conforms to the JSON Schema in the prompt',
  fenced: 'the same in a code fence',
  misfit: 'a JSON string, which no schema of an object or a list accepts',
  hostile: 'escape sequences and deceptive characters, one per line',
} as const;

export type ReplyName = keyof typeof replySummaries;

const names = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as Name[];

export const replyNames = names(replySummaries);

/** What a field takes. The placeholder in help is without brackets, and empty for a switch; "takes" precedes `expects`. */
type ValueKind<Value> = readonly [
  placeholder: string,
  expects: string,
  /** Undefined for an invalid text. */
  parse: (text: string) => Value | undefined,
];

const kind = <Value>(...parts: ValueKind<Value>) => parts;

const toggle = kind('', 'no value, "true" or "false"', (value) =>
  value === 'true' ? true : value === 'false' ? false : undefined,
);

/** Text that matches a pattern. */
const text = (placeholder: string, expects = 'any text', pattern = /^/) =>
  kind(placeholder, expects, (value) => (pattern.test(value) ? value : undefined));

const choice = <const Word extends string>(words: readonly Word[], placeholder = words.join('|')) =>
  kind(placeholder, `one of ${words.join(', ')}`, (value) =>
    words.find((word) => word === value.toLowerCase()),
  );

const suffixes: Readonly<Record<string, number>> = { k: 1000, m: 1_000_000 };

function parseCount(value: string, least: number, most = Infinity): number | undefined {
  const [, digits, suffix = ''] = /^(\d{1,9})([km]?)$/i.exec(value.replaceAll(/[_,]/g, '')) ?? [];
  const count = Number(digits) * (suffixes[suffix.toLowerCase()] ?? 1);
  return digits !== undefined && count >= least && count <= most ? count : undefined;
}

/** A whole number; `k` and `m` mean thousands and millions. */
function wholeNumber(least: number, most?: number): ValueKind<number> {
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`;
  const expects = `a whole number ${range}, such as ${Math.max(least, 3)}`;
  return kind('n', expects, (value) => parseCount(value, least, most));
}

const units = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
]);

function parseDuration(value: string): number | undefined {
  if (/^(forever|ever|infinity)$/i.test(value)) return Infinity;
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|min|m|h)?$/i.exec(value) ?? [];
  return digits === undefined ? undefined : Number(digits) * (units.get(unit.toLowerCase()) ?? 1);
}

/** A time in milliseconds; `Infinity` means forever. */
const duration: ValueKind<number> = [
  'time',
  'milliseconds, a time such as 250ms, 2s or 1min, or "forever"',
  parseDuration,
];

const status = kind('code', 'an HTTP status from 200 to 599', (value) =>
  /^[2-5]\d\d$/.test(value) ? Number(value) : undefined,
);

const headerName = /^[\w!#$%&'*+\-.^`|~]+$/;
/** The same pattern as in Node, whose `node:http` would slow every start of natter. */
const headerText = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** `Name: value`. */
const headerLine = kind('name: value', 'a header line such as "X-Request-Id: 7"', (line) => {
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(line.trim()) ?? [];
  const isValid = headerName.test(name) && headerText.test(value);
  return isValid ? { [name.toLowerCase()]: value } : undefined;
});

/** When a fault starts: before the headers, or after a number of events. */
const cutPlace: ValueKind<number | 'request'> = [
  'request|headers|n',
  '"request" (before the headers), "headers" (right after them) or a number of events',
  (value) => (value === 'request' ? value : parseCount(value === 'headers' ? '0' : value, 0)),
];

/** A pause in milliseconds before each event, or after each few bytes. */
const drip: ValueKind<{ readonly interval: number; readonly bytes?: number }> = [
  'time|bytes/time',
  'a time between events such as 50ms, or bytes and a time such as 1/10ms',
  (value) => {
    const [, bytes, time = ''] = /^(?:(\d{1,9})\/)?(.+)$/.exec(value) ?? [];
    const interval = parseDuration(time);
    if (interval === undefined || bytes === '0') return undefined;
    return bytes === undefined ? { interval } : { interval, bytes: Number(bytes) };
  },
];

/** A delta is built in memory. */
const maxUnits = 1_000_000;

/** The size of deltas in UTF-16 units, or of writes in bytes. */
const split: ValueKind<{ readonly units: number } | { readonly bytes: number }> = [
  'utf16|bytes|n|bytes/n',
  '"utf16" (a delta for each UTF-16 unit), a number of units for each delta, "bytes" (a write for each byte) or bytes/n',
  (value) => {
    if (value === 'utf16') return { units: 1 };
    const [, bytes, size] = /^(bytes)?\/?(\d{1,9})?$/.exec(value) ?? [];
    const number = Number(size ?? 1);
    if (number === 0 || number > maxUnits || (bytes ?? size) === undefined) return undefined;
    return bytes === undefined ? { units: number } : { bytes: number };
  },
];

/** Repetitions are built in memory. */
const maxRepeats = 10_000;

/**
 * The fields by the part of an answer that they change; the reference has a table for each. A field has its kind, its
 * summary, and the value if only its name is written.
 */
const sections = {
  'Reply settings': {
    reply: [choice(replyNames, 'name'), 'reply to send'],
    tokens: [wholeNumber(1), 'length of the replies `tokens` and `million`'],
    seed: [wholeNumber(0), 'random seed of the replies `tokens` and `million`'],
    rate: [wholeNumber(1), 'events per second (tokens, unless `split`); default: no pause'],
  },
  Response: {
    status: [status, 'respond with this status and an error body'],
    message: [text('text'), 'message in the error body'],
    'error-shape': [choice(names(errorShapes), 'shape'), 'shape of error bodies'],
    body: [text('text'), 'respond with exactly this body'],
    headers: [headerLine, 'add a response header; repeatable'],
    'content-type': [
      text('type', 'a media type such as text/plain', headerText),
      'media type in Content-Type',
    ],
    charset: [
      text('label', 'a label such as windows-1252', headerText),
      'charset in Content-Type; the body stays UTF-8',
    ],
    'retry-after': [
      text('value', 'any header text', headerText),
      'value of Retry-After; `date+3` becomes a date; the status is 429 unless set',
    ],
    encoding: [choice(['gzip', 'br', 'deflate']), 'compress the body'],
    framing: [choice(['chunked', 'close']), '`close`: end the body by closing the connection'],
    'early-hints': [toggle, 'send a 103 response first'],
    'models-shape': [choice(names(modelShapes), 'shape'), 'shape of the model list'],
    'no-stream': [toggle, 'send one JSON body even if a stream was requested'],
  },
  Delays: {
    delay: [duration, 'wait before the headers', 'forever'],
    'slow-headers': [duration, 'send the headers byte by byte, with this time between two', '10ms'],
    'stall-after': [wholeNumber(0), 'stop sending after n events, or half of a JSON body', '3'],
    'stall-for': [duration, 'length of the stall; default: forever'],
    'keep-alive': [duration, 'interval of comments during a stall', '1s'],
    drip: [drip, 'pause before each event, or after each few bytes', '50ms'],
  },
  Interruptions: {
    cut: [
      choice(['fin', 'rst', 'end']),
      'end early: `fin` closes the connection, `rst` resets it, `end` ends the body correctly',
      'fin',
    ],
    'cut-after': [cutPlace, 'where to cut; default: after 3 events, or half of a JSON body'],
    'hold-open': [toggle, 'keep the connection open after the answer'],
    'close-after': [toggle, 'close the connection after the answer, unannounced'],
  },
  Counting: {
    times: [
      wholeNumber(1),
      'affect n requests, then answer normally; for a group in a prompt, the count then restarts',
    ],
    skip: [wholeNumber(0), 'answer n requests normally first'],
    every: [wholeNumber(1), 'affect only every n-th request'],
  },
  // Fields of single events, mostly where the contract is not precise.
  'Event stream': {
    'malformed-at': [wholeNumber(1), 'corrupt event n', '3'],
    'malformed-as': [choice(names(malformedEvents), 'kind'), 'how to corrupt it'],
    'error-at': [wholeNumber(1), 'send an error in place of event n, then end', '3'],
    'error-as': [
      choice(['data', 'event']),
      'send the error as plain data (default) or as an `event: error`',
    ],
    'no-done': [toggle, 'omit `data: [DONE]`'],
    'finish-reason': [text('word'), 'finish_reason to send'],
    'no-finish-reason': [toggle, 'omit the finish_reason'],
    usage: [
      choice(['none', 'finish', 'last', 'every']),
      'where to send usage: nowhere, with the finish_reason (default), in a last chunk without choices, or in every chunk',
    ],
    cached: [wholeNumber(0), 'report n tokens of the prompt as read from a cache'],
    'after-done': [toggle, 'send a chunk after `[DONE]`'],
    unterminated: [toggle, 'omit the line end of the last event'],
    split: [split, 'size of deltas in UTF-16 units, or of writes in bytes; splits characters, too'],
    hostile: [toggle, 'add terminal escape sequences to the text'],
    'line-ending': [choice(['lf', 'crlf', 'cr', 'mixed']), 'line ends of the stream'],
    bom: [wholeNumber(1, maxRepeats), 'start the stream with n byte order marks', '1'],
    comments: [wholeNumber(1, maxRepeats), 'send n comment lines before each event', '1'],
    'data-spaces': [wholeNumber(0, maxRepeats), 'spaces after `data:`; default: 1'],
    'data-lines': [toggle, 'spread each JSON value over several data lines'],
    'extra-fields': [toggle, 'add id, retry, event and unknown lines to each event'],
    role: [
      choice(['first', 'every', 'null', 'empty', 'none']),
      'role in a separate first chunk, in every delta, null, empty or omitted; default: in the first delta',
      'first',
    ],
    'empty-choices': [toggle, 'start with a chunk without choices'],
    'odd-chunks': [
      toggle,
      'start with chunks without text: missing or null delta, null or empty content, a second choice, tool calls',
    ],
    reasoning: [
      choice(['reasoning', 'reasoning_content']),
      'send reasoning text first, in this field',
      'reasoning_content',
    ],
    refusal: [toggle, 'send a refusal in place of the text'],
  },
} as const;

type Sections = typeof sections;
type Fields = Sections['Reply settings'] &
  Sections['Response'] &
  Sections['Delays'] &
  Sections['Interruptions'] &
  Sections['Counting'] &
  Sections['Event stream'];

export type FaultFieldName = keyof Fields;

/** The faults of one answer; empty for a normal answer. Times are in milliseconds. */
export type Fault = {
  readonly [Name in FaultFieldName]?: Fields[Name] extends readonly [
    ValueKind<infer Value>,
    ...unknown[],
  ]
    ? Value
    : never;
};

/** Other accepted names. */
const aliases: Readonly<Partial<Record<string, readonly string[]>>> = {
  rate: ['tps', 'speed'],
  status: ['code'],
  message: ['detail'],
  'error-shape': ['shape'],
  headers: ['header'],
  'early-hints': ['103'],
  'no-stream': ['json'],
  delay: ['wait', 'latency', 'stall-before', 'timeout'],
  'stall-after': ['stall'],
  'cut-after': ['cut-at'],
  'malformed-at': ['malformed'],
  'error-at': ['error-event', 'error'],
  'finish-reason': ['finish'],
  'no-finish-reason': ['no-finish'],
  'line-ending': ['eol'],
  times: ['count', 'repeat'],
} satisfies Partial<Record<FaultFieldName, readonly string[]>>;

export type FaultField = (typeof faultFields)[number];

/** The source of the options of `natter sandbox`, the rules of a scenario, and the `[sandbox …]` group of a prompt. */
export const faultFields = names(sections).flatMap((section) =>
  Object.entries<readonly [ValueKind<unknown>, string, string?]>(sections[section]).map(
    ([name, [[placeholder, expects, parse], summary, bare]]) => ({
      name: name as FaultFieldName,
      section,
      placeholder,
      expects,
      parse,
      summary,
      /** The value if only the name is written. */
      bare: placeholder === '' ? 'true' : bare,
      aliases: aliases[name] ?? [],
    }),
  ),
);

/** The fields that select the text; they apply after `times`, too. */
export const replyFieldsOf = (fault: Fault): Fault =>
  Object.fromEntries(Object.entries(fault).filter(([name]) => name in sections['Reply settings']));
