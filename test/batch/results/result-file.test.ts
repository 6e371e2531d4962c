import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openResultFile, type ResultFile } from '../../../src/batch/results/result-file.ts';
import { systemClock } from '../../../src/clock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { folderOf } from '../../support/folder.ts';

const options = {
  process: { id: process.pid, isRunning: () => true },
  clock: systemClock,
};

function line(index: number, more: object = {}): string {
  const prompt_hash = String(index).padStart(16, '0');
  return `${JSON.stringify({ index, prompt_hash, content: `é ${index}`, ...more })}\n`;
}

const failedLine = (index: number) => line(index, { error: { kind: 'server_error' } });

function fileWith(text: string): string {
  const path = join(folderOf(), 'out.jsonl');
  writeFileSync(path, text);
  return path;
}

const read = (path: string) => readFileSync(path, 'utf8');

/** Appends an answer to an open file. */
const add = (file: ResultFile, index: number, text = line(index)) =>
  file.append({ index, fingerprint: undefined, isAnswered: true }, text);

/** Appends results to a file, then finishes and closes it. */
async function append(
  path: string,
  indexes: readonly number[],
  { ordered = true, text = (index: number) => line(index) } = {},
): Promise<void> {
  const file = openResultFile(path, options);
  for (const index of indexes) {
    add(file, index, text(index));
    expect(read(path).endsWith(text(index))).toBe(true);
  }
  await file.finish(ordered, true);
  await file.close();
}

