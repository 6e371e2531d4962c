import path from 'node:path';
import { appendLine } from '../storage/state-file.ts';
import type { LedgerLine } from './ledger-line.ts';

/** The folder of the ledger, in the state folder. */
export const ledgerFolder = (state: string): string => path.join(state, 'usage');

/** The file of a month, `2026-11.jsonl`. @param time in UTC, as in a line */
export function ledgerFile(state: string, time: string): string {
  return path.join(ledgerFolder(state), `${time.slice(0, 7)}.jsonl`);
}

/** Appends lines in one write for each month. @throws Failure `storage` */
export function appendToLedger(state: string, lines: readonly LedgerLine[]): void {
  const files = new Map<string, string[]>();
  for (const line of lines) {
    const file = ledgerFile(state, line.time);
    const others = files.get(file);
    if (others === undefined) files.set(file, [JSON.stringify(line)]);
    else others.push(JSON.stringify(line));
  }
  for (const [file, texts] of files) appendLine(file, texts.join('\n'));
}
