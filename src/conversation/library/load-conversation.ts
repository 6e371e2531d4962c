import { readLines } from '../../storage/read-lines.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { dataVariable } from './conversation-folder.ts';
import { parseLine } from '../journal/records.ts';
import { createFold, type JournalFold } from '../journal/fold-journal.ts';

export interface LoadedConversation {
  readonly fold: JournalFold;
  /** Version of the format; 0 where the header was lost. */
  readonly version: number;
  /** Records that could be read. */
  readonly records: number;
  /** Lines of which something could not be read. */
  readonly lostLines: number;
}

/** @throws Failure `storage` when the file cannot be read; a damaged file is read as far as possible */
export function loadConversation(path: string, id: string): LoadedConversation {
  const fold = createFold({ id });
  let version = 0;
  let records = 0;
  let lostLines = 0;
  try {
    for (const lines of readLines(path)) {
      for (const line of lines) {
        const { record, kind } = parseLine(line);
        if (kind === 'lost') lostLines += 1;
        if (record === undefined) continue;
        records += 1;
        if (record.type === 'conversation') version = record.version;
        fold.apply(record);
      }
    }
  } catch (error) {
    throw storageFailure('read', path, error, dataVariable);
  }
  return { fold, version, records, lostLines };
}

/** Undefined for an undamaged file. */
export function lostLinesWarning(id: string, lostLines: number): string | undefined {
  if (lostLines === 0) return undefined;
  const lines = lostLines === 1 ? '1 line' : `${lostLines} lines`;
  return `${lines} of conversation ${id} could not be read; the rest is loaded`;
}
