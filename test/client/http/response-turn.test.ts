import { expect, test } from 'vitest';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ResponseTurn } from '../../../src/client/http/undici/response-turn.ts';
import type { HttpResponse } from '../../../src/client/http/transport.ts';

const response = (status: number): HttpResponse => ({
  status,
  headers: {},
  body: (async function* () {})(),
  destroy: () => undefined,
});

test('the responses of one turn of the event loop are resolved together, in order', async () => {
  const turn = new ResponseTurn();
  const seen: number[] = [];
  turn.add(({ status }) => seen.push(status), response(200));
  await Promise.resolve();
  turn.add(({ status }) => seen.push(status), response(429));
  expect(seen).toEqual([]);
  await nextTurn();
  expect(seen).toEqual([200, 429]);
});

test('a response that arrives while others are resolved waits for the next turn', async () => {
  const turn = new ResponseTurn();
  const seen: string[] = [];
  turn.add(() => {
    seen.push('first');
    turn.add(() => seen.push('second'), response(200));
  }, response(200));
  await nextTurn();
  expect(seen).toEqual(['first']);
  await nextTurn();
  expect(seen).toEqual(['first', 'second']);
});
