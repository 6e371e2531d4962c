import fs from 'node:fs';
import path from 'node:path';
import { addMerged, type IndexedResult, ResultIndex } from './result-index.ts';
import { isTornResult, parseResultLine } from './result-line.ts';
import { fileBlocks } from './write-results.ts';
import { Failure } from '../../failure.ts';
import { withDescriptor } from '../../storage/files.ts';
import { createLineSplitter } from '../../storage/read-lines.ts';
import { cannotRead, errorCode, storageFailure } from '../../storage/storage-failure.ts';

/**
 * The lines of a file, of any length, each with its number from 1 and its offset in bytes. `bytes` have no LF, and are
 * valid until the next line is read. Only the last line may have no end.
 * @throws the system's error
 */
export function* fileLines(descriptor: number) {
  const splitter = createLineSplitter(Number.POSITIVE_INFINITY);
  let [number, next] = [0, 0];
  const place = (bytes: Buffer = Buffer.alloc(0), hasEnd = true) => {
    number += 1;
    const offset = next;
    next += bytes.length + 1;
    return { number, offset, bytes, hasEnd };
  };
  for (const block of fileBlocks(descriptor)) {
    for (const bytes of splitter.add(block)) yield place(bytes);
  }
  for (const bytes of splitter.end()) yield place(bytes, false);
}

/** The border of two results. JSON has it nowhere else, because a text escapes its quotes. */
const joined = /\}\s*\{"index":/;

function notResult(name: string, line: number): Failure {
  return new Failure('usage', `line ${line} of ${name} is not a result of natter batch`, {
    hint: 'use a different file, or repair the line; ‹natter batch import› reads the format of OpenAI',
  });
}

const nul = 0;

/**
 * Reports every result of a file, in the file's order. Skips what a crash of the machine leaves: lines that are empty, or
 * torn at their end or at a NUL. NULs are in the place of bytes that were not on the disk yet: what is before them is
 * torn, and a whole result may follow.
 * @param name the file's name in messages
 * @param file the number of the file in results
 * @throws Failure `usage` for a line that is not a result; the system's error
 */
export function scanResults(
  descriptor: number,
  name: string,
  file: number,
  onResult: (result: IndexedResult) => void,
) {
  /** Bytes up to the end of the last result; what follows was not written completely. */
  let size = 0;
  /** The last result is complete except for its line end. */
  let lacksLineEnd = false;
  /** The first line with more than NULs before any result: the file may be one of another program. */
  let suspect: number | undefined;
  for (const { number, offset, bytes, hasEnd } of fileLines(descriptor)) {
    const firstNul = bytes.indexOf(nul);
    let end = bytes.length;
    while (bytes[end - 1] === nul) end -= 1;
    const start = bytes.subarray(0, end).lastIndexOf(nul) + 1;
    const text = bytes.toString('utf8', start, end);
    const before = firstNul === -1 ? text : bytes.toString('utf8', 0, firstNul);
    const result = parseResultLine(text);
    const isTorn = isTornResult(before);
    if (result !== undefined && (start === 0 || isTorn)) {
      onResult({ ...result, file, offset: offset + start, length: end - start + 1 });
      size = offset + (hasEnd ? bytes.length + 1 : end);
      lacksLineEnd = !hasEnd;
      continue;
    }
    if (joined.test(before)) {
      const message = `line ${number} of ${name} has several results: line ends were lost`;
      throw new Failure('usage', message, {
        hint: 'restore the line ends, or use a different file',
      });
    }
    const mayBeTorn = firstNul !== -1 || !hasEnd;
    if (before.trim() !== '' && !(mayBeTorn && isTorn)) throw notResult(name, number);
    if (start > 0) suspect ??= number;
  }
  if (size === 0 && suspect !== undefined) throw notResult(name, suspect);
  return { size, lacksLineEnd };
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
  const index = new ResultIndex();
  try {
    const file = resultsPath(name);
    if (!fs.existsSync(file)) return index;
    withDescriptor(fs.openSync(file, 'r'), (descriptor) =>
      scanResults(descriptor, name, 0, (result) => index.add(result)),
    );
    return index;
  } catch (error) {
    throw error instanceof Failure ? error : storageFailure('read', name, error);
  }
}

/**
 * The results in several files.
 * @param opened gets the descriptors of the files, by their number, also if this throws
 * @param scan reports the results of a file
 * @throws Failure `usage` for a file that cannot be read, and as `scan` and {@link addMerged}
 */
export function indexFiles(
  names: readonly string[],
  opened: number[],
  scan: (descriptor: number, file: number, add: (result: IndexedResult) => void) => void,
): ResultIndex {
  const index = new ResultIndex();
  for (const [file, name] of names.entries()) {
    try {
      const descriptor = fs.openSync(name, 'r');
      opened.push(descriptor);
      scan(descriptor, file, (result) => addMerged(index, result, names));
    } catch (error) {
      throw error instanceof Failure ? error : cannotRead(name, error);
    }
  }
  return index;
}
