import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { faultFromOptions, faultOptions } from '../../../src/sandbox/faults/parse-fault.ts';

function parse(...words: string[]): object {
  const command = new Command().exitOverride();
  for (const { flags, summary, repeatable } of faultOptions) {
    if (repeatable) {
      const collect = (value: string, list: readonly string[]) => [...list, value];
      command.option(flags, summary, collect, []);
    } else command.option(flags, summary);
  }
  return faultFromOptions(command.parse(words, { from: 'user' }).opts());
}

describe('faultOptions', () => {
  test('are valid in commander, and set the same fields', () => {
    const fault = parse('--status', '429', '--times', '2', '--retry-after', '1', '--hostile');
    expect(fault).toEqual({ status: 429, times: 2, 'retry-after': '1', hostile: true });
  });

  test('may omit a value with a default', () => {
    expect(parse('--cut', '--stall-after')).toEqual({ cut: 'fin', 'stall-after': 3 });
    expect(parse('--cut', 'rst')).toEqual({ cut: 'rst' });
  });

  test('may be repeated if values are merged', () => {
    expect(parse('--headers', 'A: 1', '--headers', 'B: 2')).toEqual({
      headers: { a: '1', b: '2' },
    });
  });

  test.each(['no-done', 'no-stream', 'no-finish-reason'])(
    'take --%s as the field of that name',
    (name) => {
      expect(parse(`--${name}`)).toEqual({ [name]: true });
    },
  );

  test('set no field if none is given', () => {
    expect(parse()).toEqual({});
  });

  test('ignore other options', () => {
    expect(faultFromOptions({ port: 80, status: '500' })).toEqual({ status: 500 });
  });

  test('refuse an invalid value', () => {
    expect(() => parse('--status', 'x')).toThrow(/status takes/);
  });
});
