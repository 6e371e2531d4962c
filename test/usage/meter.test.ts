import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { silentNotices } from '../../src/output/notices.ts';
import type { Run } from '../../src/run.ts';
import { limitsOfRun } from '../../src/usage/budget.ts';
import { ledgerFolder } from '../../src/usage/ledger.ts';
import { meterClient } from '../../src/usage/meter.ts';
import { folderOf } from '../support/folder.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const answering = {
  async *chat() {
    yield { type: 'answer-finished', attempts: 1, timing: { total: 20 } };
  },
} as Partial<Client> as Client;

function openMeter(most: { readonly tokens?: number } = {}) {
  const state = folderOf({ 'usage/1999-12.jsonl': '' });
  const { context, clock } = createMemoryContext({ environment: { NATTER_STATE_DIR: state } });
  const settings = { values: { ledger: true }, profile: { value: 'default' }, prices: new Map() };
  const run = { context, presentation: { notices: silentNotices }, settings } as unknown as Run;
  const source = { command: 'batch', limits: limitsOfRun(most, run.settings) };
  const meter = meterClient(answering, run, source, false);
  const folder = ledgerFolder(state);
  return {
    clock,
    close: () => meter.close(),
    ask: async () => {
      for await (const _event of meter.client.chat({ model: 'origin', messages: [] }, {}));
    },
    /** The number of lines for each month. */
    counts: () =>
      readdirSync(folder).map(
        (name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1,
      ),
  };
}

test('requests that end in one turn of the event loop are written at its end, or at that of the run', async () => {
  const { ask, clock, close, counts } = openMeter();
  await ask();
  await ask();
  void clock.advance(30 * 86_400_000);
  await ask();
  expect(counts()).toEqual([0]);
  await nextTurn();
  expect(counts()).toEqual([0, 2, 1]);
  await ask();
  close();
  expect(counts()).toEqual([0, 2, 2]);
});

test('a limit finds each request in the ledger before the next one is sent', async () => {
  const { ask, counts } = openMeter({ tokens: 1000 });
  await ask();
  expect(counts()).toEqual([0, 1]);
});
