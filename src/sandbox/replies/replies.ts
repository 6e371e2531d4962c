import { catalogue, type CompletionRequest } from '../../client/contract.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { markdown, unicode, writeCode, writeTables } from './fixed-replies.ts';
import {
  type Fault,
  type FaultField,
  faultFields,
  type ReplyName,
  replySummaries,
} from '../faults/fault-fields.ts';
import { describeField, shorthands } from '../faults/parse-fault.ts';
import { sandboxKeys } from '../keys.ts';
import { malformedEvents, errorShapes, modelShapes } from '../shapes.ts';

interface ReceivedPrompt {
  readonly request: CompletionRequest;
  /** The last user message, without its `[sandbox …]` group. */
  readonly text: string;
  readonly promptTokens: number;
  readonly fault: Fault;
}

/** Makes a text, or a long one's tokens lazily. Deterministic. */
export type Reply = (received: ReceivedPrompt) => string | Iterable<string>;

type Row = readonly [name: string, effect: string];

function summaries(table: Readonly<Record<string, readonly [string, ...unknown[]]>>) {
  return Object.entries(table).map(([name, [summary]]): Row => [name, summary]);
}

/** How a field is written, such as `status=<code>`. */
function fieldUsage({ name, placeholder, bare }: FaultField): string {
  if (placeholder === '') return name;
  return bare === undefined ? `${name}=<${placeholder}>` : `${name}[=<${placeholder}>]`;
}

/** The tables of `[sandbox help]` and of docs/reference.md. */
export function referenceTables() {
  const table = (title: string, rows: readonly Row[]) => ({ title, rows });
  const words = [...shorthands].map(([word, meaning]): Row => [word, `\`${meaning}\``]);
  const sections = new Set(faultFields.map(({ section }) => section));
  const usage = (field: FaultField): Row => [fieldUsage(field), describeField(field)];
  return [
    table(
      'Keys',
      sandboxKeys.map(({ key, summary }) => [key, summary]),
    ),
    table('Replies', Object.entries(replySummaries)),
    ...Array.from(sections, (title) =>
      table(title, faultFields.filter(({ section }) => section === title).map(usage)),
    ),
    table('Shorthands', words),
    table('Malformed events', summaries(malformedEvents)),
    table('Error shapes', summaries(errorShapes)),
    table('Model list shapes', summaries(modelShapes)),
  ];
}

/** Escapes bars, which would end a cell, in code too. */
export function tableRow([name, effect]: Row): string {
  return `| \`${name.replaceAll('|', String.raw`\|`)}\` | ${effect.replaceAll('|', String.raw`\|`)} |`;
}

const helpReply: Reply = () =>
  [
    'Start a prompt with a group such as `[sandbox status=429 times=2]` or ',
    '`[sandbox markdown]`. Separate fields by spaces, and quote a value with spaces.\n',
    ...referenceTables().flatMap(({ title, rows }) => [
      `\n## ${title}\n\n| Name | Effect |\n| --- | --- |\n`,
      ...rows.map((row) => `${tableRow(row)}\n`),
    ]),
  ].join('');

const quotedLength = 80;

