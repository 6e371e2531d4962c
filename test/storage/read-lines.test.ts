import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createLineSplitter, readLines } from '../../src/storage/read-lines.ts';
import { folderOf } from '../support/folder.ts';

const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'é'.repeat(40)}`);

function fileOf(text: string): string {
  const file = join(folderOf(), 'lines');
  writeFileSync(file, text);
  return file;
}

test.each([
  ['with a line end at the end', `${lines.join('\n')}\n`, lines],
  ['without a line end at the end', lines.join('\n'), lines],
  ['without a byte', '', []],
])('reads the lines of a file %s', (_name, text, expected) => {
  expect([...readLines(fileOf(text))]).toEqual(expected);
});

test.skipIf(process.platform === 'win32')('X25: reads a pipe in blocks, like a file', async () => {
  const pipe = join(folderOf(), 'pipe');
  spawnSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', fileOf(lines.join('\n')), pipe]);
  const reads = vi.spyOn(fs, 'readSync');
  expect([...readLines(pipe)]).toEqual(lines);
  await once(writer, 'close');
  expect(reads.mock.calls.length).toBeLessThan(lines.length / 4);
});

/** The lines of chunks, with a limit of 3 bytes; undefined for a longer one. */
function split(...chunks: readonly string[]): (string | undefined)[] {
  const splitter = createLineSplitter(3);
  const whole = chunks.flatMap((chunk) => splitter.add(Buffer.from(chunk)));
  return [...whole, ...splitter.end()].map((line) => line?.toString());
}

test.each([
  ['abc\nd\n', ['abc', 'd']],
  ['abcd\ne\n', [undefined, 'e']],
  ['ab|c\nd|', ['abc', 'd']],
  ['ab|cd|e\nf', [undefined, 'f']],
  ['abcd', [undefined]],
  ['\n\n', ['', '']],
])('splits %j into %j', (chunks, expected) => {
  expect(split(...chunks.split('|'))).toEqual(expected);
});
