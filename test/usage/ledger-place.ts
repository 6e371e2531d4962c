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
  const months: Record<string, string> = {};
  let month = '2026-11';
  for (const line of lines) {
    const text = typeof line === 'string' ? line : JSON.stringify({ ...usual, ...line });
    if (typeof line !== 'string') month = (line.time ?? usual.time).slice(0, 7);
    const name = `usage/${month}.jsonl`;
    months[name] = `${months[name] ?? ''}${text}\n`;
  }
  return folderOf(months);
}
