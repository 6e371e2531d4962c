import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readLines } from '../storage/read-lines.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import { ledgerFile, ledgerFolder } from './ledger-files.ts';
import { type LedgerLine, parseLedgerLine } from './ledger-line.ts';

/** The files of the month of a time and of later ones, the oldest first. @throws Failure `storage` */
function filesSince(state: string, since: Date): readonly string[] {
  const folder = ledgerFolder(state);
  const first = path.basename(ledgerFile(state, since.toISOString()));
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name) && name >= first)
      .sort()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', folder, error, 'NATTER_STATE_DIR');
  }
}

/**
 * Passes the requests that ended at this time or later to `take`.
 * @returns the number of lines that are not of the ledger
 * @throws Failure `storage`
 */
export function readLedger(state: string, since: Date, take: (line: LedgerLine) => void): number {
  let broken = 0;
  const takeText = (text: string) => {
    const line = parseLedgerLine(text);
    if (line !== undefined && Date.parse(line.time) >= since.getTime()) take(line);
    if (line === undefined && text.trim() !== '') broken += 1;
  };
  for (const file of filesSince(state, since)) {
    try {
      for (const lines of readLines(file)) lines.forEach(takeText);
    } catch (error) {
      throw storageFailure('read', file, error, 'NATTER_STATE_DIR');
    }
  }
  return broken;
}
