import fs from 'node:fs';

import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { appendLine, stateVariable } from '../../storage/state-file.ts';

/** Maximum bytes and entries read from the end of the file. */
const maxReadBytes = 8 << 20;
const maxEntries = 2000;
/** UTF-16 units. Longer prompts are not stored here, so that they do not push out the others. */
const maxTextLength = 1 << 20;

export interface StoredHistory {
  /** Oldest first. */
  readonly texts: readonly string[];
  /** Number of invalid lines, cut or damaged. */
  readonly skipped: number;
}

/** JSON lines `{"at": ISO 8601, "text": …}`. @throws Failure `storage` */
export function appendHistory(file: string, text: string, at: Date): void {
  if (text.trim() === '' || text.length > maxTextLength) return;
  appendLine(file, JSON.stringify({ at: at.toISOString(), text }));
}

/** The file's last bytes from the start of a line, so that no character is cut. */
function readEnd(file: string): string {
  const descriptor = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(descriptor);
    const start = Math.max(0, size - maxReadBytes);
    const bytes = Buffer.alloc(size - start);
    const length = fs.readSync(descriptor, bytes, 0, bytes.length, start);
    const firstLine = start === 0 ? 0 : bytes.indexOf('\n') + 1;
    return bytes.toString('utf8', firstLine, length);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The text of one line; undefined if the line is invalid. */
function parseEntry(line: string): string | undefined {
  try {
    const record: unknown = JSON.parse(line.replaceAll(/^\uFEFF|\0/g, ''));
    const isEntry = typeof record === 'object' && record !== null && 'text' in record;
    return isEntry && typeof record.text === 'string' ? record.text : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The newest 2000 entries in the last 8 MB; empty if there is no file. @throws Failure `storage` */
export function readHistory(file: string): StoredHistory {
  try {
    const lines = readEnd(file)
      .split('\n')
      .filter((line) => line.trim() !== '');
    const texts = lines.map(parseEntry).filter((text) => text !== undefined);
    return { texts: texts.slice(-maxEntries), skipped: lines.length - texts.length };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { texts: [], skipped: 0 };
    throw storageFailure('read', file, error, stateVariable);
  }
}
