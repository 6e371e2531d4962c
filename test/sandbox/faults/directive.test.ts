import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import { parseDirective } from '../../../src/sandbox/faults/parse-fault.ts';
import { fc } from '../../support/properties.ts';

function failureOf(prompt: string): unknown {
  try {
    parseDirective(prompt);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('parseDirective', () => {
  test.each([
    ['', undefined],
    ['hello', undefined],
    ['hello [sandbox 500]', undefined],
    ['[sandboxes] are fun', undefined],
    ['[sand] box', undefined],
  ])('finds no group in %j', (prompt, directive) => {
    expect(parseDirective(prompt)).toBe(directive);
  });

  test.each([
    ['[sandbox] hi', {}, 'hi'],
    [
      '[sandbox status=429 times=2 retry-after=1] the rest',
      { status: 429, times: 2, 'retry-after': '1' },
      'the rest',
    ],
    ['[sandbox: 500]hi', { status: 500 }, 'hi'],
    ['  [Sandbox 500]\nhi', { status: 500 }, 'hi'],
    [
      'Summary of the earlier conversation:\n\n<summary>\nof one\n</summary>\n\n[sandbox 500] hi',
      { status: 500 },
      'hi',
    ],
    ['[sandbox 500]  two blanks', { status: 500 }, ' two blanks'],
    ['[sandbox 500,\n times=2 ]', { status: 500, times: 2 }, ''],
    [`[sandbox body='<b>]</b>'] x`, { body: '<b>]</b>' }, 'x'],
    ['[sandbox body="a \\"b\\" \\u00e9\\n]"] x', { body: 'a "b" é\n]' }, 'x'],
    ['[sandbox body=""] x', { body: '' }, 'x'],
    ['[sandbox headers="X-A: 1" headers="X-B: 2"]', { headers: { 'x-a': '1', 'x-b': '2' } }, ''],
  ])('reads %j', (prompt, fault, rest) => {
    expect(parseDirective(prompt)).toMatchObject({ fault, rest });
  });

  test('keeps the group as written', () => {
    expect(parseDirective(' [sandbox 500  times=2] x')?.source).toBe('[sandbox 500  times=2]');
  });

  test.each([
    ['[sandbox 500', /no closing/],
    ['[sandbox 500 times=2', /no closing/],
    ['[sandbox body="a] b', /cannot parse .* at "=\\"a\] b"/],
    ['[sandbox nonsense=1] x', /there is no field "nonsense"; the prompt "\[sandbox help\]" lists/],
    ['[sandbox status=abc] x', /status takes/],
    ['[sandbox body="\\q"] x', /invalid JSON escape/],
    ['[sandbox =1] x', /cannot parse/],
  ])('refuses %j', (prompt, message) => {
    expect(() => parseDirective(prompt)).toThrow(message);
  });

  test('reads or refuses any group', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (inside) => {
        const failure = failureOf(`[sandbox ${inside}] x`);
        expect(failure === undefined || failure instanceof Failure).toBe(true);
      }),
    );
  });
});
