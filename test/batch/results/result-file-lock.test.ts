import { mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openResultFile } from '../../../src/batch/results/result-file.ts';
import { systemClock } from '../../../src/clock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const options = {
  process: { id: process.pid, isRunning: () => true },
  clock: systemClock,
};
const killed = { ...options, process: { id: process.pid, isRunning: () => false } };

const folder = () => mkdtempSync(join(tmpdir(), 'natter-results-'));
const line = (index: number) => `${JSON.stringify({ index, content: `é ${index}` })}\n`;
const read = (path: string) => readFileSync(path, 'utf8');

describe('the lock of a results file', () => {
  test('refuses the file while another natter is writing it', async () => {
    const path = join(folder(), 'out.jsonl');
    const file = openResultFile(path, options);
    expect(() => openResultFile(path, options)).toThrow(
      `another natter (process ${process.pid} on ${hostname()}) is writing ${path}`,
    );
    await file.close();
    await openResultFile(path, options).close();
  });

  test.skipIf(process.platform === 'win32')('is beside the target of a link', async () => {
    const path = join(realpathSync(folder()), 'out.jsonl');
    const link = join(folder(), 'link.jsonl');
    symlinkSync(path, link);
    const file = openResultFile(link, options);
    expect(() => openResultFile(link, options)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`delete ${path}.lock`) as string }),
    );
    await file.close();
  });

  test('X8: keeps a suspended natter from writing after another one has taken the file over', async () => {
    const path = join(folder(), 'out.jsonl');
    const clock = createFakeClock();
    const suspended = openResultFile(path, { ...options, clock });
    const result = { index: 1, fingerprint: 1n, isAnswered: true };
    suspended.append({ ...result }, line(1));
    const next = openResultFile(path, killed);
    next.append({ ...result, index: 2 }, line(2));
    await clock.advance(60_000);
    const refusal = `another natter is writing ${path}: this one was suspended for too long`;
    expect(() => suspended.append({ ...result, index: 3 }, line(3))).toThrow(refusal);
    await expect(suspended.finish(true, true)).rejects.toThrow(refusal);
    await suspended.close();
    await next.close();
    expect(read(path)).toBe(line(1) + line(2));
  });

  test('is taken over at once from a natter that was killed', async () => {
    const path = join(folder(), 'out.jsonl');
    openResultFile(path, options);
    await expect(openResultFile(path, killed).close()).resolves.toBeUndefined();
  });
});
