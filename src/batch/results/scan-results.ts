import fs from 'node:fs';
import { Failure } from '../../failure.ts';
import { createLineSplitter } from '../input/line-splitter.ts';
import { isTornResult, parseResultLine, type ResultLine } from './result-line.ts';
import type { IndexedResult } from './result-index.ts';

/** Where the results of a file end. */
export interface ScannedResults {
  /** Bytes up to the end of the last result; what comes after was not written to its end. */
  readonly size: number;
  /** The last line is whole, and only its line end is missing. */
  readonly lacksLineEnd: boolean;
}

const blockSize = 1 << 20;
const lineEndSize = 1;

function noResult(name: string, line: number): Failure {
  return new Failure('usage', `line ${line} of ${name} is not a result of natter batch`, {
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

/** What a line holds: a result, nothing, what a crash of the machine left of results, or none of these. */
type FoundLine =
  | { readonly kind: 'result'; readonly result: ResultLine; /** Bytes. */ readonly start: number }
  | { readonly kind: 'nothing' | 'damaged' | 'foreign' };

const nul = 0;
const foreign = { kind: 'foreign' } as const;

/** After a crash of the machine a file may hold NULs where its last bytes were not on the disk yet. */
function readDamaged(bytes: Buffer, firstNul: number): FoundLine {
  if (!isTornResult(bytes.toString('utf8', 0, firstNul))) return foreign;
  const start = bytes.lastIndexOf(nul) + 1;
  const result = parseResultLine(bytes.toString('utf8', start));
  if (result !== undefined) return { kind: 'result', result, start };
  return { kind: bytes.subarray(firstNul).every((byte) => byte === nul) ? 'nothing' : 'damaged' };
}

function readLine(bytes: Buffer): FoundLine {
  const firstNul = bytes.indexOf(nul);
  if (firstNul >= 0) return readDamaged(bytes, firstNul);
  const text = bytes.toString();
  const result = parseResultLine(text);
  if (result !== undefined) return { kind: 'result', result, start: 0 };
  return text.trim() === '' ? { kind: 'nothing' } : foreign;
}

/** Takes the lines of one file; `offset` and `end` are bytes. */
function createScan(name: string, file: number, found: (result: IndexedResult) => void) {
  let line = 0;
  let offset = 0;
  /** Of the last result. */
  let end = 0;
  /** The first line that holds more than a crash explains, in a file that holds no result. */
  let suspect: number | undefined;
  return {
    /** @returns whether it is a result @throws Failure `usage` */
    take(bytes: Buffer, isTorn = false): boolean {
      line += 1;
      const read = readLine(bytes);
      const isRest = isTorn && isTornResult(bytes.toString());
      if (read.kind === 'foreign' && !isRest) throw noResult(name, line);
      if (read.kind === 'damaged' && end === 0) suspect ??= line;
      const start = offset + (read.kind === 'result' ? read.start : 0);
      offset += bytes.length + lineEndSize;
      if (read.kind !== 'result') return false;
      found({ ...read.result, file, offset: start, length: offset - start });
      end = offset;
      return true;
    },
    /** Where the last result ends. @throws Failure `usage` for a file that is none of natter's */
    end(): number {
      if (end === 0 && suspect !== undefined) throw noResult(name, suspect);
      return end;
    },
  };
}

/**
 * Reports every result in a file, in the order of the file. Left out are empty lines, a last line that was not
 * written to its end, and the NULs that a crash of the machine leaves.
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
  const scan = createScan(name, file, found);
  for (const block of blocks(descriptor)) {
    for (const bytes of splitter.add(block)) scan.take(bytes ?? Buffer.alloc(0));
  }
  const [rest] = splitter.end();
  // With the line end that it is about to get.
  const lacksLineEnd = rest !== undefined && scan.take(rest, true);
  return { size: scan.end() - (lacksLineEnd ? lineEndSize : 0), lacksLineEnd };
}
