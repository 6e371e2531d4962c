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
import { describe, expect, test } from 'vitest';
import { formatFingerprint } from '../../src/batch/fingerprint.ts';
import { openResultFile } from '../../src/batch/result-file.ts';

const options = {
  process: { id: process.pid, isRunning: () => true },
  clock: { date: () => new Date() },
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

/** Appends to a file, and ends. */
function append(path: string, indexes: readonly number[], ordered = true): void {
  const file = openResultFile(path, options);
  for (const index of indexes) {
    file.append({ index, fingerprint: BigInt(index), isAnswered: true }, line(index));
  }
  file.finish(ordered);
  file.close();
}

describe('a file of results', () => {
  test('has each result as soon as it is known, and all in order at the end', () => {
    const path = join(folder(), 'out.jsonl');
    const file = openResultFile(path, options);
    for (const index of [3, 1, 2]) {
      file.append({ index, fingerprint: 1n, isAnswered: true }, line(index));
      expect(read(path).endsWith(line(index))).toBe(true);
    }
    file.finish(true);
    file.close();
    expect(read(path)).toBe(line(1) + line(2) + line(3));
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(existsSync(`${path}.ordered`)).toBe(false);
  });

  test('stays as it came without order', () => {
    const path = join(folder(), 'out.jsonl');
    append(path, [3, 1, 2], false);
    expect(read(path)).toBe(line(3) + line(1) + line(2));
  });

  test('knows what it holds when it is opened again', () => {
    const path = fileWith(line(2) + failedLine(5));
    const file = openResultFile(path, options);
    expect(file.find(2)).toMatchObject({ isAnswered: true, fingerprint: 2n });
    expect(file.find(5)).toMatchObject({ isAnswered: false, fingerprint: 5n });
    expect([file.find(1), file.find(6), file.last]).toEqual([undefined, undefined, 5]);
    file.close();
  });

  test.each([true, false])(
    'loses a failure to the answer that replaces it (ordered: %s)',
    (ordered) => {
      const path = fileWith(failedLine(1) + line(2));
      append(path, [1], ordered);
      expect(read(path)).toBe(line(1) + line(2));
    },
  );

  test('never loses an answer to a failure', () => {
    const path = fileWith(line(1) + failedLine(1));
    append(path, []);
    expect(read(path)).toBe(line(1));
  });

  test.each([
    ['a line that was cut', line(1) + line(2).slice(0, 30), line(1)],
    ['a line of which little was written', `${line(1)}{"in`, line(1)],
    ['a line cut within a character', Buffer.from(line(1) + line(2)).subarray(0, -7), line(1)],
    ['nothing but a cut line', line(1).slice(0, 20), ''],
    ['a line that lacks only its end', line(1) + line(2).slice(0, -1), line(1) + line(2)],
    ['nothing', '', ''],
  ])('goes on after %s', (_, before, whole) => {
    const path = join(folder(), 'out.jsonl');
    writeFileSync(path, before);
    append(path, [9]);
    expect(read(path)).toBe(whole + line(9));
  });

  test.each([
    ['text', 'my notes\n', 1],
    ['text without a line end', 'my notes', 1],
    ['JSON of another kind', '{"prompt":"hi"}\n', 1],
    ['a bad line between', `${line(1)}oops\n${line(2)}`, 2],
    ['a line without a sensible index', '{"index":0,"content":""}\n', 1],
    ['an index beyond any batch', '{"index":900719925474099,"content":""}\n', 1],
  ])('is refused, and stays as it is, with %s', (_, text, number) => {
    const path = fileWith(text);
    expect(() => openResultFile(path, options)).toThrow(
      `line ${number} of ${path} is no result of natter batch`,
    );
    expect(read(path)).toBe(text);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('is refused when it is no file', () => {
    const path = join(folder(), 'results');
    mkdirSync(path);
    expect(() => openResultFile(path, options)).toThrow(/is no file that results can be kept in/);
  });

  test('is refused while another natter writes it', () => {
    const path = join(folder(), 'out.jsonl');
    const file = openResultFile(path, options);
    expect(() => openResultFile(path, options)).toThrow(
      `another natter, process ${process.pid} writes ${path}`,
    );
    file.close();
    openResultFile(path, options).close();
  });

  test('is had again at once when the natter that wrote it was killed', () => {
    const path = join(folder(), 'out.jsonl');
    openResultFile(path, options);
    const gone = { ...options, process: { id: process.pid, isRunning: () => false } };
    expect(() => openResultFile(path, gone).close()).not.toThrow();
  });

  test('keeps its permissions, and a link to it', () => {
    const path = fileWith(line(2));
    chmodSync(path, 0o640);
    const link = join(folder(), 'link.jsonl');
    symlinkSync(path, link);
    append(link, [1]);
    expect(read(path)).toBe(line(1) + line(2));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(read(link)).toBe(read(path));
  });

  test('is put in order though it is larger than what is copied at once', () => {
    const path = join(folder(), 'out.jsonl');
    const text = (index: number) => line(index, { content: 'x'.repeat(300_000) });
    const file = openResultFile(path, options);
    const indexes = [9, 2, 7, 4, 5, 6, 3, 8, 1];
    for (const index of indexes) {
      file.append({ index, fingerprint: 0n, isAnswered: true }, text(index));
    }
    file.finish(true);
    file.close();
    expect(read(path)).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map(text).join(''));
  });
});