describe('a results file', () => {
  test('has each result at once, and all in order at the end', async () => {
    const path = join(folderOf(), 'out.jsonl');
    await append(path, [3, 1, 2]);
    expect(read(path)).toBe(line(1) + line(2) + line(3));
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(existsSync(`${path}.ordered`)).toBe(false);
  });

  test('keeps the order of arrival without sorting', async () => {
    const path = join(folderOf(), 'out.jsonl');
    await append(path, [3, 1, 2], { ordered: false });
    expect(read(path)).toBe(line(3) + line(1) + line(2));
  });

  test('has its results when it is opened again', async () => {
    const path = fileWith(line(2) + failedLine(5));
    const file = openResultFile(path, options);
    expect(file.find(2)).toMatchObject({ isAnswered: true, fingerprint: '2'.padStart(16, '0') });
    expect(file.find(5)).toMatchObject({ isAnswered: false, fingerprint: '5'.padStart(16, '0') });
    expect([file.find(1), file.find(6), file.last]).toEqual([undefined, undefined, 5]);
    await file.close();
  });

  test.each([true, false])(
    'replaces a failure with a later answer (ordered: %s)',
    async (ordered) => {
      const path = fileWith(failedLine(1) + line(2));
      await append(path, [1], { ordered });
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
    const path = join(folderOf(), 'out.jsonl');
    writeFileSync(path, before);
    await append(path, [9]);
    expect(read(path)).toBe(whole + line(9));
  });

  const foreign = 'is not a result of natter batch';
  const joined = 'has several results: line ends were lost';

  test.each([
    ['text', 'my notes\n', 1, foreign],
    ['text without a line end', 'my notes', 1, foreign],
    ['JSON of another kind', '{"prompt":"hi"}\n', 1, foreign],
    ['a bad line between', `${line(1)}oops\n${line(2)}`, 2, foreign],
    ['a line without a sensible index', '{"index":0,"content":""}\n', 1, foreign],
    ['X11: binary data that begins with NULs', '\0\0\0\u0018ftypmp42\0\0', 1, foreign],
    ['X11: binary data with NULs', '\u007FELF\0\0\0', 1, foreign],
    ['an index beyond any batch', '{"index":900719925474099,"content":""}\n', 1, foreign],
    ['F5: no line ends', (line(1) + line(2)).replaceAll('\n', ''), 1, joined],
    ['F5: CR as line ends', (line(1) + line(2)).replaceAll('\n', '\r'), 1, joined],
  ])('with %s is refused and not changed', (_, text, number, problem) => {
    const path = fileWith(text);
    expect(() => openResultFile(path, options)).toThrow(`line ${number} of ${path} ${problem}`);
    expect(read(path)).toBe(text);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('is refused if it is a folder', () => {
    const path = join(folderOf(), 'results');
    mkdirSync(path);
    expect(() => openResultFile(path, options)).toThrow(/is not a regular file/);
  });

  test('in a missing folder is refused with a hint to create it', () => {
    const path = join(folderOf(), 'results');
    const failure = { message: expect.stringContaining('cannot write') as string };
    expect(() => openResultFile(join(path, 'out.jsonl'), options)).toThrow(
      expect.objectContaining({ ...failure, kind: 'storage', hint: `create ${path} first` }),
    );
  });

  test('keeps its permissions and a symbolic link to it', async () => {
    const path = fileWith(line(2));
    chmodSync(path, 0o640);
    const link = join(folderOf(), 'link.jsonl');
    symlinkSync(path, link);
    await append(link, [1]);
    expect(read(path)).toBe(line(1) + line(2));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(read(link)).toBe(read(path));
  });

  test('is removed when a run ends without results, unless the run was complete', async () => {
    const path = join(folderOf(), 'out.jsonl');
    await openResultFile(path, options).close();
    expect(existsSync(path)).toBe(false);
    await append(path, []);
    expect(read(path)).toBe('');
    await openResultFile(path, options).close();
    expect(read(path)).toBe('');
  });

  test('is sorted even if it is larger than the copy buffer', async () => {
    const path = join(folderOf(), 'out.jsonl');
    const text = (index: number) => line(index, { content: 'x'.repeat(300_000) });
    await append(path, [9, 2, 7, 4, 5, 6, 3, 8, 1], { text });
    expect(read(path)).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map(text).join(''));
  });
});

const killed = { ...options, process: { id: process.pid, isRunning: () => false } };

describe('the lock of a results file', () => {
  test('refuses the file while another natter is writing it', async () => {
    const path = join(folderOf(), 'out.jsonl');
    const file = openResultFile(path, options);
    expect(() => openResultFile(path, options)).toThrow(
      `another natter (process ${process.pid} on ${hostname()}) is writing ${path}`,
    );
    await file.close();
    await openResultFile(path, options).close();
  });

  test('X8: keeps a suspended natter from writing after another one has taken the file over', async () => {
    const path = join(folderOf(), 'out.jsonl');
    const clock = createFakeClock();
    const suspended = openResultFile(path, { ...options, clock });
    add(suspended, 1);
    const next = openResultFile(path, killed);
    add(next, 2);
    await clock.advance(60_000);
    const refusal = `another natter is writing ${path}: this one was suspended for too long`;
    expect(() => add(suspended, 3)).toThrow(refusal);
    await expect(suspended.finish(true, true)).rejects.toThrow(refusal);
    await suspended.close();
    await next.close();
    expect(read(path)).toBe(line(1) + line(2));
  });

  test('is taken over at once from a natter that was killed', async () => {
    const path = join(folderOf(), 'out.jsonl');
    openResultFile(path, options);
    await expect(openResultFile(path, killed).close()).resolves.toBeUndefined();
  });
});

/** A results file with one result, in a folder that tests may remove. */
function open() {
  const folder = join(folderOf(), 'results');
  mkdirSync(folder);
  const path = join(folder, 'out.jsonl');
  const clock = createFakeClock();
  let rewritten = 0;
  const process = { id: 1, isRunning: () => true };
  const file = openResultFile(path, { process, clock, onRewritten: () => (rewritten += 1) });
  onTestFinished(() => file.close());
  add(file, 1);
  return { path, file, clock, rewritten: () => rewritten };
}

describe('a results file', () => {
  test.each([
    ['is deleted', (path: string) => rmSync(path)],
    [
      'is deleted together with its folder',
      (path: string) => rmSync(dirname(path), { recursive: true }),
    ],
    ['is moved away', (path: string) => renameSync(path, `${path}.moved`)],
  ])('X10: that %s is written again within a second, with all results', async (_, remove) => {
    const { path, file, clock, rewritten } = open();
    chmodSync(path, 0o640);
    remove(path);
    add(file, 3);
    await clock.advance(1000);
    expect(read(path)).toBe(line(1) + line(3));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    add(file, 2);
    await file.finish(true, true);
    expect(read(path)).toBe(line(1) + line(2) + line(3));
    expect({ rewritten: rewritten(), isBroken: file.broken.aborted }).toEqual({
      rewritten: 1,
      isBroken: false,
    });
  });

  test('X10: that is deleted right before the end exists at the end', async () => {
    const { path, file } = open();
    rmSync(path);
    await file.finish(true, true);
    expect(read(path)).toBe(line(1));
  });

  test('X10: that is replaced ends the run without losing either file', async () => {
    const { path, file, clock } = open();
    writeFileSync(`${path}.new`, 'my own\n');
    renameSync(`${path}.new`, path);
    writeFileSync(`${path}.kept`, 'taken\n');
    await clock.advance(1000);
    const failure = expect.objectContaining({
      kind: 'storage',
      message: expect.stringContaining('was replaced by another file') as string,
      hint: expect.stringContaining(`${path}.kept-2`) as string,
    }) as Error;
    expect(file.broken.reason).toEqual(failure);
    expect(() => add(file, 2)).toThrow(failure);
    await expect(file.finish(true, true)).rejects.toEqual(failure);
    await file.close();
    expect([read(path), read(`${path}.kept`), read(`${path}.kept-2`)]).toEqual([
      'my own\n',
      'taken\n',
      line(1),
    ]);
  });

  test('X10: whose inode number changes does not end the run', async () => {
    const { path, file, clock } = open();
    // A copy with the same time looks like it.
    writeFileSync(`${path}.new`, read(path));
    const { atime, mtime } = statSync(path);
    for (const one of [path, `${path}.new`]) utimesSync(one, atime, mtime);
    renameSync(`${path}.new`, path);
    await clock.advance(1000);
    expect(file.broken.aborted).toBe(false);
  });

  test('X10: that another program truncates ends the run', async () => {
    const { path, file, clock } = open();
    truncateSync(path, 3);
    await clock.advance(1000);
    expect(file.broken.reason).toMatchObject({
      kind: 'storage',
      message: `another program truncated ${path} during the run`,
    });
  });

  test('X10: that cannot be written again returns its results', async () => {
    const { path, file, clock } = open();
    expect([...file.unsaved()]).toEqual([]);
    const folder = dirname(path);
    rmSync(folder, { recursive: true });
    // A file in the place of its folder; permissions would not stop an administrator.
    writeFileSync(folder, '');
    await clock.advance(1000);
    expect(file.broken.reason).toMatchObject({ kind: 'storage' });
    expect([...file.unsaved()]).toEqual([line(1)]);
    expect(existsSync(path)).toBe(false);
  });

  test('X21: that cannot be flushed ends the run before the next result', async () => {
    const { file, clock } = open();
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    const flush = vi.spyOn(fs, 'fdatasync').mockImplementation((_, end) => end(full));
    onTestFinished(() => flush.mockRestore());
    // The flush fails at once; the file is checked a second later.
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1000);
    expect(file.broken.reason).toMatchObject({
      kind: 'storage',
      message: expect.stringContaining('the disk is full') as string,
    });
  });
});

test('X10: the next result detects a truncated file and does not overwrite it', () => {
  const { path, file } = open();
  truncateSync(path, 0);
  expect(() => add(file, 2)).toThrow('another program truncated');
  expect(read(path)).toBe('');
});
