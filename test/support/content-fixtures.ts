import {
  chunk,
  delta,
  done,
  event,
  greeted,
  greeting,
  joined,
  multilingual,
  stop,
  usage,
  type FixtureParts,
} from './stream-events.ts';

/** Possible contents of a chunk or a choice. */
export const contentFixtures: readonly FixtureParts[] = [
  {
    name: 'S23 S24 a first and a last chunk without choices',
    body: `${event({ id: '', model: '', choices: [], prompt_filter_results: [] })}${delta('Hello')}${stop}${event({ choices: [], usage })}${done}`,
    usage,
    ...greeted,
  },
  {
    name: 'S25 usage in every chunk',
    body: `${event({ choices: [{ index: 0, delta: { content: 'Hello' } }], usage: { total_tokens: 1 } })}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}${event({ choices: [], usage: null })}${done}`,
    usage,
    ...greeted,
  },
  {
    name: 'S26 S27 S28 deltas, contents and roles that are missing, null or empty',
    body: [
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
    ...greeted,
  },
  {
    name: 'S29 reasoning',
    body: `${event(chunk({ reasoning_content: 'Let me ' }))}${event(chunk({ reasoning: 'think', content: '' }))}${greeting}`,
    reasoning: 'Let me think',
    ...greeted,
  },
  {
    name: 'S30 content as parts',
    body: `${event(chunk({ content: [{ type: 'text', text: 'Hel' }, 'lo', null, { type: 'image' }, 4] }))}${stop}${done}`,
    ...greeted,
  },
  {
    name: 'S31 tool calls and a refusal',
    body: `${event(chunk({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }))}${event(chunk({ refusal: 'I will not.' }))}${stop}${done}`,
    text: '',
    refusal: 'I will not.',
    finishReason: 'stop',
    complete: true,
  },
  {
    name: 'S33 a second choice',
    body: `${delta('Hel')}${event({
      choices: [
        { index: 1, delta: { content: 'Bye' } },
        { index: 0, delta: { content: 'lo' } },
      ],
    })}${event({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] })}${stop}${done}`,
    ...greeted,
  },
  {
    name: 'S34 unknown keys and __proto__',
    body: `data: {"__proto__":{"finish_reason":"length"},"constructor":1,"choices":[{"index":0,"delta":{"__proto__":{"refusal":"no"},"content":"Hello","toString":null}}]}\n\n${stop}${done}`,
    ...greeted,
  },
  {
    name: 'S35 a surrogate pair split over deltas and escapes',
    body: `data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n${delta('')}data: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n${stop}${done}`,
    text: 'a😀b',
    finishReason: 'stop',
    complete: true,
  },
  {
    name: 'S35 lone surrogates',
    body: `data: {"choices":[{"delta":{"content":"\\ude00a\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"b\\ud83d"}}]}\n\n${done}`,
    text: '\uFFFDa\uFFFDb\uFFFD',
    complete: true,
  },
  {
    name: 'S36 invalid UTF-8',
    body: joined(
      'data: {"choices":[{"delta":{"content":"a',
      [0xff, 0xe2, 0x82],
      `b"}}]}\n\n${done}`,
    ),
    text: 'a\uFFFD\uFFFDb',
    complete: true,
  },
  {
    name: 'S37 text of many scripts, U+2028 raw',
    body: `${delta(multilingual)}${delta(multilingual)}${stop}${done}`,
    text: multilingual + multilingual,
    finishReason: 'stop',
    complete: true,
  },
];

/** Bodies whose content type is wrong. */
export const formFixtures: readonly FixtureParts[] = [
  {
    name: 'S44 one JSON completion',
    contentType: 'application/json',
    body: JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'origin',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      ],
      usage,
    }),
    usage,
    ...greeted,
  },
  {
    name: 'S44 a JSON completion sent as an event stream, indented, after blank lines',
    body: `\r\n\r\n  ${JSON.stringify({ choices: [{ message: { content: multilingual } }] }, null, 2)}\n`,
    text: multilingual,
    complete: true,
  },
  {
    name: 'S47 an event stream sent as text/plain',
    contentType: 'text/plain',
    body: greeting,
    ...greeted,
  },
  {
    name: 'S47 an event stream sent as JSON, a comment first',
    contentType: 'application/json; charset=utf-8',
    body: `: hi\n\n${greeting}`,
    ...greeted,
  },
  {
    name: 'S47 always UTF-8',
    contentType: 'text/event-stream;charset=windows-1252',
    body: `${delta('é')}${done}`,
    text: 'é',
    complete: true,
  },
];
