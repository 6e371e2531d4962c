import {
  chunk,
  delta,
  done,
  event,
  greeted,
  greeting,
  stop,
  usage,
  type FixtureParts,
} from './stream-events.ts';

/** Bodies that real servers send, by observation or documentation. */
export const serverFixtures: readonly FixtureParts[] = [
  {
    name: 'llama.cpp',
    body: [
      event(chunk({ role: 'assistant', content: null })),
      delta('Hel'),
      delta('lo'),
      event(chunk({}, 'length')),
      event({ choices: [], usage, timings: { predicted_ms: 1.5 } }),
      done,
    ].join(''),
    text: 'Hello',
    finishReason: 'length',
    usage,
    complete: true,
  },
  {
    name: 'vLLM with usage in every chunk and both reasoning fields',
    body: [
      event(chunk({ role: 'assistant', content: '' })),
      event(chunk({ reasoning: 'hm', reasoning_content: 'hm' })),
      event({
        choices: [{ index: 0, delta: { content: 'Hello' }, logprobs: null, finish_reason: null }],
        usage: { total_tokens: 1 },
      }),
      event({
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop', stop_reason: null }],
        usage,
      }),
      done,
    ].join(''),
    reasoning: 'hm',
    usage,
    ...greeted,
  },
  {
    name: 'Ollama',
    body: `${event({ id: 'chatcmpl-9', object: 'chat.completion.chunk', system_fingerprint: 'fp_ollama', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }] })}${event(chunk({ role: 'assistant', content: '' }, 'stop'))}${done}`,
    ...greeted,
  },
  {
    name: 'OpenRouter',
    body: `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${event(chunk({ role: 'assistant', content: 'Hello', reasoning: null }))}${event(chunk({ role: 'assistant', content: '' }, 'stop'))}${event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], usage })}${done}`,
    usage,
    ...greeted,
  },
  {
    name: 'Azure with filter chunks',
    body: `${event({ id: '', model: '', object: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] })}${delta('Hello')}${event({ choices: [{ index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets: {} }] })}${stop}${done}`,
    ...greeted,
  },
  {
    name: 'transformers serve, without [DONE]',
    body: `${delta('\u0002Hello\uFFFD')}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}`,
    text: '\u0002Hello\uFFFD',
    finishReason: 'stop',
    usage,
    complete: true,
  },
  {
    name: 'aimock, deltas of UTF-16 code units',
    body: `${'👍🏽'
      .split('')
      .map((unit) => delta(unit))
      .join('')}${event({ choices: [], usage })}${done}`,
    text: '👍🏽',
    usage,
    complete: true,
  },
  {
    name: 'openai-mock-api',
    contentType: 'text/plain; charset=utf-8',
    body: greeting,
    ...greeted,
  },
  {
    name: 'steady, one JSON completion for a stream',
    contentType: 'application/json',
    body: JSON.stringify({
      choices: [
        {
          index: 0,
          message: { role: 'tool', content: 'Hello', refusal: null },
          finish_reason: 'content_filter',
          logprobs: null,
        },
      ],
    }),
    text: 'Hello',
    finishReason: 'content_filter',
    complete: true,
  },
];
