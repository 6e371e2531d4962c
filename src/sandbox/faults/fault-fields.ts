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

export function isReplyName(word: string): word is ReplyName {
  return Object.hasOwn(replySummaries, word);
}

export const replyNames = Object.keys(replySummaries).filter(isReplyName);

interface ValueKind<Value> {
  /** The placeholder in help, without brackets; absent for a switch. */
  readonly placeholder?: string;
  /** Follows "takes" in messages. */
  readonly expects: string;
  /** Undefined for an invalid text. */
  readonly parse: (text: string) => Value | undefined;
}

function valueKind<Value>(
  placeholder: string,
  expects: string,
  parse: ValueKind<Value>['parse'],
): ValueKind<Value> {
  return { placeholder, expects, parse };
}

const toggle: ValueKind<boolean> = {
  expects: 'no value, "true" or "false"',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

/** Text that matches a pattern. */
const text = (placeholder: string, expects = 'any text', pattern = /^/) =>
  valueKind(placeholder, expects, (value) => (pattern.test(value) ? value : undefined));

const choice = <const Word extends string>(words: readonly Word[], placeholder = words.join('|')) =>
  valueKind(placeholder, `one of ${words.join(', ')}`, (value) =>
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
  return valueKind('n', expects, (value) => parseCount(value, least, most));
}

const units: ReadonlyMap<string, number> = new Map([
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
const duration = valueKind(
  'time',
  'milliseconds, a time such as 250ms, 2s or 1min, or "forever"',
  parseDuration,
);

const status = valueKind('code', 'an HTTP status from 200 to 599', (value) =>
  /^[2-5]\d\d$/.test(value) ? Number(value) : undefined,
);

const headerName = /^[\w!#$%&'*+\-.^`|~]+$/;
/** The same pattern as in Node, whose `node:http` would slow every start of natter. */
const headerText = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** `Name: value`. */
const headerLine = valueKind('name: value', 'a header line such as "X-Request-Id: 7"', (line) => {
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(line.trim()) ?? [];
  const isValid = headerName.test(name) && headerText.test(value);
  return isValid ? { [name.toLowerCase()]: value } : undefined;
});

/** When a fault starts: before the headers, or after a number of events. */
const cutPlace = valueKind(
  'request|headers|n',
  '"request" (before the headers), "headers" (right after them) or a number of events',
  (value): number | 'request' | undefined => {
    if (value === 'request') return value;
    return value === 'headers' ? 0 : parseCount(value, 0);
  },
);

/** A pause in milliseconds before each event, or after each few bytes. */
const drip = valueKind(
  'time|bytes/time',
  'a time between events such as 50ms, or bytes and a time such as 1/10ms',
  (value): { readonly interval: number; readonly bytes?: number } | undefined => {
    const [, bytes, time = ''] = /^(?:(\d{1,9})\/)?(.+)$/.exec(value) ?? [];
    const interval = parseDuration(time);
    if (interval === undefined || bytes === '0') return undefined;
    return bytes === undefined ? { interval } : { interval, bytes: Number(bytes) };
  },
);

/** A delta is built in memory. */
const maxUnits = 1_000_000;

/** The size of deltas in UTF-16 units, or of writes in bytes. */
const split = valueKind(
  'utf16|bytes|n|bytes/n',
  '"utf16" (a delta for each UTF-16 unit), a number of units for each delta, "bytes" (a write for each byte) or bytes/n',
  (value): { readonly units: number } | { readonly bytes: number } | undefined => {
    if (value === 'utf16') return { units: 1 };
    const [, bytes, size] = /^(bytes)?\/?(\d{1,9})?$/.exec(value) ?? [];
    const number = Number(size ?? 1);
    if (number === 0 || number > maxUnits || (bytes ?? size) === undefined) return undefined;
    return bytes === undefined ? { units: number } : { bytes: number };
  },
);

/** The part of an answer that a field changes; the reference has a table for each. */
export type FaultSection = 'reply' | 'response' | 'timing' | 'ending' | 'events' | 'counting';

export interface FaultField<Value> extends ValueKind<Value> {
  readonly section: FaultSection;
  readonly summary: string;
  /** The value if only the name is written. */
  readonly bare?: string;
  /** Other accepted names. */
  readonly aliases?: readonly string[];
  /** Repeated values are merged. */
  readonly repeatable?: boolean;
}

function fieldsOf(section: FaultSection) {
  return <Value>(
    kind: ValueKind<Value>,
    summary: string,
    extras: Pick<FaultField<unknown>, 'bare' | 'aliases' | 'repeatable'> = {},
  ): FaultField<Value> => {
    const bare = kind.placeholder === undefined ? { bare: 'true' } : {};
    return { ...kind, section, summary, ...bare, ...extras };
  };
}

/** `Object.keys` with the type of the names. */
function namesOf<Name extends string>(
  table: Readonly<Partial<Record<Name, unknown>>>,
): readonly Name[] {
  return Object.keys(table).filter((name): name is Name => Object.hasOwn(table, name));
}

const reply = fieldsOf('reply');
const response = fieldsOf('response');
const timing = fieldsOf('timing');
const ending = fieldsOf('ending');
const counting = fieldsOf('counting');

const responseFields = {
  reply: reply(choice(replyNames, 'name'), 'reply to send'),
  tokens: reply(wholeNumber(1), 'length of the replies `tokens` and `million`'),
  seed: reply(wholeNumber(0), 'random seed of the replies `tokens` and `million`'),
  rate: reply(wholeNumber(1), 'events per second (tokens, unless `split`); default: no pause', {
    aliases: ['tps', 'speed'],
  }),

  status: response(status, 'respond with this status and an error body', { aliases: ['code'] }),
  message: response(text('text'), 'message in the error body', { aliases: ['detail'] }),
  'error-shape': response(choice(namesOf(errorShapes), 'shape'), 'shape of error bodies', {
    aliases: ['shape'],
  }),
  body: response(text('text'), 'respond with exactly this body'),
  headers: response(headerLine, 'add a response header; repeatable', {
    aliases: ['header'],
    repeatable: true,
  }),
  'content-type': response(
    text('type', 'a media type such as text/plain', headerText),
    'media type in Content-Type',
  ),
  charset: response(
    text('label', 'a label such as windows-1252', headerText),
    'charset in Content-Type; the body stays UTF-8',
  ),
  'retry-after': response(
    text('value', 'any header text', headerText),
    'value of Retry-After; `date+3` becomes a date; the status is 429 unless set',
  ),
  encoding: response(choice(['gzip', 'br', 'deflate']), 'compress the body'),
  framing: response(
    choice(['chunked', 'close']),
    '`close`: end the body by closing the connection',
  ),
  'early-hints': response(toggle, 'send a 103 response first', { aliases: ['103'] }),
  'models-shape': response(choice(namesOf(modelShapes), 'shape'), 'shape of the model list'),
  'no-stream': response(toggle, 'send one JSON body even if a stream was requested', {
    aliases: ['json'],
  }),

  delay: timing(duration, 'wait before the headers', {
    bare: 'forever',
    aliases: ['wait', 'latency', 'stall-before', 'timeout'],
  }),
  'slow-headers': timing(duration, 'send the headers byte by byte, with this time between two', {
    bare: '10ms',
  }),
  'stall-after': timing(wholeNumber(0), 'stop sending after n events, or half of a JSON body', {
    bare: '3',
    aliases: ['stall'],
  }),
  'stall-for': timing(duration, 'length of the stall; default: forever'),
  'keep-alive': timing(duration, 'interval of comments during a stall', { bare: '1s' }),
  drip: timing(drip, 'pause before each event, or after each few bytes', { bare: '50ms' }),

  cut: ending(
    choice(['fin', 'rst', 'end']),
    'end early: `fin` closes the connection, `rst` resets it, `end` ends the body correctly',
    { bare: 'fin' },
  ),
  'cut-after': ending(cutPlace, 'where to cut; default: after 3 events, or half of a JSON body', {
    aliases: ['cut-at'],
  }),
  'hold-open': ending(toggle, 'keep the connection open after the answer'),
  'close-after': ending(toggle, 'close the connection after the answer, unannounced'),

  times: counting(
    wholeNumber(1),
    'affect n requests, then answer normally; for a group in a prompt, the count then restarts',
    { aliases: ['count', 'repeat'] },
  ),
  skip: counting(wholeNumber(0), 'answer n requests normally first'),
  every: counting(wholeNumber(1), 'affect only every n-th request'),
};

/** Repetitions are built in memory. */
const maxRepeats = 10_000;

const events = fieldsOf('events');

/** Fields of single events, mostly where the contract is not precise. */
const eventFields = {
  'malformed-at': events(wholeNumber(1), 'corrupt event n', {
    bare: '3',
    aliases: ['malformed'],
  }),
  'malformed-as': events(choice(namesOf(malformedEvents), 'kind'), 'how to corrupt it'),
  'error-at': events(wholeNumber(1), 'send an error in place of event n, then end', {
    bare: '3',
    aliases: ['error-event', 'error'],
  }),
  'error-as': events(
    choice(['data', 'event']),
    'send the error as plain data (default) or as an `event: error`',
  ),
  'no-done': events(toggle, 'omit `data: [DONE]`'),
  'finish-reason': events(text('word'), 'finish_reason to send', { aliases: ['finish'] }),
  'no-finish-reason': events(toggle, 'omit the finish_reason', { aliases: ['no-finish'] }),
  usage: events(
    choice(['none', 'finish', 'last', 'every']),
    'where to send usage: nowhere, with the finish_reason (default), in a last chunk without choices, or in every chunk',
  ),
  cached: events(wholeNumber(0), 'report n tokens of the prompt as read from a cache'),
  'after-done': events(toggle, 'send a chunk after `[DONE]`'),
  unterminated: events(toggle, 'omit the line end of the last event'),
  split: events(
    split,
    'size of deltas in UTF-16 units, or of writes in bytes; splits characters, too',
  ),
  hostile: events(toggle, 'add terminal escape sequences to the text'),
  'line-ending': events(choice(['lf', 'crlf', 'cr', 'mixed']), 'line ends of the stream', {
    aliases: ['eol'],
  }),
  bom: events(wholeNumber(1, maxRepeats), 'start the stream with n byte order marks', {
    bare: '1',
  }),
  comments: events(wholeNumber(1, maxRepeats), 'send n comment lines before each event', {
    bare: '1',
  }),
  'data-spaces': events(wholeNumber(0, maxRepeats), 'spaces after `data:`; default: 1'),
  'data-lines': events(toggle, 'spread each JSON value over several data lines'),
  'extra-fields': events(toggle, 'add id, retry, event and unknown lines to each event'),
  role: events(
    choice(['first', 'every', 'null', 'empty', 'none']),
    'role in a separate first chunk, in every delta, null, empty or omitted; default: in the first delta',
    { bare: 'first' },
  ),
  'empty-choices': events(toggle, 'start with a chunk without choices'),
  'odd-chunks': events(
    toggle,
    'start with chunks without text: missing or null delta, null or empty content, a second choice, tool calls',
  ),
  reasoning: events(
    choice(['reasoning', 'reasoning_content']),
    'send reasoning text first, in this field',
    { bare: 'reasoning_content' },
  ),
  refusal: events(toggle, 'send a refusal in place of the text'),
};

/** The source of the options of `natter sandbox`, the rules of a scenario, and the `[sandbox …]` group of a prompt. */
const faultFields = { ...responseFields, ...eventFields };

export type FaultFieldName = keyof typeof faultFields;

/** The faults of one answer; empty for a normal answer. Times are in milliseconds. */
export type Fault = {
  readonly [Name in FaultFieldName]?: (typeof faultFields)[Name] extends FaultField<infer Value>
    ? Value
    : never;
};

export const faultFieldRows = namesOf(faultFields).map(
  (name): readonly [FaultFieldName, FaultField<unknown>] => [name, faultFields[name]],
);

/** The fields that select the text; they apply after `times`, too. */
export function replyFieldsOf(fault: Fault): Fault {
  return Object.fromEntries(
    namesOf(fault)
      .filter((name) => faultFields[name].section === 'reply')
      .map((name) => [name, fault[name]]),
  );
}
