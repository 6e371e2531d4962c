import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { silentNotices } from '../../src/output/notices.ts';
import type { Run } from '../../src/run.ts';
import type { ResolvedSettings } from '../../src/settings/resolved-settings.ts';
import { ledgerFile } from '../../src/usage/ledger.ts';
import { meterClient } from '../../src/usage/meter.ts';
import { folderOf } from '../support/folder.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const client: Client = {
  async *chat() {
    yield { type: 'answer-finished', attempts: 1, timing: { total: 1 } };
  },
  listModels: async () => [],
  getModel: async (id) => ({ id }),
  close: () => undefined,
};

/** The lines of the ledger after `count` requests in one moment, whose meter was not closed. */
async function writtenLines(count: number): Promise<number> {
  const state = folderOf();
  const { context, clock } = createMemoryContext({ environment: { NATTER_STATE_DIR: state } });
  const values = { ledger: true } as ResolvedSettings['values'];
  const profile = { value: 'default', source: { kind: 'default', name: 'default' } } as const;
  const settings = { values, profile } as ResolvedSettings;
  const run = { context, presentation: { notices: silentNotices }, settings } as unknown as Run;
  const meter = meterClient(client, run, { command: 'batch' }, false);
  for (let done = 0; done < count; done += 1) {
    for await (const event of meter.client.chat({ model: 'origin', messages: [] })) void event;
  }
  try {
    const file = ledgerFile(state, clock.date().toISOString());
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  } finally {
    rmSync(state, { recursive: true });
  }
}

test('many requests within a second are written by the thousand', async () => {
  expect(await writtenLines(999)).toBe(0);
  expect(await writtenLines(2500)).toBe(2000);
});
