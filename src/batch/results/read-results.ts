import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { parseFingerprint } from '../fingerprint.ts';
import { createLineSplitter } from '../input/line-splitter.ts';
import {
  createResultIndex,
  type IndexedResult,
  type ResultIndex,
  type ResultLine,
} from './result-index.ts';
import { fileBlocks } from './write-results.ts';

/** The beginning of every result line. */
const resultBeginning = '{"index":';

/** More than any batch has. An index uses memory up to its highest item, which a damaged line may name. */
const highestIndex = 1e8;

/** Undefined for a line that is not a result. */
function parseResultLine(text: string): ResultLine | undefined {
  if (!text.startsWith(resultBeginning)) return undefined;
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { index } = value;
  if (typeof index !== 'number' || !Number.isInteger(index)) return undefined;
  if (index < 1 || index > highestIndex) return undefined;
  return {
    index,
    fingerprint: parseFingerprint(value['prompt_hash']),
    isAnswered: value['error'] === undefined,
  };
}

/** Whether `text` can be the beginning of a result that was not written completely. */
function isTornResult(text: string): boolean {
  return text.startsWith(resultBeginning) || resultBeginning.startsWith(text);
}

/** The content of a line; `damaged` is what a crash of the machine leaves, `foreign` is from another program. */
type FoundLine =
  | {
      readonly kind: 'result';
      readonly result: ResultLine;
      /** In bytes. */ readonly start: number;
    }
  | { readonly kind: 'nothing' | 'damaged' | 'foreign' };

const nul = 0;
const foreign = { kind: 'foreign' } as const;

/** After a crash of the machine, NULs can be in the place of bytes that were not on the disk yet. */
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

function notResult(name: string, line: number): Failure {
  return new Failure('usage', `line ${line} of ${name} is not a result of natter batch`, {
    hint: 'use a different file, or repair the line',
  });
}

const lineEndSize = 1;

/** Scans the lines of one file; `offset` and `end` are bytes. */
function createScan(name: string, file: number, onResult: (result: IndexedResult) => void) {
  let line = 0;
  let offset = 0;
  /** Of the last result. */
  let end = 0;
  /** The first damaged line before any result. */
  let suspect: number | undefined;
  return {
    /** @returns whether the line is a result @throws Failure `usage` */
    add(bytes: Buffer, isLast = false): boolean {
      line += 1;
      const read = readLine(bytes);
      const isTorn = isLast && isTornResult(bytes.toString());
      if (read.kind === 'foreign' && !isTorn) throw notResult(name, line);
      if (read.kind === 'damaged' && end === 0) suspect ??= line;
      const start = offset + (read.kind === 'result' ? read.start : 0);
      offset += bytes.length + lineEndSize;
      if (read.kind !== 'result') return false;
      onResult({ ...read.result, file, offset: start, length: offset - start });
      end = offset;
      return true;
    },
    /** The end of the last result. @throws Failure `usage` if the file has no result and a damaged line */
    end(): number {
      if (end === 0 && suspect !== undefined) throw notResult(name, suspect);
      return end;
    },
  };
}

interface ScannedResults {
  /** Bytes up to the end of the last result; what follows was not written completely. */
  readonly size: number;
  /** The last line is complete except for its line end. */
  readonly lacksLineEnd: boolean;
}

/**
 * Reports every result of a file, in the file's order. Skips empty lines, an incomplete last line, and NULs after a
 * crash of the machine.
 * @param name the file's name in messages
 * @param file the number of the file in results
 * @throws Failure `usage` for a line that is not a result; the system's error
 */
export function scanResults(
  descriptor: number,
  name: string,
  file: number,
  onResult: (result: IndexedResult) => void,
): ScannedResults {
  const splitter = createLineSplitter(Number.POSITIVE_INFINITY);
  const scan = createScan(name, file, onResult);
  for (const block of fileBlocks(descriptor)) {
    for (const bytes of splitter.add(block)) scan.add(bytes ?? Buffer.alloc(0));
  }
  const [rest] = splitter.end();
  const lacksLineEnd = rest !== undefined && scan.add(rest, true);
  // The scan counted a line end that is still missing.
  return { size: scan.end() - (lacksLineEnd ? lineEndSize : 0), lacksLineEnd };
}

/**
 * Adds the results of a file to `index`: the last one of each item, but a failure never replaces an answer.
 * @throws Failure `usage` for a line that is not a result; the system's error
 */
export function indexResults(descriptor: number, name: string, index: ResultIndex): ScannedResults {
  return scanResults(descriptor, name, 0, (result) => {
    if (index.get(result.index)?.isAnswered !== true || result.isAnswered) index.set(result);
  });
}

/** The path that a new file gets at `name`: the target of a dangling link, in the real folder if that exists. */
function pathOfMissing(name: string): string {
  if (fs.lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return pathOfMissing(path.resolve(path.dirname(name), fs.readlinkSync(name)));
  }
  const folder = path.dirname(name);
  return fs.existsSync(folder) ? path.join(fs.realpathSync(folder), path.basename(name)) : name;
}

/**
 * The path of a results file, which may not exist. Symbolic links are followed, because rewriting the file must not
 * replace the link, and all paths of a file must have the same lock.
 * @throws Failure `usage` for a device or a folder; the system's error
 */
export function resultsPath(name: string): string {
  const found = fs.statSync(name, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    throw new Failure('usage', `${name} is not a regular file`, {
      hint: 'without -o, results go to standard output',
    });
  }
  try {
    return fs.realpathSync(name);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return pathOfMissing(path.resolve(name));
  }
}

/**
 * The results in a file, without changing it; none if the file does not exist.
 * @throws Failure `usage` if the file has other content, `storage` if it cannot be read
 */
export function readResults(name: string): ResultIndex {
  const index = createResultIndex();
  let descriptor: number | undefined;
  try {
    const file = resultsPath(name);
    if (!fs.existsSync(file)) return index;
    descriptor = fs.openSync(file, 'r');
    indexResults(descriptor, name, index);
    return index;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('storage', `cannot read ${name}: ${failureReason(error)}`, { cause: error });
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