/** The start of a text without control characters and line breaks, between backticks. */
function quote(text: string): string {
  const start = text.slice(0, quotedLength * 4);
  const points = Array.from(start.replaceAll(/[\s\p{C}`]+/gu, ' ').trim());
  if (points.length === 0) return 'nothing to quote';
  const cut = points.length > quotedLength || start.length < text.length;
  return `\`${points.slice(0, quotedLength).join('').trim()}${cut ? ' …' : ''}\``;
}

function countRoles(messages: CompletionRequest['messages']): string {
  const counts = new Map<string, number>();
  for (const { role } of messages) counts.set(role, (counts.get(role) ?? 0) + 1);
  return [...counts].map(([role, count]) => `${count} ${role}`).join(', ');
}

const suggestions = [
  ['[sandbox help]', 'all faults and replies'],
  ['[sandbox markdown]', 'every Markdown construct'],
  ['[sandbox tokens=500 rate=50]', '500 tokens, 50 per second'],
  ['[sandbox echo] text', 'the same text, unchanged'],
  ['[sandbox 429 retry-after=2 times=2]', 'two refusals, then an answer'],
  ['[sandbox rst cut-after=20]', 'a connection that breaks in the middle'],
] as const;

const tokenText = (tokens: number) =>
  `${tokens.toLocaleString('en-US')} ${tokens === 1 ? 'token' : 'tokens'}`;

/** Describes the request, so that a client can be checked, and suggests what to try. */
const defaultReply: Reply = ({ request, promptTokens, text }) => {
  const { model, messages, stream, max_tokens: maxTokens } = request;
  const window = catalogue.find(({ id }) => id === model)?.contextWindow ?? 0;
  const form = stream === true ? 'streamed' : 'one JSON body';
  const limit = maxTokens === undefined ? 'no limit' : `at most ${tokenText(maxTokens)}`;
  return `**This is the natter sandbox.** It has no language model: this answer describes your request.

- model: \`${model}\`, window ${tokenText(window)}
- messages: ${messages.length} (${countRoles(messages)})
- prompt length: ${tokenText(promptTokens)} by the sandbox's count
- answer: ${form}, ${limit}
- your prompt: ${quote(text)}

A prompt can select other answers and simulate faults:

${suggestions.map(([group, effect]) => `- \`${group}\`: ${effect}\n`).join('')}`;
};

// At most six letters: each piece below is one token of the sandbox's counter.
const words =
  'a about again all and any as at before below both but by can come day deep each early even far few find first for from give good grow half hand here high hold how in into it its keep know large last late lead left less light like line long look made many more most move much near new next night no now of old on one open or other out over own part plain read rest river road rock round same sea seem short side slow small so some sound stand still stone such take than that the them then there thing this time to toward tree turn two under up upon very walk was water way well were what when where which while wide wind with word work year'.split(
    ' ',
  );

/** Mulberry32. Whole numbers from 0 to below `limit`. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

function* endlessTokens(seed: number): Generator<string, void, undefined> {
  const random = createRandom(seed);
  const word = (): string => words[random(words.length)] ?? 'sand';
  for (;;) {
    const sentences = 3 + random(4);
    for (let sentence = 0; sentence < sentences; sentence += 1) {
      const first = word();
      yield `${sentence === 0 ? '' : ' '}${first.slice(0, 1).toUpperCase()}${first.slice(1)}`;
      for (let left = 4 + random(12); left > 0; left -= 1) yield ` ${word()}`;
      yield '.';
    }
    yield '\n\n';
  }
}

function* prose({ fault: { tokens, seed = 1 } }: ReceivedPrompt, usual: number) {
  let left = tokens ?? usual;
  for (const token of endlessTokens(seed)) {
    yield token;
    left -= 1;
    if (left === 0) return;
  }
}

const esc = '\u001b';
const bel = '\u0007';
const st = `${esc}\\`;

/** Sequences that must not reach a terminal, each with the name of its effect. */
const hostileSequences: readonly (readonly [name: string, sequence: string])[] = [
  ['colour', `${esc}[31m`],
  ['clear screen', `${esc}[2J${esc}[H`],
  ['clear scrollback', `${esc}[3J`],
  ['cursor up', `${esc}[5A`],
  ['alternate screen', `${esc}[?1049h`],
  ['hide cursor', `${esc}[?25l`],
  ['reset', `${esc}c`],
  ['title', `${esc}]0;owned${bel}`],
  ['title, ST', `${esc}]2;owned${st}`],
  ['clipboard', `${esc}]52;c;cm0gLXJmIC8=${bel}`],
  ['link', `${esc}]8;;https://evil.example/${st}https://good.example/${esc}]8;;${st}`],
  ['notification', `${esc}]9;owned${bel}`],
  ['device attributes', `${esc}[c${esc}[>c`],
  ['cursor report', `${esc}[6n`],
  ['status request', `${esc}P$qm${st}`],
  ['DCS', `${esc}Pq#0;2;0;0;0#0!5~${st}`],
  ['APC', `${esc}_Gf=24;AAAA${st}`],
  ['PM', `${esc}^private${st}`],
  ['SOS', `${esc}Xstring${st}`],
  ['C1 CSI', '\u009b31m'],
  ['C1 OSC', '\u009d0;owned\u009c'],
  ['nested', `${esc}]0;${esc}[31m${esc}]52;c;QQ==${bel}`],
  ['unterminated OSC', `${esc}]0;swallows the rest of the line`],
  ['lone ESC', esc],
  ['carriage return', '\rOVERWRITTEN'],
  ['backspaces', '\b\b\b\b\bXXXXX'],
  ['BEL and NUL', `${bel}\u0000\u007f`],
  ['right-to-left override', '\u202egpj.exe\u202c'],
  ['isolates', '\u2066a\u2069\u2067b\u2069'],
  ['zero width', 'a\u200bb\ufeffc\u2060d'],
  ['tag characters', '\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}'],
  ['line separators', 'one\u2028two\u2029three'],
];

/** A line for each of them. */
export const hostileText = hostileSequences
  .map(([name, sequence]) => `${name}: before${sequence}after\n`)
  .join('');

/** A client must show every name and "before", and "after" in all lines but one. */
const hostileReply: Reply = () =>
  `Each line hides a sequence between "before" and "after".\n\n${hostileText}\nThe end of the hostile text.\n`;

/** A schema may refer to itself: values nested deeper are null. */
const maxDepth = 20;
/** Values that may be missing are not nested deeper. */
const optionalDepth = 4;

/** Conforming texts of common formats. */
const samples: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:30:00Z',
  'date-time': '2026-01-31T12:30:00Z',
  email: 'sample@example.com',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
};

/** The schema in the last message with one: a line of JSON in a text that mentions a JSON Schema. */
export function schemaIn(messages: CompletionRequest['messages']): JsonObject | undefined {
  return messages
    .filter(({ role, content }) => role !== 'assistant' && content.includes('JSON Schema'))
    .flatMap(({ content }) => content.split('\n').filter((line) => line.startsWith('{')))
    .map(parseJson)
    .findLast(isJsonObject);
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** What a reference such as `#/$defs/name` refers to. */
const resolve = (ref: string, root: JsonObject) =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), root);

/** A value that conforms to an ordinary schema; patterns and unusual keywords are not considered. */
function sampleOf(schema: unknown, root: JsonObject, depth = 0): unknown {
  if (!isJsonObject(schema) || depth > maxDepth) return null;
  const { const: constant, enum: choices, $ref, format, minLength, minItems } = schema;
  const inner = (part: unknown) => sampleOf(part, root, depth + 1);
  const hasOptional = depth < optionalDepth;
  if (constant !== undefined) return constant;
  if (Array.isArray(choices)) return choices[0];
  if (typeof $ref === 'string') return inner(resolve($ref, root));
  const lists = [schema['anyOf'], schema['oneOf'], schema['allOf']];
  const [first]: unknown[] = lists.filter((list) => Array.isArray(list)).flat();
  if (first !== undefined) return inner(first);
  const known = isJsonObject(schema['properties']) ? schema['properties'] : undefined;
  const [type]: unknown[] = [schema['type'] ?? (known && 'object')].flat();
  switch (type) {
    case 'string': {
      const text = typeof format === 'string' ? samples[format] : undefined;
      return (text ?? 'sample').padEnd(numberOf(minLength) ?? 0, '.');
    }
    case 'integer':
    case 'number': {
      const minimum = numberOf(schema['minimum']) ?? numberOf(schema['exclusiveMinimum']);
      return minimum === undefined ? 1 : Math.ceil(minimum) + 1;
    }
    case 'boolean':
      return true;
    case 'array': {
      const length = Math.max(hasOptional ? 2 : 0, numberOf(minItems) ?? 0);
      return Array.from({ length }, () => inner(schema['items'] ?? {}));
    }
    case 'object': {
      const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
      const names = hasOptional ? new Set([...Object.keys(known ?? {}), ...required]) : required;
      return Object.fromEntries(Array.from(names, (name) => [name, inner(known?.[name] ?? {})]));
    }
    default:
      return null;
  }
}

function sampleFor({ request }: ReceivedPrompt): string {
  const schema = schemaIn(request.messages) ?? {};
  return JSON.stringify(sampleOf(schema, schema), undefined, 2);
}

/** All replies by name. */
export const replies: Readonly<Record<ReplyName, Reply>> = {
  default: defaultReply,
  help: helpReply,
  echo: ({ text }) => text,
  tokens: (received) => prose(received, 200),
  million: (received) => prose(received, 1_000_000),
  markdown: () => markdown,
  code: writeCode,
  tables: writeTables,
  unicode: () => unicode,
  sample: sampleFor,
  fenced: (received) => `\`\`\`json\n${sampleFor(received)}\n\`\`\`\n`,
  misfit: () => '"This value does not conform to the schema."',
  hostile: hostileReply,
};
