import { malformedSummaries } from '../answers/malformed-events.ts';
import { errorShapes } from '../error-shapes.ts';
import { modelShapes } from '../model-records.ts';
import { replyNames } from '../replies/reply.ts';
import {
  anyText,
  choice,
  cutPlace,
  drip,
  duration,
  headerLine,
  headerValue,
  split,
  status,
  toggle,
  type ValueKind,
  wholeNumber,
} from './fault-values.ts';

/** The part of an answer a field changes; the headings of the reference tables. */
export type FaultSection = 'reply' | 'response' | 'timing' | 'ending' | 'events' | 'counting';

/** One row of the table of fault fields. */
export interface FaultField<Value> extends ValueKind<Value> {
  readonly section: FaultSection;
  readonly summary: string;
  /** The value when the field is named without one. */
  readonly bare?: string;
  /** Other accepted names. */
  readonly aliases?: readonly string[];
  /** May be given more than once; values are then merged. */
  readonly repeatable?: boolean;
}

type Extras = Pick<FaultField<unknown>, 'bare' | 'aliases' | 'repeatable'>;

/** Makes the rows of one section. */
function fieldsOf(section: FaultSection) {
  return <Value>(
    kind: ValueKind<Value>,
    summary: string,
    extras: Extras = {},
  ): FaultField<Value> => {
    const bare = kind.placeholder === undefined ? { bare: 'true' } : {};
    return { ...kind, section, summary, ...bare, ...extras };
  };
}

/** The names of a table in their written order, with their type. */
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

/** The whole response. */
const responseFields = {
  reply: reply(choice(replyNames, 'name'), 'what the answer says'),
  tokens: reply(wholeNumber('n', 1), 'length of the replies `tokens` and `million`'),
  seed: reply(wholeNumber('n', 0), 'another text for the replies `tokens` and `million`'),
  rate: reply(wholeNumber('n', 1), 'events (tokens, unless `split`) a second; default: no pause', {
    aliases: ['tps', 'speed'],
  }),

  status: response(status, 'answers with this status and an error body', { aliases: ['code'] }),
  message: response(anyText('text'), 'message of the error body', { aliases: ['detail'] }),
  'error-shape': response(choice(namesOf(errorShapes), 'shape'), 'form of error bodies', {
    aliases: ['shape'],
  }),
  body: response(anyText('text'), 'answers with exactly this body'),
  headers: response(headerLine, 'adds a header; may be repeated', {
    aliases: ['header'],
    repeatable: true,
  }),
  'content-type': response(
    headerValue('type', 'a media type such as text/plain'),
    'sends this Content-Type',
  ),
  charset: response(headerValue('label', 'a label such as windows-1252'), 'claims this charset'),
  'retry-after': response(
    headerValue('value', 'any header text'),
    'sends this Retry-After unchanged; `date+3`, `rfc850+3` and `asctime+3` become dates; means 429 unless `status` is given',
  ),
  encoding: response(choice(['gzip', 'br', 'deflate']), 'compresses the body'),
  framing: response(
    choice(['chunked', 'close']),
    '`close`: only the end of the connection ends the body',
  ),
  'early-hints': response(toggle, 'sends a 103 response first', { aliases: ['103'] }),
  'models-shape': response(choice(namesOf(modelShapes), 'shape'), 'form of the models list'),
  'no-stream': response(toggle, 'answers with one JSON body even when a stream was requested', {
    aliases: ['json'],
  }),

  delay: timing(duration, 'waits before the headers', {
    bare: 'forever',
    aliases: ['wait', 'latency', 'stall-before', 'timeout'],
  }),
  'stall-after': timing(wholeNumber('n', 0), 'falls silent after n events (half of a JSON body)', {
    bare: '3',
    aliases: ['stall'],
  }),
  'stall-for': timing(duration, 'how long it is silent; default: forever'),
  'keep-alive': timing(duration, 'sends a comment this often while it stalls', { bare: '1000' }),
  drip: timing(drip, 'pauses before each event, or each few bytes', { bare: '50ms' }),

  cut: ending(
    choice(['fin', 'rst', 'end']),
    'ends too early: `fin` closes the connection, `rst` resets it, `end` ends the body properly',
    { bare: 'fin' },
  ),
  'cut-after': ending(cutPlace, 'where the cut happens; default: after 3 events (half a body)', {
    aliases: ['cut-at'],
  }),
  'hold-open': ending(toggle, 'leaves the connection open after the answer'),
  'close-after': ending(toggle, 'closes the connection after the answer, unannounced'),

  times: counting(
    wholeNumber('n', 1),
    'does this n times, then answers properly (a prompt’s group then begins again)',
    { aliases: ['count', 'repeat'] },
  ),
  skip: counting(wholeNumber('n', 0), 'answers n requests properly first'),
  every: counting(wholeNumber('n', 1), 'does this to every n-th request only'),
};

