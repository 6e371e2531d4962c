import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { appendFile, type AppendFile } from '../../src/storage/append-file.ts';
import {
  chatRequest,
  date,
  newPath,
  openRecorded as open,
  readRecordedLines,
  writeRecording,
} from './recording-fixtures.ts';

const request = { type: 'request', date, method: 'GET', path: '/v1/models' } as const;
const numbersIn = (path: string) => readRecordedLines(path).map(({ exchange }) => exchange);

test('K24 creates a recording that only its owner can read, with any umask', async () => {
  const path = newPath();
  const before = process.umask(0);
  try {
    await open(path);
  } finally {
    process.umask(before);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('continues a recording under the same header with new numbers', async () => {
  const path = newPath();
  const first = await open(path);
  expect(await first.begin(request)).toBe(1);
  expect(await first.begin(request)).toBe(2);
  expect(await (await open(path)).begin(request)).toBe(3);
  expect(numbersIn(path)).toEqual([1, 2, 3]);
  expect(readFileSync(path, 'utf8').match(/natter-recording/g)).toHaveLength(1);
});

test('D7 gives concurrent writers different numbers and whole lines', async () => {
  const path = newPath();
  const files = await Promise.all([open(path), open(path), open(path)]);
  const work = files.map(async (file) => {
    const numbers: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      const number = await file.begin(request);
      file.append(number, 3, { type: 'end' });
      numbers.push(number);
    }
    return numbers;
  });
  const given = (await Promise.all(work)).flat();
  expect(new Set(given).size).toBe(30);
  expect(readRecordedLines(path)).toHaveLength(60);
});

test.skipIf(process.platform !== 'linux')(
  'Y27: two recorders of one file read each byte a few times, not once per exchange',
  async () => {
    const path = newPath();
    const files = [await open(path), await open(path)];
    const bytesRead = () =>
      Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    const before = bytesRead();
    const long = { type: 'chunk', data: 'x'.repeat(20_000) } as never;
    for (let count = 0; count < 50; count += 1) {
      for (const file of files) file.append(await file.begin(request), 1, long);
    }
    const read = bytesRead() - before;
    expect(numbersIn(path)).toHaveLength(200);
    expect(Math.max(...(numbersIn(path) as number[]))).toBe(100);
    expect(read).toBeLessThan(5 * statSync(path).size);
  },
);

test('reads a replaced file from its start', async () => {
  const path = newPath();
  const file = await open(path);
  await file.begin(request);
  const other = writeRecording(chatRequest(40), chatRequest(41), chatRequest(42));
  renameSync(other, path);
  expect(await file.begin(request)).toBe(43);
});

/** Puts a different file in the place of this one. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test.each(['my own notes\n', '{"index":1}\n'])(
  'X10: does not change a file %j that replaced the recording',
  async (text) => {
    const path = newPath();
    const file = await open(path);
    const exchange = await file.begin(request);
    replace(path, text);
    const append = () => file.append(exchange, 1, { type: 'end' });
    expect(append).toThrow('was replaced by another file');
    await expect(file.begin(request)).rejects.toMatchObject({ kind: 'configuration' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('X10: writes a header into an empty file that replaced the recording', async () => {
  const path = newPath();
  const file = await open(path);
  await file.begin(request);
  replace(path, '');
  expect(await file.begin(request)).toBe(1);
  expect(numbersIn(path)).toEqual([1]);
});

test('D3 starts a new line after a torn one', async () => {
  const path = writeRecording(chatRequest(4));
  writeFileSync(path, '{"exchange":4,"at":5,"ty', { flag: 'a' });
  expect(await (await open(path)).begin(request)).toBe(5);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.slice(-2)).toEqual([
    '{"exchange":4,"at":5,"ty',
    JSON.stringify({ exchange: 5, at: 0, ...request }),
  ]);
});

test('makes a recording of an empty file, as from mktemp', async () => {
  const path = newPath();
  writeFileSync(path, '');
  await (await open(path)).begin(request);
  expect(numbersIn(path)).toEqual([1]);
});

test('refuses any other file, and does not change it', async () => {
  const path = newPath();
  writeFileSync(path, 'my notes\n');
  await expect(open(path)).rejects.toMatchObject({
    kind: 'configuration',
    message: expect.stringContaining('is not a recording of natter') as string,
  });
  expect(readFileSync(path, 'utf8')).toBe('my notes\n');
});

test('refuses a folder and a missing folder', async () => {
  const folder = newPath();
  mkdirSync(folder);
  await expect(open(folder)).rejects.toThrow('it is not a regular file');
  await expect(open(`${folder}/none/tape.jsonl`)).rejects.toMatchObject({
    kind: 'storage',
    message: expect.stringMatching(/^cannot record into .*: there is no such file or/) as string,
  });
});

test('D9 throws if the disk is full in the middle of a line, which stays torn', async () => {
  const path = newPath();
  const full: AppendFile = {
    ...appendFile,
    append: (to, bytes) => appendFile.append(to, bytes.subarray(0, 20)),
  };
  await expect((await open(path, full)).begin(request)).rejects.toThrow('cut');
  expect(await (await open(path)).begin(request)).toBe(1);
});
