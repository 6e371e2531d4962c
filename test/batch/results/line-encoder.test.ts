import { expect, test } from 'vitest';
import { createLineEncoder } from '../../../src/batch/results/line-encoder.ts';

test.each([
  ['ASCII', ['one\n', 'two\n']],
  ['text beyond Latin-1', ['é\n', '日本語\n', '👍\n']],
  ['Latin-1 text', ['é\n', 'ÿ\n']],
  ['half of a surrogate pair', ['\ud83d\n']],
  ['no lines', []],
  ['more than the buffer holds', ['x'.repeat(200_000), 'y'.repeat(200_000)]],
  ['exactly what the buffer holds', ['é'.repeat(1 << 17)]],
])('lines of %s are their UTF-8', (_, lines) => {
  const { bytes, lengths } = createLineEncoder()(lines);
  expect(bytes.equals(Buffer.from(lines.join('')))).toBe(true);
  expect(lengths).toEqual(lines.map((line) => Buffer.byteLength(line)));
});

test('lines of different lengths follow one another', () => {
  const encode = createLineEncoder();
  encode(['a long line\n']);
  expect(encode(['é\n']).bytes.toString()).toBe('é\n');
  expect(encode([]).bytes.length).toBe(0);
});
