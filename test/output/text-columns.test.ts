import { expect, test } from 'vitest';
import { unchanged } from '../../src/output/answer-printer.ts';
import { columnWidth, TextColumn } from '../../src/output/comparison.ts';
import type { TextTransform } from '../../src/terminal/markdown/block-driver.ts';
import { processorTime } from '../support/processor-time.ts';

/** Makes the text bold, as the Markdown of an answer would be; the sanitizer removes the sequences of the answer itself. */
const bold: TextTransform = { write: (text) => `\u001B[1m${text}\u001B[22m`, end: () => '' };

test('the text columns share a window', () => {
  expect([columnWidth(80, 2), columnWidth(120, 3), columnWidth(4, 3)]).toEqual([38, 37, 1]);
});

test('a column has a row once no text can change it', () => {
  const grown = new TextColumn(unchanged);
  grown.write('one two');
  expect(grown.hasRow(8)).toBe(false);
  grown.write(' three');
  expect(grown.preview(5, 4)).toEqual(['one', 'two', 'three']);
  expect([grown.hasRow(8), grown.take(8), grown.hasRow(8)]).toEqual([true, 'one two', false]);
  grown.end('');
  expect([grown.isDone(), grown.take(8), grown.isDone()]).toEqual([false, 'three', true]);
});

test('Y27: a column of one long coloured line takes linear time', async () => {
  const take = async (length: number) => {
    const column = new TextColumn(bold);
    column.write('word '.repeat(length / 5));
    column.end('');
    return processorTime(() => {
      while (!column.isDone()) column.take(37);
    });
  };
  await take(20_000);
  const [short, long] = [await take(100_000), await take(800_000)];
  expect(long).toBeLessThan(short * 16 + 200);
});
