import { expect, test } from 'vitest';
import { refuseOneShotOptions } from '../../src/repl/run.ts';
import type { Failure } from '../../src/failure.ts';

const defaults = { color: 'auto', input: true, stream: true, stdin: true } as const;

test.each([
  [{ every: '1s' }, /^--every needs standard input/, 'tail -f app.log | natter --every 1s "'],
  [{ split: 'auto' }, /^--split needs a prompt/, 'natter --split auto -f book.txt "'],
  [{ fallback: 'nextgen' }, /^--fallback needs a prompt/, 'natter --fallback nextgen "'],
] as const)(
  '%j on a terminal is refused with an example that works',
  (options, message, example) => {
    const refuse = () => refuseOneShotOptions({ ...defaults, ...options });
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(example) as string }) as Failure,
    );
  },
);
