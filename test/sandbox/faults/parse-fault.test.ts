import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import { faultFieldRows } from '../../../src/sandbox/faults/fault-fields.ts';
import { parseFault, type WrittenField } from '../../../src/sandbox/faults/parse-fault.ts';

function parse(written: string): object {
  return parseFault(
    written.split(' ').map((word): WrittenField => {
      const [name = '', ...value] = word.split('=');
      return [name, value.length === 0 ? undefined : value.join('=')];
    }),
  );
}

describe('parseFault', () => {
  test.each([
    ['status=503', { status: 503 }],
    ['times=3 skip=0', { times: 3, skip: 0 }],
    ['tokens=5k', { tokens: 5000 }],
    ['tokens=1_000', { tokens: 1000 }],
    ['tokens=2M', { tokens: 2_000_000 }],
    ['tokens', { reply: 'tokens' }],
    ['code', { reply: 'code' }],
    ['code=503', { status: 503 }],
    ['delay=250', { delay: 250 }],
    ['delay=250ms', { delay: 250 }],
    ['delay=1.5s', { delay: 1500 }],
    ['delay=2min', { delay: 120_000 }],
    ['delay=forever', { delay: Infinity }],
    ['cut=rst cut-after=7', { cut: 'rst', 'cut-after': 7 }],
    ['cut-after=request', { 'cut-after': 'request' }],
    ['cut-after=headers', { 'cut-after': 0 }],
    ['drip=20', { drip: { interval: 20 } }],
    ['drip=3/10ms', { drip: { interval: 10, bytes: 3 } }],
    ['split=utf16', { split: { units: 1 } }],
    ['split=5', { split: { units: 5 } }],
    ['split=bytes', { split: { bytes: 1 } }],
    ['split=bytes/3', { split: { bytes: 3 } }],
    ['retry-after=', { 'retry-after': '' }],
    ['headers=X-A:1 headers=X-B:2', { headers: { 'x-a': '1', 'x-b': '2' } }],
    ['no-done', { 'no-done': true }],
    ['no-done=false', { 'no-done': false }],
    ['USAGE=Last', { usage: 'last' }],
  ])('reads %s', (written, fault) => {
    expect(parse(written)).toEqual(fault);
  });

  test.each([
    ['429', { status: 429 }],
    ['markdown', { reply: 'markdown' }],
    ['million', { reply: 'million' }],
    ['hostile', { hostile: true }],
    ['cut', { cut: 'fin' }],
    ['rst', { cut: 'rst' }],
    ['stall', { 'stall-after': 3 }],
    ['timeout', { delay: Infinity }],
    ['gzip', { encoding: 'gzip' }],
    ['crlf', { 'line-ending': 'crlf' }],
    ['malformed', { 'malformed-at': 3 }],
    ['json', { 'no-stream': true }],
    ['shape=html', { 'error-shape': 'html' }],
    ['code=500', { status: 500 }],
  ])('reads the shorthand %s', (written, fault) => {
    expect(parse(written)).toEqual(fault);
  });

  test.each([
    ['status=99', /^status takes an HTTP status from 200 to 599, not "99"$/],
    ['status', /^status needs a value: it takes an HTTP status/],
    ['status=', /not ""/],
    ['times=0', /from 1/],
    ['tokens=-1', /tokens takes a whole number/],
    ['delay=soon', /"forever"/],
    ['cut=hard', /one of fin, rst, end/],
    ['split=0', /split takes/],
    ['split=', /split takes/],
    ['drip=0/5', /drip takes/],
    ['headers=nonsense', /header line/],
    ['headers=a:b\u0000', /header line/],
    ['retry-after=\n', /any header text/],
    ['no-done=maybe', /no value/],
    ['reply=poem', /default, help, echo/],
  ])('refuses %j with the valid values', (written, message) => {
    expect(() => parse(written)).toThrow(message);
  });

  test.each(['colour', 'constructor', '__proto__', '99'])('names the unknown field %s', (word) => {
    expect(() => parse(word)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `there is no field "${word}"`,
        hint: expect.stringMatching(/^the fields are reply, tokens/),
      }),
    );
  });

  test('has unique names', () => {
    const names = faultFieldRows.flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has valid bare values', () => {
    const bare = faultFieldRows.filter(([, field]) => field.bare !== undefined);
    for (const [name] of bare) expect(parse(name)).not.toEqual({});
  });

  test('throws only failures of usage', () => {
    expect(() => parse('nonsense')).toThrow(Failure);
  });
});
