import type { Usage } from '../../src/client/contract.ts';
import type { AnswerPart, StreamEnd } from '../../src/client/stream/answer-parts.ts';
import { readAnswer } from '../../src/client/stream/answer-reader.ts';
import { done, event } from './raw-replies.ts';
import { unmasked } from './secret.ts';

/** The body of a response, and the answer it contains. */
export interface StreamFixture {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly complete: boolean;
}

/** A chunk of the contract with one choice. */
export function chunk(turn: unknown, finishReason: string | null = null): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'origin',
    choices: [{ index: 0, delta: turn, finish_reason: finishReason }],
  };
}

export function delta(content: string): string {
  return event(chunk({ content }));
}

export const stop = event(chunk({}, 'stop'));

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

const greeting = `${delta('Hel')}${delta('lo')}${stop}${done}`;

const greeted = { text: 'Hello', finishReason: 'stop', complete: true };

/** A body, by default an event stream whose answer is `Hello`. */
const fixture = (
  name: string,
  body: string | Uint8Array,
  answer: Omit<StreamFixture, 'name' | 'bytes' | 'contentType'> & {
    readonly contentType?: string;
  } = greeted,
): StreamFixture => ({
  name,
  bytes: Buffer.from(body),
  contentType: 'text/event-stream',
  ...answer,
});

/** Characters that need care in UTF-8, UTF-16, JSON or line splitting. */
const multilingual = 'é 你好 👨‍👩‍👧 🏴 \u2028 ﷽ \u0000 "\\" \n';

