import { describe, expect, test } from 'vitest';
import {
  lastLines,
  nothingWritten,
  remember,
  type Written,
} from '../../../src/terminal/live/live-race.ts';
import { emptyLine } from '../../../src/terminal/text/open-line.ts';

const write = (at: number, text: string) => ({ at, text, line: emptyLine, reach: 0 });

/** What is remembered of texts, one a second and a half. */
function remembered(...texts: readonly string[]): Written {
  return texts.reduce((written, text, index) => remember(written, write(index * 1500, text)), {
    ...nothingWritten,
  });
}

describe('the text that is remembered for a change of the window', () => {
  test('is each update of the last second, and the text before it', () => {
    expect(remembered('a', 'b', 'c')).toMatchObject({ older: 'ab', writes: [{ text: 'c' }] });
  });

  test('has a limit: of long text the last 100 lines stay', () => {
    const lines = Array.from({ length: 5000 }, (_, line) => `line ${line} ${'x'.repeat(50)}\n`);
    const { older } = remembered(lines.join(''), 'end');
    expect(older.split('\n')).toHaveLength(101);
    expect(older.endsWith(lines.at(-1) ?? '')).toBe(true);
  });

  test('has a limit also where the text has no line ends', () => {
    const { older } = remembered('x'.repeat(300_000), 'end');
    expect(older).toBe('x'.repeat(100_000));
  });

  test('is whole below the limit', () => {
    expect(remembered('x'.repeat(200_000), 'end').older).toHaveLength(200_000);
  });
});

test.each([
  ['a\nb\nc', 0, 'c'],
  ['a\nb\nc', 1, 'b\nc'],
  ['a\nb\nc', 9, 'a\nb\nc'],
  ['', 1, ''],
])('the last lines of %j and %d before are %j', (text, before, lines) => {
  expect(lastLines(text, before)).toBe(lines);
});
