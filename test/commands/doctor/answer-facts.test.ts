import { expect, test } from 'vitest';
import { errorForm, streamFacts, wholeFacts } from '../../../src/commands/doctor/answer-facts.ts';
import { choice, delta, done, event, finish } from '../../support/raw-replies.ts';

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

test('a stream of the contract has no extra fields, no usage and no finish_reason', () => {
  expect(streamFacts(delta('ok') + done)).toEqual({
    events: 1,
    hasDone: true,
    finishReason: undefined,
    usage: 'none',
    comments: 0,
    otherLines: [],
    extraFields: [],
  });
});

test.each([
  ['none', finish('stop')],
  ['finish', choice({ delta: {}, finish_reason: 'stop', usage })],
  ['finish', event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })],
  ['last', finish('stop') + event({ choices: [], usage })],
  ['every', event({ choices: [], usage }) + event({ choices: [], usage })],
])('usage %s is recognised', (place, events) => {
  expect(streamFacts(delta('ok') + events + done)?.usage).toBe(place);
});

test('comments, other lines and a missing [DONE] are recognised with any line ends', () => {
  const body = `: ping\nevent: message\nid: 1\n${delta('ok')}:\n\n${finish('stop')}`;
  for (const text of [body, body.replaceAll('\n', '\r\n'), body.replaceAll('\n', '\r')]) {
    expect(streamFacts(text)).toMatchObject({
      comments: 2,
      otherLines: ['event', 'id'],
      hasDone: false,
      finishReason: 'stop',
    });
  }
});

test('of unknown fields only the outermost is named, and at most twelve', () => {
  const logprobs = { content: [{ token: 'ok' }] };
  const body = choice({ delta: { content: 'ok', role: 'assistant' }, logprobs });
  expect(streamFacts(body)?.extraFields).toEqual(['choices.delta.role', 'choices.logprobs']);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 1]));
  expect(streamFacts(event(many))?.extraFields).toHaveLength(12);
});

test.each(['', '{"choices":[]}', '<html>', 'hello'])('%j is no stream', (body) => {
  expect(streamFacts(body)).toBeUndefined();
});

test('an answer in one body has usage, a finish_reason and extra fields', () => {
  const message = { role: 'assistant', content: 'ok', refusal: null };
  const body = JSON.stringify({
    id: 'a',
    created: 1,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { ...usage, prompt_tokens_details: { cached_tokens: 0 } },
  });
  expect(wholeFacts(body)).toEqual({
    hasUsage: true,
    finishReason: 'stop',
    extraFields: ['created', 'choices.message.refusal', 'usage.prompt_tokens_details'],
  });
  expect(wholeFacts('[]')).toBeUndefined();
});

test.each([
  ['', 'an empty body'],
  ['<html></html>', 'a web page'],
  ['no such model', 'plain text'],
  ['{}', 'an empty JSON object'],
  ['"no"', 'JSON without fields'],
  ['{"error":{"message":"no","code":null}}', 'JSON with error.message, error.code'],
  ['{"detail":[{"loc":["body"],"msg":"no"}]}', 'JSON with detail.loc, detail.msg'],
])('the form of the error %j is %s', (body, form) => {
  expect(errorForm(body)).toBe(form);
});
