import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginRequest, type MeterSources } from '../../../src/commands/service/metered-service.ts';
import { createTimeText, createUsageMeter } from '../../../src/commands/service/usage-meter.ts';
import { ledgerFile } from '../../../src/ledger/ledger-files.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

test('the time of a line of the ledger is that of the clock, in each millisecond and after a step back', () => {
  const base = Date.UTC(2026, 10, 20, 12);
  let offset = 0;
  const time = createTimeText({ date: () => new Date(base + offset) });
  const texts = [0, 0, 1, 1000, 0].map((next) => {
    offset = next;
    return time();
  });
  expect(texts).toEqual([
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.001Z',
    '2026-11-20T12:00:01.000Z',
    '2026-11-20T12:00:00.000Z',
  ]);
});

/** The lines of the ledger after `count` requests in one moment, whose meter was not closed. */
function writtenLines(count: number): number {
  const state = mkdtempSync(join(tmpdir(), 'natter-ledger-'));
  const { context } = createMemoryContext({ environment: { NATTER_STATE_DIR: state } });
  const settings = { values: { ledger: true, save: false }, profile: { value: 'default' } };
  const sources = { context, settings, source: { command: 'batch' } } as unknown as MeterSources;
  const meter = createUsageMeter(sources, false);
  const request = { model: 'origin', messages: [] };
  for (let done = 0; done < count; done += 1) {
    meter.end(beginRequest(context.clock, request), undefined);
  }
  try {
    const file = ledgerFile(state, context.clock.date().toISOString());
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  } finally {
    rmSync(state, { recursive: true });
  }
}

test('many requests within a second are written by the thousand', () => {
  expect(writtenLines(999)).toBe(0);
  expect(writtenLines(2500)).toBe(2000);
});
