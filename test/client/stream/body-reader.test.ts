import { expect, test } from 'vitest';
import { bodyForm } from '../../../src/client/stream/body-reader.ts';

const stream = 'text/event-stream';
const json = 'application/json';

test.each<readonly [head: string, type: string | undefined, form: string | undefined]>([
  ['{', stream, 'json'],
  ['[', undefined, 'json'],
  ['"', json, 'json'],
  ['<', stream, 'page'],
  ['d', stream, 'event-stream'],
  ['foo: bar', `${stream}; charset=utf-8`, 'event-stream'],
  ['foo: bar', 'Text/Event-Stream;', 'event-stream'],
  ['d', 'text/plain', undefined],
  ['dat', undefined, undefined],
  ['data:', undefined, 'event-stream'],
  ['data\n', undefined, 'event-stream'],
  [': ', json, 'event-stream'],
  ['event:', json, 'event-stream'],
  ['don', 'text/plain', 'text'],
  ['null', json, 'json'],
  ['null', 'application/problem+json', 'json'],
  ['', stream, undefined],
  [' \n', stream, undefined],
  [' '.repeat(2000), stream, 'event-stream'],
])('S46 S47 a body that starts with %j and has the type %s is %s', (head, type, form) => {
  expect(bodyForm(head, type, false)).toBe(form);
});

test.each([
  ['', 'empty'],
  [' \n', 'empty'],
  ['dat', 'text'],
  ['id:', 'event-stream'],
])('the whole body %j is %s', (head, form) => {
  expect(bodyForm(head, undefined, true)).toBe(form);
});
