import fs from 'node:fs';
import path from 'node:path';
import type { ByteRange, ResultIndex } from './result-index.ts';
import {
  openTemporaryFile,
  removeFile,
  renameFile,
  synchronizeFolder,
} from '../../storage/files.ts';

const blockSize = 1 << 20;
const lineEnd = 0x0a;
/** Of a new file; the umask applies. */
const newFileMode = 0o666;

/** The first `size` bytes of a file; each block is valid until the next is read. @throws the system's error */
export function* fileBlocks(
  descriptor: number,
  size = Number.POSITIVE_INFINITY,
): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(Math.min(size, blockSize));
  for (let offset = 0; offset < size;) {
    const wanted = Math.min(buffer.length, size - offset);
    const length = fs.readSync(descriptor, buffer, 0, wanted, offset);
    if (length === 0) return;
    yield buffer.subarray(0, length);
    offset += length;
  }
}

/** The text of a result with its line end. */
export function readRange(descriptor: number, { offset, length }: ByteRange): string {
  const bytes = Buffer.alloc(length);
  fs.readSync(descriptor, bytes, 0, length, offset);
  return bytes.toString();
}

/** Writes all blocks, also if the system writes only a part per call. @throws the system's error */
export function writeBlocks(descriptor: number, blocks: Iterable<Uint8Array>): void {
  for (const block of blocks) {
    for (let written = 0; written < block.length;) {
      written += fs.writeSync(descriptor, block, written);
    }
  }
}

/** Ranges of the results in item order; adjacent results are one range. */
function* resultRanges(index: ResultIndex): Generator<ByteRange, void> {
  let open: ByteRange | undefined;
  for (let item = 1; item <= index.last(); item += 1) {
    const next = index.range(item);
    if (next === undefined) continue;
    const isAdjacent = open?.file === next.file && open.offset + open.length === next.offset;
    if (open !== undefined && isAdjacent) {
      open = { ...open, length: open.length + next.length };
      continue;
    }
    if (open !== undefined) yield open;
    open = next;
  }
  if (open !== undefined) yield open;
}

/** Reads as much of a range as fits; adds a missing last line end. @returns bytes; 0 past the end of the file */
function readPart(
  source: number,
  target: Buffer,
  { offset, length }: Omit<ByteRange, 'file'>,
): number {
  const size = fs.readSync(source, target, 0, Math.min(length, target.length), offset);
  if (size > 0 || length > 1) return size;
  target[0] = lineEnd;
  return 1;
}

/**
 * The results of several files in item order, in blocks; each block is valid until the next is read.
 * @param sources descriptors by file number
 * @throws the system's error
 */
export function* resultBlocks(
  index: ResultIndex,
  sources: readonly number[],
): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(blockSize);
  let filled = 0;
  for (const { file, offset, length } of resultRanges(index)) {
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

/** A new version of a file, written beside it. */
interface Draft {
  write(blocks: Iterable<Uint8Array>): void;
  /** Replaces the file. @param beforeRename called when the draft is on the disk */
  publish(beforeRename?: () => void): void;
  /** Removes a draft that was not published. */
  discard(): void;
}

/** The draft gets the permissions of the file. All functions throw the system's errors. */
function openDraft(file: string, suffix: string): Draft {
  const draft = file + suffix;
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode;
  const target = openTemporaryFile(draft, mode ?? newFileMode);
  let isOpen = true;
  const close = () => {
    if (isOpen) fs.closeSync(target);
    isOpen = false;
  };
  return {
    write: (blocks) => writeBlocks(target, blocks),
    publish(beforeRename) {
      // The umask may have removed permissions. File systems without permissions refuse even an unchanged mode.
      if (mode !== undefined && fs.fstatSync(target).mode !== mode) fs.fchmodSync(target, mode);
      fs.fdatasyncSync(target);
      close();
      beforeRename?.();
      renameFile(draft, file);
      synchronizeFolder(path.dirname(file));
    },
    discard() {
      close();
      removeFile(draft);
    },
  };
}

/**
 * Replaces a file atomically.
 * @param beforeRename called when the new version is on the disk
 * @throws the system's error
 */
export function replaceResults(
  file: string,
  blocks: Iterable<Buffer>,
  beforeRename?: () => void,
): void {
  const draft = openDraft(file, '.ordered');
  try {
    draft.write(blocks);
    draft.publish(beforeRename);
  } catch (error) {
    draft.discard();
    throw error;
  }
}

/** Whether a file of `size` bytes has exactly the results, in item order. */
export function isInOrder(index: ResultIndex, size: number): boolean {
  if (index.count() === 0) return size === 0;
  const [first, second] = resultRanges(index);
  return second === undefined && first?.offset === 0 && first.length === size;
}

/** Bytes of all indexed results. */
export function sizeOf(index: ResultIndex): number {
  let size = 0;
  for (let item = 1; item <= index.last(); item += 1) size += index.range(item)?.length ?? 0;
  return size;
}

/** UTF-16 units that are written together. */
const blockUnits = 1 << 16;

/** Writes texts into a file atomically. @throws the system's error; errors of `texts` */
export async function replaceWithTexts(file: string, texts: AsyncIterable<string>): Promise<void> {
  const draft = openDraft(file, '.draft');
  try {
    let block = '';
    for await (const text of texts) {
      block += text;
      if (block.length < blockUnits) continue;
      draft.write([Buffer.from(block)]);
      block = '';
    }
    draft.write([Buffer.from(block)]);
    draft.publish();
  } catch (error) {
    draft.discard();
    throw error;
  }
}
