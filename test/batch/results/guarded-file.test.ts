import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openResultFile } from '../../../src/batch/results/result-file.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const line = (index: number) => `${JSON.stringify({ index, content: `é ${index}` })}\n`;

/** A results file with one result, in a folder that tests may remove. */
function open() {
  const folder = join(mkdtempSync(join(tmpdir(), 'natter-guarded-')), 'results');
  mkdirSync(folder);
  const path = join(folder, 'out.jsonl');
  const clock = createFakeClock();
  let rewritten = 0;
  const process = { id: 1, isRunning: () => true };
  const file = openResultFile(path, { process, clock, onRewritten: () => (rewritten += 1) });
  onTestFinished(() => file.close());
  const add = (index: number) =>
    file.append({ index, fingerprint: undefined, isAnswered: true }, line(index));
  add(1);
  return { path, file, clock, add, rewritten: () => rewritten };
}

const read = (path: string) => readFileSync(path, 'utf8');

describe('a results file', () => {
  test.each([
    ['is deleted', (path: string) => rmSync(path)],
    [
      'is deleted together with its folder',
      (path: string) => rmSync(dirname(path), { recursive: true }),
    ],
    ['is moved away', (path: string) => renameSync(path, `${path}.moved`)],
  ])('X10: that %s is written again within a second, with all results', async (_, remove) => {
    const { path, file, clock, add, rewritten } = open();
    chmodSync(path, 0o640);
    remove(path);
    add(3);
    await clock.advance(1000);
    expect(read(path)).toBe(line(1) + line(3));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    add(2);
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
    const { path, file, clock, add } = open();
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
    expect(() => add(2)).toThrow(failure);
    await expect(file.finish(true, true)).rejects.toEqual(failure);
    await file.close();
    expect([read(path), read(`${path}.kept`), read(`${path}.kept-2`)]).toEqual([
      'my own\n',
      'taken\n',
      line(1),
    ]);
  });

  test('X10: that is replaced by its copy does not end the run', async () => {
    const { path, file, clock } = open();
    writeFileSync(`${path}.new`, read(path));
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
    expect(Buffer.concat([...file.unsaved()]).toString()).toBe(line(1));
    expect(existsSync(path)).toBe(false);
  });

  test('X21: that cannot be flushed ends the run before the next result', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'natter-guarded-'));
    const clock = createFakeClock();
    const synchronize = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    const process = { id: 1, isRunning: () => true };
    const file = openResultFile(join(folder, 'out.jsonl'), { process, clock, synchronize });
    onTestFinished(() => file.close());
    file.append({ index: 1, fingerprint: undefined, isAnswered: true }, line(1));
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
  const { path, add } = open();
  truncateSync(path, 0);
  expect(() => add(2)).toThrow('another program truncated');
  expect(read(path)).toBe('');
});
