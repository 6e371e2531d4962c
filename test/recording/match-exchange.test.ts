import { expect, test } from 'vitest';
import {
  createUsedExchanges,
  differencesOf,
  keepUsedExchanges,
  takeExchange,
} from '../../src/recording/match-exchange.ts';
import type { RecordedRequest, RecordedExchange } from '../../src/recording/format.ts';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../src/clock.ts';
import { newPath } from './recording-fixtures.ts';

const ask = (content: string, model = 'origin'): RecordedRequest => ({
  method: 'POST',
  path: '/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content }], stream: true },
});
const list: RecordedRequest = { method: 'GET', path: '/v1/models' };

function choose(...requests: readonly RecordedRequest[]) {
  const exchanges = requests.map((request, index): RecordedExchange => ({
    number: index + 1,
    request,
    date: undefined,
    events: [],
  }));
  const recording = { file: 'tape.jsonl', exchanges, unreadable: [] };
  const used = createUsedExchanges();
  return { take: (request: RecordedRequest) => takeExchange(request, recording, used) };
}

test('uses each exchange of the same request once, in order', async () => {
  const choice = choose(ask('a'), ask('b'), ask('a'));
  const taken = ['a', 'a', 'b'].map((text) => choice.take(ask(text)));
  const numbers = (await Promise.all(taken)).map(({ number }) => number);
  expect(numbers).toEqual([1, 3, 2]);
});

test('ignores the order of fields in a body', async () => {
  const { body } = ask('a');
  const turned = Object.fromEntries(Object.entries(body as object).toReversed());
  const taken = choose(ask('a')).take({ ...ask('a'), body: turned });
  expect(await taken).toMatchObject({ number: 1 });
});

test('matches a request without a body by method and path', async () => {
  expect(await choose(ask('a'), list).take(list)).toMatchObject({ number: 2 });
});

const noPrompt = 'tape.jsonl has no answer to POST /v1/chat/completions';
const noList = 'tape.jsonl has no answer to GET /v1/models';

test.each<[string, readonly RecordedRequest[], RecordedRequest, string]>([
  ['an empty recording', [], list, `${noList}: it has no requests`],
  ['a different path', [ask('a')], list, `${noList}: it has only POST /v1/chat/completions`],
  [
    'a different prompt',
    [ask('hello'), ask('bye', 'nextgen')],
    ask('hallo'),
    `${noPrompt}: messages[0].content is "hallo", but "hello" in exchange 1`,
  ],
  [
    'a nearest request that differs only in the model',
    [ask('one', 'nextgen'), ask('two', 'nextgen')],
    ask('two'),
    `${noPrompt}: model is "origin", but "nextgen" in exchange 2`,
  ],
  [
    'several differences',
    [ask('one', 'nextgen')],
    ask('two'),
    `${noPrompt}: model is "origin", but "nextgen" in exchange 1 (and 1 more)`,
  ],
])('describes the difference: %s', async (_, recorded, request, message) => {
  await expect(choose(...recorded).take(request)).rejects.toMatchObject({
    kind: 'configuration',
    message,
    remedy: { code: 'record-request', file: 'tape.jsonl' },
  });
});

test('names the exchanges that have been used', async () => {
  const choice = choose(ask('a'), list, ask('a'));
  for (const request of [ask('a'), ask('a'), list]) await choice.take(request);
  const used = 'no more answers to POST /v1/chat/completions: natter has used exchange 1, 3';
  await expect(choice.take(ask('a'))).rejects.toThrow(used);
  await expect(choice.take(list)).rejects.toThrow('natter has used exchange 2');
});

test('describes the difference from an unused exchange', async () => {
  const choice = choose(ask('one'), ask('completely different'));
  await choice.take(ask('one'));
  await expect(choice.take(ask('onx'))).rejects.toThrow('in exchange 2');
});

const body = { model: 'origin', messages: [{ role: 'user', content: 'hello' }], stream: true };
const long = 'The quick brown fox jumps over the lazy dog, again and again and again.';

test.each<[string, unknown, unknown, ...string[]]>([
  ['equal values', body, { ...body }],
  ['a different order of fields', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ['a different model', body, { ...body, model: 'nextgen' }, 'model is "nextgen", but "origin"'],
  ['an additional field', body, { ...body, max_tokens: 5 }, 'max_tokens is 5, but missing'],
  ['a missing field', body, { ...body, stream: undefined }, 'stream is missing, but true'],
  [
    'an additional message',
    body,
    { ...body, messages: [...body.messages, { role: 'assistant', content: 'hi' }] },
    'messages[1].role is "assistant", but missing',
    'messages[1].content is "hi", but missing',
  ],
  [
    'a long text with a late difference',
    { content: long },
    { content: long.replace('lazy', 'busy') },
    'content is …ps over the busy dog, again and again an…, but …ps over the lazy dog, again and again an…',
  ],
  ['a text with line breaks', 'one\ntwo', 'one\nTwo', 'the body is "one\\nTwo", but "one\\ntwo"'],
  ['a number instead of a text', { a: '1' }, { a: 1 }, 'a is 1, but "1"'],
  ['two differences', { a: 1, b: [1] }, { a: 2, b: [2] }, 'a is 2, but 1', 'b[0] is 2, but 1'],
])('describes %s', (_, recorded, actual, ...expected) => {
  expect(differencesOf(recorded, actual, 'exchange 1')).toEqual(
    expected.map((text) => `${text} in exchange 1`),
  );
});

const options = { clock: systemClock, process: { id: process.pid, isRunning: () => true } };
const next = (used: ReadonlySet<number>) => used.size;

test('runs at the same time choose different exchanges', async () => {
  const path = newPath('used');
  const runs = Array.from({ length: 10 }, () => keepUsedExchanges(path, options)(next));
  expect(new Set(await Promise.all(runs)).size).toBe(10);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('writes nothing if the choice fails', async () => {
  const path = newPath('used');
  const used = keepUsedExchanges(path, options);
  await used(next);
  const refused = used(() => {
    throw new Error('none');
  });
  await expect(refused).rejects.toThrow('none');
  expect(readFileSync(path, 'utf8')).toBe('0\n');
});

test('refuses any other file, and does not change it', async () => {
  const path = newPath('used');
  writeFileSync(path, 'my notes\n');
  await expect(keepUsedExchanges(path, options)(next)).rejects.toThrow(
    'is not a list of used exchanges',
  );
  expect(readFileSync(path, 'utf8')).toBe('my notes\n');
});
