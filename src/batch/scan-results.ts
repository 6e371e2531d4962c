import fs from 'node:fs';
import { Failure } from '../failure.ts';
import { createLineSplitter } from './line-splitter.ts';
import { isTornResult, parseResultLine } from './result-line.ts';
import type { IndexedResult } from './result-index.ts';

/** Where the whole lines of a result file end. */
export interface ScannedResults {
  /** Bytes; what comes after was not written to its end. */
  readonly size: number;
  /** The last line is whole, and only its line end is missing. */
  readonly lacksLineEnd: boolean;
}

const blockSize = 1 << 20;
const lineEndSize = 1;

function noResult(name: string, line: number): Failure {
  return new Failure('usage', `line ${line} of ${name} is no result of natter batch`, {
    hint: 'name another file, or repair the line',
  });
}

function* blocks(descriptor: number): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(blockSize);
  for (;;) {
    const size = fs.readSync(descriptor, buffer, 0, blockSize, null);
    if (size === 0) return;
    yield buffer.subarray(0, size);
  }
}

/**
 * Tells of every result in a file, in the order of the file. A last line that was not written to its end is
 * left out.
 * @param name how messages call the file
 * @param file the number that results get
 * @throws Failure `usage` for a line that is no result; the system's error
 */
export function scanResults(
  descriptor: number,
  name: string,
  file: number,
  found: (result: IndexedResult) => void,
): ScannedResults {
  const splitter = createLineSplitter(Number.POSITIVE_INFINITY);
  let offset = 0;
  let line = 0;
  const take = (bytes: Buffer, endSize: number): boolean => {
    line += 1;
    const result = parseResultLine(bytes.toString());
    if (result === undefined) return false;
    const length = bytes.length + endSize;
    found({ ...result, file, offset, length });
    offset += length;
    return true;
  };
  for (const block of blocks(descriptor)) {
    for (const bytes of splitter.add(block)) {
      if (!take(bytes ?? Buffer.alloc(0), lineEndSize)) throw noResult(name, line);
    }
  }
  const [rest] = splitter.end();
  if (rest === undefined) return { size: offset, lacksLineEnd: false };
  // With the line end that it is about to get.
  if (take(rest, lineEndSize)) return { size: offset - lineEndSize, lacksLineEnd: true };
  if (!isTornResult(rest.toString())) throw noResult(name, line);
  return { size: offset, lacksLineEnd: false };
}
