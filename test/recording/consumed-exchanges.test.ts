import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { keepConsumedExchanges } from '../../src/recording/match-exchange.ts';
import { newPath } from './recording-fixtures.ts';

const options = { clock: systemClock, process: { id: process.pid, isRunning: () => true } };
const next = (used: ReadonlySet<number>) => used.size;

test('runs at the same time choose different exchanges', async () => {
  const path = newPath('used');
  const runs = Array.from({ length: 10 }, () => keepConsumedExchanges(path, options).add(next));
  expect(new Set(await Promise.all(runs)).size).toBe(10);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('writes nothing if the choice fails', async () => {
  const path = newPath('used');
  const used = keepConsumedExchanges(path, options);
  await used.add(next);
  const refused = used.add(() => {
    throw new Error('none');
  });
  await expect(refused).rejects.toThrow('none');
  expect(readFileSync(path, 'utf8')).toBe('0\n');
});

test('refuses any other file, and does not change it', async () => {
  const path = newPath('used');
  writeFileSync(path, 'my notes\n');
  await expect(keepConsumedExchanges(path, options).add(next)).rejects.toThrow(
    'is not a list of used exchanges',
  );
  expect(readFileSync(path, 'utf8')).toBe('my notes\n');
});
