import path from 'node:path';
import { appendLine } from '../storage/state-file.ts';
import { ledgerJson, type LedgerLine } from './ledger-line.ts';

/** The folder of the ledger, in the state folder. */
export const ledgerFolder = (state: string): string => path.join(state, 'usage');

/** The file of a month, `2026-11.jsonl`. @param time in UTC, as in a line */
export function ledgerFile(state: string, time: string): string {
  return path.join(ledgerFolder(state), `${monthOf(time)}.jsonl`);
}

const monthOf = (time: string) => time.slice(0, 7);

/** Appends lines in one write for each month. @throws Failure `storage` */
export function appendToLedger(state: string, lines: readonly LedgerLine[]): void {
  const months = new Map<string, string[]>();
  for (const line of lines) {
    const month = monthOf(line.time);
    const texts = months.get(month) ?? [];
    months.set(month, texts);
    texts.push(ledgerJson(line));
  }
  for (const [month, texts] of months) appendLine(ledgerFile(state, month), texts.join('\n'));
}
