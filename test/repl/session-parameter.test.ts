import { expect, test } from 'vitest';
import { parseSessionParameter } from '../../src/repl/settings.ts';

test.each<[string, readonly [string, unknown]]>([
  ['top_p=0.9', ['top_p', 0.9]],
  ['stop = ["a", "b"]', ['stop', ['a', 'b']]],
  ['user=ann', ['user', 'ann']],
])('%s is a parameter', (text, parameter) => {
  expect(parseSessionParameter(text)).toEqual(parameter);
});

test.each([
  ['top_p=', '/param needs a name and a value'],
  ['model=x', 'the parameter model is set by natter itself'],
  ['user=ann lee', 'the value of user must be JSON or a single word'],
])('%s is refused', (text, message) => {
  expect(() => parseSessionParameter(text)).toThrow(message);
});

test.each([
  ['model=x', '/model NAME sets it'],
  ['user=ann lee', '/param user="two words"'],
])('%s is refused with the command that helps', (text, hint) => {
  expect(() => parseSessionParameter(text)).toThrow(expect.objectContaining({ hint }));
});
