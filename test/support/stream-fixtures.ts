import type { Usage } from '../../src/client/contract.ts';
import type { AnswerPart, StreamEnd } from '../../src/client/stream/answer-parts.ts';
import { readAnswer } from '../../src/client/stream/answer-reader.ts';
import { done, event } from './raw-replies.ts';
import { unmasked } from './secret.ts';

/** The body of a response, and the answer it contains. */
interface StreamFixture {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly finishReason?: string | undefined;
  readonly usage?: Usage;
  readonly complete: boolean;
}

/** A chunk of the contract with one choice. */
export function chunk(turn: unknown, finishReason: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'origin',
    choices: [{ index: 0, delta: turn, finish_reason: finishReason }],
  };
}

export const delta = (content: string) => event(chunk({ content }));
export const stop = event(chunk({}, 'stop'));

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const greeting = `${delta('Hel')}${delta('lo')}${stop}${done}`;
const turn = (fields: object) => event(chunk(fields));
const choices = (...list: readonly unknown[]) => event({ choices: list });
const content = (json: string) => `data: {"choices":[{"delta":{"content":"${json}"}}]}\n\n`;
const cut = { complete: false, finishReason: undefined };
/** The text of an answer that ends with `[DONE]` alone. */
const only = (text: string) => ({ text, finishReason: undefined });
const json = { contentType: 'application/json' };

/** Characters that need care in UTF-8, UTF-16, JSON or line splitting. */
const multilingual = 'é 你好 👨‍👩‍👧 🏴 \u2028 ﷽ \u0000 "\\" \n';

/** The answer of a row is a whole "Hello" in an event stream, except for what its third element says. */
type Row = [name: string, body: string | Uint8Array, more?: Partial<StreamFixture>];

/** The ways a stream ends, and bodies that test/client/stream/events.test.ts does not make of the rules of event streams. */
const framing: readonly Row[] = [
  ['the contract, LF', greeting],
  ['S5 a byte order mark', `\uFEFF${greeting}`],
  [
    'S5 of two byte order marks, the second spoils only the first line',
    `\uFEFF\uFEFF${delta('lost')}${greeting}`,
  ],
  [
    'S6 comments and keep-alives',
    `:\n\n: ping\n\n::\n${delta('Hel')}: keep-alive\n${delta('lo')}\n\n:\n${stop}: x\n\n${done}`,
  ],
  [
    'S14 [DONE] inside content',
    `${delta('[DONE]')}${delta('\ndata: [DONE]\n\n')}${stop}${done}`,
    { text: '[DONE]\ndata: [DONE]\n\n' },
  ],
  [
    'S16 text, errors and malformed data after [DONE]',
    `${greeting}${delta('!')}${event({ error: 'late' })}data: {{{\n\n`,
  ],
  ['S17 a finish_reason without [DONE]', `${delta('Hello')}${stop}`],
  ['S18 neither finish_reason nor [DONE]', delta('Hel'), { text: 'Hel', ...cut }],
  [
    'S18 cut inside an event',
    `${delta('Hel')}${delta('lo').slice(0, 60)}`,
    { text: 'Hel', ...cut },
  ],
  ['S18 only comments', ': ping\n\n: ping\n\n', { text: '', ...cut }],
  ['S19 a last event with one line end', `${delta('Hi')}data: [DONE]\n`, only('Hi')],
  ['S19 a last event without a line end', `${delta('Hi')}data: [DONE]`, only('Hi')],
  ['S20 a CR-only last event', `${delta('Hi')}data: [DONE]\n`.replaceAll('\n', '\r'), only('Hi')],
  [
    'S22 S53 empty data and comments wrapped as data',
    `data:\n\ndata: \n\ndata: : OPENROUTER PROCESSING\n\ndata: null\n\n${greeting}`,
  ],
  ['[DONE] between spaces', `${delta('Hi')}data:   [DONE] \n\n`, only('Hi')],
];

