import fs from 'node:fs';
import path from 'node:path';
import { openDraft } from '../../storage/open-draft.ts';
import { removeFile } from '../../storage/remove-file.ts';
import { synchronizeFolder } from '../../storage/synchronize-folder.ts';
import type { ResultIndex } from './result-index.ts';
import { renameFile } from '../../storage/rename-file.ts';

const blockSize = 1 << 20;
const lineEnd = 0x0a;
/** Of a file that was not there: what the umask allows. */
const newFileMode = 0o666;

/** A stretch of a file. */
interface Stretch {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** The results in the order of their items; neighbours in a file are one stretch. */
function* stretches(index: ResultIndex): Generator<Stretch, void> {
  let open: Stretch | undefined;
  for (let item = 1; item <= index.last(); item += 1) {
    const next = index.get(item);
    if (next === undefined) continue;
    const goesOn = open?.file === next.file && open.offset + open.length === next.offset;
    if (open !== undefined && goesOn) {
      open = { ...open, length: open.length + next.length };
      continue;
    }
    if (open !== undefined) yield open;
    open = next;
  }
  if (open !== undefined) yield open;
}

/** Reads what fits of a stretch; a last line without its end gets one. @returns bytes; 0 past the end */
function readPart(
  source: number,
  target: Buffer,
  { offset, length }: Omit<Stretch, 'file'>,
): number {
  const size = fs.readSync(source, target, 0, Math.min(length, target.length), offset);
  if (size > 0 || length > 1) return size;
  target[0] = lineEnd;
  return 1;
}

/**
 * The results of several files in the order of their items, in blocks; a block is good until the next is taken.
 * @param sources descriptors by number of the file
 * @throws the system's error
 */
export function* resultBlocks(
  index: ResultIndex,
  sources: readonly number[],
): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(blockSize);
  let filled = 0;
  for (const { file, offset, length } of stretches(index)) {
    for (let done = 0; done < length;) {
      const rest = { offset: offset + done, length: length - done };
      const size = readPart(sources[file] ?? -1, buffer.subarray(filled), rest);
      if (size === 0) throw new Error('a results file was truncated while being read');
      done += size;
      filled += size;
      if (filled < blockSize) continue;
      yield buffer;
      filled = 0;
    }
  }
  yield buffer.subarray(0, filled);
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    written += fs.writeSync(descriptor, bytes, written);
  }
}

/**
 * Writes the results of several files in the order of their items. They are written beside the file, which they
 * then replace, and whose permissions they keep: at no moment is it there in part.
 * @param ready called right before that
 * @throws the system's error
 */
export function writeInOrder(
  place: string,
  blocks: Iterable<Buffer>,
  ready: () => void = () => undefined,
): void {
  const temporary = `${place}.ordered`;
  const mode = fs.statSync(place, { throwIfNoEntry: false })?.mode;
  const target = openDraft(temporary, mode ?? newFileMode);
  try {
    try {
      // The umask took some away. File systems without permissions refuse to set even those that a file has.
      if (mode !== undefined && fs.fstatSync(target).mode !== mode) fs.fchmodSync(target, mode);
      for (const block of blocks) writeWhole(target, block);
      fs.fdatasyncSync(target);
    } finally {
      fs.closeSync(target);
    }
    ready();
    renameFile(temporary, place);
    synchronizeFolder(path.dirname(place));
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
}

/** Whether the results lie in the order of their items, with nothing else between. */
export function isInOrder(index: ResultIndex, size: number): boolean {
  if (index.count() === 0) return size === 0;
  const [first, second] = stretches(index);
  return second === undefined && first?.offset === 0 && first.length === size;
}