/** They are built in memory. */
const mostRepeats = 10_000;

const events = fieldsOf('events');

/** The event stream: single events, mostly what the contract leaves open. */
const eventFields = {
  'malformed-at': events(wholeNumber('n', 1), 'corrupts event n', {
    bare: '3',
    aliases: ['malformed'],
  }),
  'malformed-as': events(choice(namesOf(malformedSummaries), 'kind'), 'how it is corrupted'),
  'error-at': events(wholeNumber('n', 1), 'sends an error in place of event n and ends', {
    bare: '3',
    aliases: ['error-event', 'error'],
  }),
  'error-as': events(
    choice(['data', 'event']),
    'the error is plain data (default) or an `event: error`',
  ),
  'no-done': events(toggle, 'leaves out `data: [DONE]`'),
  'finish-reason': events(anyText('word'), 'sends this finish_reason', { aliases: ['finish'] }),
  'no-finish-reason': events(toggle, 'leaves out the finish_reason', { aliases: ['no-finish'] }),
  usage: events(
    choice(['none', 'finish', 'last', 'every']),
    'where usage is: nowhere, with the finish_reason (default), in a chunk of its own without choices, in every chunk',
  ),
  'after-done': events(toggle, 'sends one more chunk after `[DONE]`'),
  unterminated: events(toggle, 'the last event has no line end'),
  split: events(split, 'cuts deltas or writes anywhere, inside a surrogate pair too'),
  hostile: events(toggle, 'adds terminal escape sequences to the text'),
  'line-ending': events(choice(['lf', 'crlf', 'cr', 'mixed']), 'line ends of the stream', {
    aliases: ['eol'],
  }),
  bom: events(wholeNumber('n', 1, mostRepeats), 'starts the stream with n byte order marks', {
    bare: '1',
  }),
  comments: events(wholeNumber('n', 1, mostRepeats), 'sends n comment lines before each event', {
    bare: '1',
  }),
  'data-spaces': events(wholeNumber('n', 0, mostRepeats), 'spaces after `data:`; default: 1'),
  'data-lines': events(toggle, 'spreads each JSON over several data lines'),
  'extra-fields': events(toggle, 'adds id, retry, event and unknown lines to each event'),
  role: events(
    choice(['first', 'every', 'null', 'empty', 'none']),
    'role in a chunk of its own, in every delta, null, empty or nowhere; default: in the first delta',
    { bare: 'first' },
  ),
  'empty-choices': events(toggle, 'begins with a chunk without choices'),
  'odd-chunks': events(
    toggle,
    'begins with chunks without text: delta missing or null, content null or empty, another choice, tool calls',
  ),
  reasoning: events(
    choice(['reasoning', 'reasoning_content']),
    'sends reasoning text first, in this field',
    { bare: 'reasoning_content' },
  ),
  refusal: events(toggle, 'sends a refusal in place of the text'),
};

/**
 * All faults by name: the one table behind the flags of `natter sandbox`, the
 * rules of a scenario file and the `[sandbox …]` group of a prompt.
 */
const faultFields = { ...responseFields, ...eventFields };

type Fields = typeof faultFields;

export type FaultFieldName = keyof Fields;

/** The faults of one answer; an empty one is a proper answer. Times are milliseconds. */
export type Fault = {
  readonly [Name in FaultFieldName]?: Fields[Name] extends FaultField<infer Value> ? Value : never;
};

/** The table in its written order. */
export const faultFieldRows = namesOf(faultFields).map(
  (name): readonly [FaultFieldName, FaultField<unknown>] => [name, faultFields[name]],
);

/** Fields that choose the text are not faults: they still apply after `times`. */
export function replyFieldsOf(fault: Fault): Fault {
  return Object.fromEntries(
    namesOf(fault)
      .filter((name) => faultFields[name].section === 'reply')
      .map((name) => [name, fault[name]]),
  );
}