/** Concatenates texts and byte lists. */
function joined(...parts: (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** `text` with its line ends replaced, by each of `lineEnds` in turn. */
function lines(text: string, lineEnds: readonly string[]): string {
  let count = 0;
  return text.replace(/\n/g, () => lineEnds[count++ % lineEnds.length] ?? '\n');
}

/** Event stream rules (WHATWG HTML, 9.2) and the ways a stream ends. */
const framingFixtures: readonly StreamFixture[] = [
  fixture('the contract, LF', greeting),
  fixture('S2 CRLF', lines(greeting, ['\r\n'])),
  fixture('S2 CR', lines(greeting, ['\r'])),
  fixture('S2 mixed line ends', lines(greeting, ['\r\n', '\n', '\r', '\r\n'])),
  fixture('S5 a byte order mark', joined(byteOrderMark, greeting)),
  fixture(
    'S5 of two byte order marks, the second spoils only the first line',
    joined(byteOrderMark, byteOrderMark, `${delta('lost')}${greeting}`),
  ),
  fixture(
    'S6 comments and keep-alives',
    `:\n\n: ping\n\n::\n${delta('Hel')}: keep-alive\n${delta('lo')}\n\n:\n${stop}: x\n\n${done}`,
  ),
  fixture(
    'S7 no space and two spaces after the colon',
    greeting.replace('data: ', 'data:').replace('data: [', 'data:  ['),
  ),
  fixture(
    'S8 JSON over several data lines',
    `${JSON.stringify(chunk({ content: 'Hello' }, 'stop'), null, 1).replace(/^/gm, 'data: ')}\n\n${done}`,
  ),
  fixture(
    'S9 id, retry, event and unknown fields',
    `retry: 5000\nretry: soon\nid: 7\nevent: message\nfoo: bar\ndata\n\n${delta('Hel')}event: x\nid\n${delta('lo')}nothing\n${stop}${done}`,
  ),
  fixture(
    'S14 [DONE] inside content',
    `${delta('[DONE]')}${delta('\ndata: [DONE]\n\n')}${stop}${done}`,
    { text: '[DONE]\ndata: [DONE]\n\n', finishReason: 'stop', complete: true },
  ),
  fixture(
    'S16 text, errors and malformed data after [DONE]',
    `${greeting}${delta('!')}${event({ error: 'late' })}data: {{{\n\n`,
  ),
  fixture('S17 a finish_reason without [DONE]', `${delta('Hello')}${stop}`),
  fixture('S18 neither finish_reason nor [DONE]', delta('Hel'), { text: 'Hel', complete: false }),
  fixture('S18 cut inside an event', `${delta('Hel')}${delta('lo').slice(0, 60)}`, {
    text: 'Hel',
    complete: false,
  }),
  fixture('S18 only comments', ': ping\n\n: ping\n\n', { text: '', complete: false }),
  fixture('S19 a last event with one line end', `${delta('Hello')}data: [DONE]\n`, {
    text: 'Hello',
    complete: true,
  }),
  fixture('S19 a last event without a line end', `${delta('Hello')}data: [DONE]`, {
    text: 'Hello',
    complete: true,
  }),
  fixture('S20 a CR-only last event', lines(`${delta('Hello')}data: [DONE]\n`, ['\r']), {
    text: 'Hello',
    complete: true,
  }),
  fixture(
    'S22 S53 empty data and comments wrapped as data',
    `data:\n\ndata: \n\ndata: : OPENROUTER PROCESSING\n\ndata: null\n\n${greeting}`,
  ),
  fixture('[DONE] between spaces', `${delta('Hi')}data:   [DONE] \n\n`, {
    text: 'Hi',
    complete: true,
  }),
  fixture('S1 leading blank lines', `\n\n\r\n${greeting}`),
];

/** Possible contents of a chunk or a choice. */
const contentFixtures: readonly StreamFixture[] = [
  fixture(
    'S23 S24 a first and a last chunk without choices',
    `${event({ id: '', model: '', choices: [], prompt_filter_results: [] })}${delta('Hello')}${stop}${event({ choices: [], usage })}${done}`,
    { usage, ...greeted },
  ),
  fixture(
    'S25 usage in every chunk',
    `${event({ choices: [{ index: 0, delta: { content: 'Hello' } }], usage: { total_tokens: 1 } })}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}${event({ choices: [], usage: null })}${done}`,
    { usage, ...greeted },
  ),
  fixture(
    'S26 S27 S28 deltas, contents and roles that are missing, null or empty',
    [
      event(chunk({ role: 'assistant', content: null })),
      event(chunk({ role: null, content: '' })),
      event(chunk({ role: '', content: 'Hel' })),
      event(chunk(null)),
      event({ choices: [{ index: 0 }] }),
      event({ choices: [null] }),
      event({ choices: null }),
      event({}),
      event(chunk({ role: 'assistant', content: 'lo' })),
      stop,
      done,
    ].join(''),
  ),
  fixture(
    'S29 reasoning',
    `${event(chunk({ reasoning_content: 'Let me ' }))}${event(chunk({ reasoning: 'think', content: '' }))}${greeting}`,
    { reasoning: 'Let me think', ...greeted },
  ),
  fixture(
    'S29 the same reasoning in both fields, as vLLM sends it',
    `${event(chunk({ reasoning: 'hm', reasoning_content: 'hm' }))}${greeting}`,
    { reasoning: 'hm', ...greeted },
  ),
  fixture(
    'S30 content as parts',
    `${event(chunk({ content: [{ type: 'text', text: 'Hel' }, 'lo', null, { type: 'image' }, 4] }))}${stop}${done}`,
  ),
  fixture(
    'S31 tool calls and a refusal',
    `${event(chunk({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }))}${event(chunk({ refusal: 'I will not.' }))}${stop}${done}`,
    { text: '', refusal: 'I will not.', finishReason: 'stop', complete: true },
  ),
  fixture(
    'S33 a second choice',
    `${delta('Hel')}${event({
      choices: [
        { index: 1, delta: { content: 'Bye' } },
        { index: 0, delta: { content: 'lo' } },
      ],
    })}${event({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] })}${stop}${done}`,
  ),
  fixture(
    'S34 unknown keys and __proto__',
    `data: {"__proto__":{"finish_reason":"length"},"constructor":1,"choices":[{"index":0,"delta":{"__proto__":{"refusal":"no"},"content":"Hello","toString":null}}]}\n\n${stop}${done}`,
  ),
  fixture(
    'S35 a surrogate pair split over deltas and escapes',
    `data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n${delta('')}data: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n${stop}${done}`,
    { text: 'a😀b', finishReason: 'stop', complete: true },
  ),
  fixture(
    'S35 lone surrogates',
    `data: {"choices":[{"delta":{"content":"\\ude00a\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"b\\ud83d"}}]}\n\n${done}`,
    { text: '\uFFFDa\uFFFDb\uFFFD', complete: true },
  ),
  fixture(
    'S36 invalid UTF-8',
    joined('data: {"choices":[{"delta":{"content":"a', [0xff, 0xe2, 0x82], `b"}}]}\n\n${done}`),
    { text: 'a\uFFFD\uFFFDb', complete: true },
  ),
  fixture(
    'S37 text of many scripts, U+2028 raw',
    `${delta(multilingual)}${delta(multilingual)}${stop}${done}`,
    { text: multilingual + multilingual, finishReason: 'stop', complete: true },
  ),
];

/** Bodies whose content type is wrong. */
const formFixtures: readonly StreamFixture[] = [
  fixture(
    'S44 one JSON completion',
    JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'origin',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      ],
      usage,
    }),
    { contentType: 'application/json', usage, ...greeted },
  ),
  fixture(
    'S44 a JSON completion sent as an event stream, indented, after blank lines',
    `\r\n\r\n  ${JSON.stringify({ choices: [{ message: { content: multilingual } }] }, null, 2)}\n`,
    { text: multilingual, complete: true },
  ),
  fixture('S47 an event stream sent as text/plain', greeting, {
    contentType: 'text/plain',
    ...greeted,
  }),
  fixture('S47 an event stream sent as JSON, a comment first', `: hi\n\n${greeting}`, {
    contentType: 'application/json; charset=utf-8',
    ...greeted,
  }),
  fixture('S47 always UTF-8', `${delta('é')}${done}`, {
    contentType: 'text/event-stream;charset=windows-1252',
    text: 'é',
    complete: true,
  }),
];

/** Valid bodies with status 200; each must be read the same however it is split into reads. */
export const streamFixtures: readonly StreamFixture[] = [
  ...framingFixtures,
  ...contentFixtures,
  ...formFixtures,
];

/** A body that arrives in the given reads; texts are sent as UTF-8. */
export async function* bodyOf(
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