/** Possible contents of a chunk or a choice. */
const contents: readonly Row[] = [
  [
    'S23 S24 a first and a last chunk without choices',
    event({ id: '', model: '', choices: [] }) +
      delta('Hello') +
      stop +
      event({ choices: [], usage }),
    { usage },
  ],
  [
    'S25 usage in every chunk',
    event({ ...chunk({ content: 'Hello' }), usage: { total_tokens: 1 } }) +
      event({ ...chunk({}, 'stop'), usage }) +
      event({ choices: [], usage: null }) +
      done,
    { usage },
  ],
  [
    'S26 S27 S28 deltas, contents and roles that are missing, null or empty',
    [
      turn({ role: 'assistant', content: null }),
      turn({ role: null, content: '' }),
      turn({ role: '', content: 'Hel' }),
      event(chunk(null)),
      choices({ index: 0 }),
      choices(null),
      event({ choices: null }),
      event({}),
      turn({ role: 'assistant', content: 'lo' }),
      stop,
    ].join(''),
  ],
  [
    'S29 reasoning in either field, also in both',
    turn({ reasoning_content: 'Let me ' }) +
      turn({ reasoning: 'think', reasoning_content: 'think', content: '' }) +
      turn({ reasoning: '!' }) +
      greeting,
    { reasoning: 'Let me think!' },
  ],
  [
    'S30 content as parts',
    turn({ content: [{ type: 'text', text: 'Hel' }, 'lo', null, { type: 'image' }, 4] }) + stop,
  ],
  [
    'S31 tool calls and a refusal',
    turn({ tool_calls: [{ index: 0 }] }) + turn({ refusal: 'I will not.' }) + stop,
    { text: '', refusal: 'I will not.' },
  ],
  [
    'S33 a second choice',
    delta('Hel') +
      choices({ index: 1, delta: { content: 'Bye' } }, { index: 0, delta: { content: 'lo' } }) +
      choices({ index: 1, delta: {}, finish_reason: 'length' }) +
      stop,
  ],
  [
    'S34 unknown keys and __proto__',
    `data: {"__proto__":{"finish_reason":"length"},"constructor":1,"choices":[{"index":0,"delta":{"__proto__":{"refusal":"no"},"content":"Hello","toString":null}}]}\n\n${stop}`,
  ],
  [
    'S35 a surrogate pair split over deltas and escapes',
    content(String.raw`a\ud83d`) + delta('') + content(String.raw`\ude00b`) + stop,
    { text: 'a😀b' },
  ],
  [
    'S35 lone surrogates',
    content(String.raw`\ude00a\ud83d`) + content(String.raw`b\ud83d`) + done,
    only('\uFFFDa\uFFFDb\uFFFD'),
  ],
  [
    'S36 invalid UTF-8',
    Buffer.from(content('a\u00ff\u00e2\u0082b') + done, 'latin1'),
    only('a\uFFFD\uFFFDb'),
  ],
  ['S37 text of many scripts, U+2028 raw', delta(multilingual) + stop, { text: multilingual }],
  [
    'Azure: filter chunks',
    event({ id: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }) +
      delta('Hello') +
      choices({ index: 0, finish_reason: null, content_filter_offsets: {} }) +
      stop,
  ],
];

const message = { role: 'assistant', content: 'Hello' };
const multilingualMessage = { choices: [{ message: { content: multilingual } }] };

/** Bodies whose content type is wrong. */
const forms: readonly Row[] = [
  [
    'S44 one JSON completion',
    JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    { ...json, usage },
  ],
  [
    'S44 a JSON completion sent as an event stream, indented, after blank lines',
    `\r\n\r\n  ${JSON.stringify(multilingualMessage, null, 2)}\n`,
    only(multilingual),
  ],
  ['S47 an event stream sent as text/plain', greeting, { contentType: 'text/plain' }],
  ['S47 an event stream sent as JSON, a comment first', `: hi\n\n${greeting}`, json],
  [
    'S47 always UTF-8',
    `${delta('é')}${done}`,
    { contentType: 'text/event-stream;charset=windows-1252', ...only('é') },
  ],
];

/** Valid bodies with status 200; each must be read the same however it is split into reads. */
export const streamFixtures = [...framing, ...contents, ...forms].map(
  ([name, body, more]): StreamFixture => ({
    name,
    contentType: 'text/event-stream',
    bytes: Buffer.from(body),
    text: 'Hello',
    finishReason: 'stop',
    complete: true,
    ...more,
  }),
);

/** A body that arrives in the given reads; texts are sent as UTF-8. */
async function* bodyOf(
  reads: Iterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const read of reads) yield typeof read === 'string' ? Buffer.from(read) : read;
}

/** @returns the parts that were yielded, and the error, if any */
export async function readParts(
  reads: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>,
  contentType: string | undefined = 'text/event-stream',
  { onContent, limit }: { readonly onContent?: () => void; readonly limit?: number } = {},
) {
  const body = Symbol.asyncIterator in reads ? reads : bodyOf(reads);
  const parts: AnswerPart[] = [];
  let thrown: unknown;
  try {
    const reading = readAnswer(body, contentType, unmasked, onContent, limit);
    for await (const part of reading) parts.push(part);
  } catch (error) {
    thrown = error;
  }
  return { parts, thrown };
}

export function textOf(
  parts: readonly AnswerPart[],
  type: 'text' | 'reasoning' | 'refusal',
): string {
  const wanted = `${type}-received`;
  return parts.map((part) => ('text' in part && part.type === wanted ? part.text : '')).join('');
}

export function endOf(parts: readonly AnswerPart[]): StreamEnd | undefined {
  return parts.find((part) => part.type === 'end');
}
