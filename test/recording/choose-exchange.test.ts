import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { createExchangeChoice } from '../../src/recording/choose-exchange.ts';
import type { RecordedRequest } from '../../src/recording/format.ts';
import type { RecordedExchange } from '../../src/recording/read-recording.ts';

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
    reactions: [],
  }));
  return createExchangeChoice({ file: 'tape.jsonl', exchanges, unreadable: [] });
}

function refusal(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('no Failure was thrown');
}

test('the same request gets its recorded answers once each, in order', () => {
  const choice = choose(ask('a'), ask('b'), ask('a'));
  const numbers = ['a', 'a', 'b'].map((text) => choice.take(ask(text)).number);
  expect(numbers).toEqual([1, 3, 2]);
});

test('the order of the fields of a body does not matter', () => {
  const { body } = ask('a');
  const turned = Object.fromEntries(Object.entries(body as object).toReversed());
  expect(choose(ask('a')).take({ ...ask('a'), body: turned }).number).toBe(1);
});

test('a request without body is found by its address', () => {
  expect(choose(ask('a'), list).take(list).number).toBe(2);
});

test.each<[string, readonly RecordedRequest[], RecordedRequest, string]>([
  [
    'nothing was recorded',
    [],
    list,
    'tape.jsonl has no answer to GET /v1/models: it holds no request',
  ],
  [
    'another address was asked',
    [ask('a'), ask('b')],
    list,
    'tape.jsonl has no answer to GET /v1/models: it holds only POST /v1/chat/completions',
  ],
  [
    'the prompt is another',
    [ask('hello'), ask('bye', 'nextgen')],
    ask('hallo'),
    'tape.jsonl has no answer to POST /v1/chat/completions: messages[0].content is "hallo", but "hello" in exchange 1',
  ],
  [
    'the nearest differs in the model only',
    [ask('one'), ask('two', 'nextgen')],
    ask('two'),
    'tape.jsonl has no answer to POST /v1/chat/completions: model is "origin", but "nextgen" in exchange 2',
  ],
  [
    'more than one thing differs',
    [ask('one', 'nextgen')],
    ask('two'),
    'tape.jsonl has no answer to POST /v1/chat/completions: model is "origin", but "nextgen" in exchange 1 (and 1 more)',
  ],
])('where %s, the difference is told', (_, recorded, asked, message) => {
  const failure = refusal(() => choose(...recorded).take(asked));
  expect(failure.message).toBe(message);
  expect(failure.kind).toBe('configuration');
  expect(failure.hint).toContain('--record tape.jsonl');
});

test('an answer that was used up is told by the numbers it was recorded under', () => {
  const choice = choose(ask('a'), list, ask('a'));
  choice.take(ask('a'));
  choice.take(ask('a'));
  expect(refusal(() => choice.take(ask('a'))).message).toBe(
    'tape.jsonl has no further answer to POST /v1/chat/completions: it was recorded in exchanges 1 and 3, which were used',
  );
  choice.take(list);
  expect(refusal(() => choice.take(list)).message).toContain('exchange 2, which was used');
});

test('a difference is told against an answer that was not used yet', () => {
  const choice = choose(ask('one'), ask('completely different'));
  choice.take(ask('one'));
  expect(refusal(() => choice.take(ask('onx'))).message).toContain('in exchange 2');
});
