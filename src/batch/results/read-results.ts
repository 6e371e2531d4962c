import fs from 'node:fs';
import path from 'node:path';
import { createLineSplitter } from '../input/input-lines.ts';
import { createResultIndex, type IndexedResult, type ResultIndex } from './result-index.ts';
import {
  type FormattedResult,
  isTornResult,
  parseResultLine,
  type ResultFormat,
} from './result-line.ts';
import { fileBlocks } from './write-results.ts';
import { Failure } from '../../failure.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';

/** The content of a line; `damaged` is what a crash of the machine leaves, `foreign` is from another program. */
type FoundLine =
  | {
      readonly kind: 'result';
      readonly result: FormattedResult;
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

function mixedFormats(name: string, line: number): Failure {
  return new Failure('usage', `${name} has results in two formats: see line ${line}`, {
    hint: 'use a different -o file',
  });
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
  let format: ResultFormat | undefined;
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
      format ??= read.result.format;
      if (read.result.format !== format) throw mixedFormats(name, line);
      onResult({ ...read.result, file, offset: start, length: offset - start });
      end = offset;
      return true;
    },
    format: () => format,
    /** The end of the last result. @throws Failure `usage` if the file has no result and a damaged line */
    end(): number {
      if (end === 0 && suspect !== undefined) throw notResult(name, suspect);
      return end;
    },
  };
}

interface ScannedResults {
  /** Undefined for a file without results. */
  readonly format: ResultFormat | undefined;
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
  const size = scan.end() - (lacksLineEnd ? lineEndSize : 0);
  return { size, lacksLineEnd, format: scan.format() };
}

function wrongFormat(name: string, found: ResultFormat): Failure {
  return new Failure('usage', `${name} has results in the format ${found}`, {
    hint: `add --output-format ${found}, or use a different -o file`,
  });
}

/**
 * Adds the results of a file to `index`: the last one of each item, but a failure never replaces an answer.
 * @param expected undefined for any format
 * @throws Failure `usage` for a line that is not a result, or results of another format; the system's error
 */
function indexResults(
  descriptor: number,
  name: string,
  index: ResultIndex,
  expected?: ResultFormat,
): ScannedResults {
  const scanned = scanResults(descriptor, name, 0, (result) => {
    if (index.get(result.index)?.isAnswered !== true || result.isAnswered) index.set(result);
  });
  const { format = expected } = scanned;
  if (format !== undefined && expected !== undefined && format !== expected) {
    throw wrongFormat(name, format);
  }
  return scanned;
}

/** Indexes the existing results and truncates an incomplete last line. @returns the size in bytes */
export function readExisting(
  descriptor: number,
  name: string,
  index: ResultIndex,
  format: ResultFormat,
): number {
  const { size, lacksLineEnd } = indexResults(descriptor, name, index, format);
  fs.ftruncateSync(descriptor, size);
  if (!lacksLineEnd) return size;
  fs.writeSync(descriptor, '\n', size);
  return size + 1;
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
