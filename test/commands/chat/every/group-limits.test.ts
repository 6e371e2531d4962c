import { expect, test } from 'vitest';
import { parseGroupLimits } from '../../../../src/commands/chat/every/group-limits.ts';
import { Failure } from '../../../../src/failure.ts';

const none = { lines: Infinity, milliseconds: Infinity, bytes: 1_000_000 };

test.each([
  ['200l', { ...none, lines: 200 }],
  ['1 line'.replace(' ', ''), { ...none, lines: 1 }],
  ['30s', { ...none, milliseconds: 30_000 }],
  ['1.5m', { ...none, milliseconds: 90_000 }],
  ['64KB', { ...none, bytes: 64_000 }],
  ['1mb', none],
  ['200l, 30s,64kb', { lines: 200, milliseconds: 30_000, bytes: 64_000 }],
])('%s is a limit of groups', (text, expected) => {
  expect(parseGroupLimits(text)).toEqual(expected);
});

test.each(['', '200', '0l', '0s', '2mb', '-1l', '10x', '200l,,30s'])('%j is refused', (text) => {
  expect(() => parseGroupLimits(text)).toThrow(Failure);
  expect(() => parseGroupLimits(text)).toThrow(/^--every must be lines, a time or a size/);
});
