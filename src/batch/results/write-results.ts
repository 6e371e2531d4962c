import fs from 'node:fs';
import path from 'node:path';
import type { IndexedResult, ResultIndex } from './result-index.ts';
import {
  openTemporaryFile,
  removeFile,
  renameFile,
  synchronizeFolder,
} from '../../storage/files.ts';

const blockSize = 1 << 20;
/** The mode of a new file; the umask applies. */
export const newFileMode = 0o666;

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

/** The text of a result with its line end, also of a last line without one. @throws the system's error */
export function readResult(descriptor: number, { offset, length }: IndexedResult): string {
  const bytes = Buffer.alloc(length);
  const size = fs.readSync(descriptor, bytes, 0, length, offset);
  if (size < length - 1) throw new Error('a results file was truncated while being read');
  return `${bytes.toString('utf8', 0, length - 1)}\n`;
}

/** The results of several files in item order. @param sources descriptors by file number @throws the system's error */
export function* resultTexts(
  index: ResultIndex,
  sources: readonly number[],
): Generator<string, void> {
  for (const result of index.results()) yield readResult(sources[result.file] ?? -1, result);
}

/** UTF-16 units that are written together. */
const writtenUnits = 1 << 16;

/**
 * Replaces a file atomically. It keeps its permissions.
 * @param beforeRename called when the new version is on the disk
 * @throws the system's error; errors of `texts`
 */
export async function replaceWithTexts(
  file: string,
  texts: AsyncIterable<string> | Iterable<string>,
  beforeRename?: () => void,
): Promise<void> {
  const draft = `${file}.draft`;
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode;
  const target = openTemporaryFile(draft, mode ?? newFileMode);
  try {
    try {
      let waiting = '';
      for await (const text of texts) {
        waiting += text;
        if (waiting.length < writtenUnits) continue;
        fs.writeFileSync(target, waiting);
        waiting = '';
      }
      fs.writeFileSync(target, waiting);
      // The umask may have removed permissions. File systems without permissions refuse even an unchanged mode.
      if (mode !== undefined && fs.fstatSync(target).mode !== mode) fs.fchmodSync(target, mode);
      fs.fdatasyncSync(target);
    } finally {
      fs.closeSync(target);
    }
    beforeRename?.();
    renameFile(draft, file);
    synchronizeFolder(path.dirname(file));
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}
