import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { formatFingerprint } from '../../../src/batch/fingerprint.ts';
import { openResultFile } from '../../../src/batch/results/result-file.ts';

const options = {
  process: { id: process.pid, isRunning: () => true },
  clock: systemClock,
};

const folder = () => mkdtempSync(join(tmpdir(), 'natter-results-'));

function line(index: number, more: object = {}): string {
  const prompt_hash = formatFingerprint(BigInt(index));
  return `${JSON.stringify({ index, prompt_hash, content: `é ${index}`, ...more })}\n`;
}

const failedLine = (index: number) => line(index, { error: { kind: 'server_error' } });

function fileWith(text: string): string {
  const path = join(folder(), 'out.jsonl');
  writeFileSync(path, text);
  return path;
}

const read = (path: string) => readFileSync(path, 'utf8');

/** Appends results to a file, then finishes and closes it. */
async function append(path: string, indexes: readonly number[], ordered = true): Promise<void> {
  const file = openResultFile(path, options);
  for (const index of indexes) {
    file.append({ index, fingerprint: BigInt(index), isAnswered: true }, line(index));
  }
  await file.finish(ordered, true);
  await file.close();
}

describe('a results file', () => {
  test('has each result at once, and all in order at the end', async () => {
    const path = join(folder(), 'out.jsonl');
    const file = openResultFile(path, options);
    for (const index of [3, 1, 2]) {
      file.append({ index, fingerprint: 1n, isAnswered: true }, line(index));
      expect(read(path).endsWith(line(index))).toBe(true);
    }
    await file.finish(true, true);
    await file.close();
    expect(read(path)).toBe(line(1) + line(2) + line(3));
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(existsSync(`${path}.ordered`)).toBe(false);
  });

  test('keeps the order of arrival without sorting', async () => {
    const path = join(folder(), 'out.jsonl');
    await append(path, [3, 1, 2], false);
    expect(read(path)).toBe(line(3) + line(1) + line(2));
  });

  test('has its results when it is opened again', async () => {
    const path = fileWith(line(2) + failedLine(5));
    const file = openResultFile(path, options);
    expect(file.find(2)).toMatchObject({ isAnswered: true, fingerprint: 2n });
    expect(file.find(5)).toMatchObject({ isAnswered: false, fingerprint: 5n });
    expect([file.find(1), file.find(6), file.last]).toEqual([undefined, undefined, 5]);
    await file.close();
  });

  test.each([true, false])(
    'replaces a failure with a later answer (ordered: %s)',
    async (ordered) => {
      const path = fileWith(failedLine(1) + line(2));
      await append(path, [1], ordered);
      expect(read(path)).toBe(line(1) + line(2));
    },
  );

  test('never replaces an answer with a failure', async () => {
    const path = fileWith(line(1) + failedLine(1));
    await append(path, []);
    expect(read(path)).toBe(line(1));
  });

  test.each([
    ['a cut line', line(1) + line(2).slice(0, 30), line(1)],
    ['a line with only a few bytes', `${line(1)}{"in`, line(1)],
    ['a line cut within a character', Buffer.from(line(1) + line(2)).subarray(0, -7), line(1)],
    ['only a cut line', line(1).slice(0, 20), ''],
    ['a line that lacks only its end', line(1) + line(2).slice(0, -1), line(1) + line(2)],
    ['nothing', '', ''],
    ['X11: NULs at its end', `${line(1)}${'\0'.repeat(5000)}`, line(1)],
    ['X11: only NULs', '\0'.repeat(5000), ''],
    ['X11: a line that ends in NULs', `${line(1)}${line(2).slice(0, 30)}\0\0\0`, line(1)],
    ['F6: a whole line followed by NULs', `${line(1).slice(0, -1)}\0\0\0`, line(1)],
    ['F6: NULs before a line end', `${line(1).slice(0, -1)}\0\n${line(2)}`, line(1) + line(2)],
    ['X11: NULs before a whole line', `${line(1)}\0\0\0${line(2)}`, line(1) + line(2)],
    [
      'X11: NULs within a line',
      `${line(1)}${line(2).replace('content', '\0\0')}${line(3)}`,
      line(1) + line(3),
    ],
    ['X11: an empty line at its end', `${line(1)}\n`, line(1)],
    ['X11: an empty line at its beginning', `\n${line(1)}`, line(1)],
    ['X11: empty lines between', `${line(1)}\n\r\n${line(2)}`, line(1) + line(2)],
  ])('can be continued after %s', async (_, before, whole) => {
    const path = join(folder(), 'out.jsonl');
    writeFileSync(path, before);
    await append(path, [9]);
    expect(read(path)).toBe(whole + line(9));
  });

  test.each([
    ['text', 'my notes\n', 1],
    ['text without a line end', 'my notes', 1],
    ['JSON of another kind', '{"prompt":"hi"}\n', 1],
    ['a bad line between', `${line(1)}oops\n${line(2)}`, 2],
    ['a line without a sensible index', '{"index":0,"content":""}\n', 1],
    ['X11: binary data that begins with NULs', '\0\0\0\u0018ftypmp42\0\0', 1],
    ['X11: binary data with NULs', '\u007FELF\0\0\0', 1],
    ['an index beyond any batch', '{"index":900719925474099,"content":""}\n', 1],
  ])('with %s is refused and not changed', (_, text, number) => {
    const path = fileWith(text);
    expect(() => openResultFile(path, options)).toThrow(
      `line ${number} of ${path} is not a result of natter batch`,
    );
    expect(read(path)).toBe(text);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test.each([
    ['no line ends', ''],
    ['CR as line ends', '\r'],
  ])('F5: with %s is refused and not changed', (_, end) => {
    const text = (line(1) + line(2)).replaceAll('\n', end);
    const path = fileWith(text);
    expect(() => openResultFile(path, options)).toThrow(
      `line 1 of ${path} has several results: line ends were lost`,
    );
    expect(read(path)).toBe(text);
  });

  test('is refused if it is a folder', () => {
    const path = join(folder(), 'results');
    mkdirSync(path);
    expect(() => openResultFile(path, options)).toThrow(/is not a regular file/);
  });

  test('in a missing folder is refused with a hint to create it', () => {
    const path = join(folder(), 'results');
    const failure = { message: expect.stringContaining('cannot write') as string };
    expect(() => openResultFile(join(path, 'out.jsonl'), options)).toThrow(
      expect.objectContaining({ ...failure, kind: 'storage', hint: `create ${path} first` }),
    );
  });

  test('keeps its permissions and a symbolic link to it', async () => {
    const path = fileWith(line(2));
    chmodSync(path, 0o640);
    const link = join(folder(), 'link.jsonl');
    symlinkSync(path, link);
    await append(link, [1]);
    expect(read(path)).toBe(line(1) + line(2));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(read(link)).toBe(read(path));
  });

  test('reports a failed flush', async () => {
    const path = join(folder(), 'out.jsonl');
    const synchronize = () => Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' }));
    const clock = createFakeClock();
    const file = openResultFile(path, { ...options, clock, synchronize });
    const result = { index: 1, fingerprint: 1n, isAnswered: true };
    file.append({ ...result }, line(1));
    await clock.advance(1000);
    const failure = { kind: 'storage', message: `cannot write ${path}: the disk is full` };
    expect(() => file.append({ ...result, index: 2 }, line(2))).toThrow(failure.message);
    await expect(file.finish(true, true)).rejects.toMatchObject(failure);
    await file.close();
  });

  test('keeps permissions that the umask would remove', async () => {
    const path = fileWith(line(2));
    chmodSync(path, 0o664);
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    await append(path, [1]);
    expect(read(path)).toBe(line(1) + line(2));
    expect(statSync(path).mode & 0o777).toBe(0o664);
  });

  test('is removed when a run ends without results, unless the run was complete', async () => {
    const path = join(folder(), 'out.jsonl');
    await openResultFile(path, options).close();
    expect(existsSync(path)).toBe(false);
    await append(path, []);
    expect(read(path)).toBe('');
    await openResultFile(path, options).close();
    expect(read(path)).toBe('');
  });

  test('is sorted even if it is larger than the copy buffer', async () => {
    const path = join(folder(), 'out.jsonl');
    const text = (index: number) => line(index, { content: 'x'.repeat(300_000) });
    const file = openResultFile(path, options);
    const indexes = [9, 2, 7, 4, 5, 6, 3, 8, 1];
    for (const index of indexes) {
      file.append({ index, fingerprint: 0n, isAnswered: true }, text(index));
    }
    await file.finish(true, true);
    await file.close();
    expect(read(path)).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map(text).join(''));
  });
});
