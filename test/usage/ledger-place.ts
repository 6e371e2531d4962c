import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { folderOf } from '../support/folder.ts';

const usual: LedgerLine = {
  time: '2026-11-20T09:00:00.000Z',
  command: 'chat',
  profile: 'default',
  model: 'origin',
  prompt_tokens: 100,
  completion_tokens: 20,
  ms: 30,
  outcome: 'answered',
  attempts: 1,
  conversation: null,
  batch: null,
};

/** A state folder whose ledger has these lines; texts are lines as they are. */
export function stateWith(lines: readonly (Partial<LedgerLine> | string)[]): string {
  const state = folderOf();
  const folder = join(state, 'usage');
  mkdirSync(folder);
  const months = new Map<string, string>();
  let month = '2026-11';
  for (const line of lines) {
    const text = typeof line === 'string' ? line : JSON.stringify({ ...usual, ...line });
    if (typeof line !== 'string') month = (line.time ?? usual.time).slice(0, 7);
    months.set(month, `${months.get(month) ?? ''}${text}\n`);
  }
  for (const [name, text] of months) writeFileSync(join(folder, `${name}.jsonl`), text);
  return state;
}
