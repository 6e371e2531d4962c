import fs from 'node:fs';
import path from 'node:path';

import { openTemporaryFile, removeFile, renameFile } from '../../storage/files.ts';
import { errorCode } from '../../storage/storage-failure.ts';
import { refuseReserved, writeFailure } from './user-files.ts';

/** Only its owner may read it. */
const mode = 0o600;

interface WrittenFile {
  /** Its full path. */
  readonly path: string;
  readonly bytes: number;
}

function writePieces(target: string, pieces: Iterable<string>): number {
  const descriptor = openTemporaryFile(target, mode);
  let bytes = 0;
  try {
    for (const piece of pieces) {
      // Unlike `writeSync`, it also writes the rest after a full disk took a part, and throws then.
      fs.writeFileSync(descriptor, piece);
      bytes += Buffer.byteLength(piece);
    }
  } finally {
    fs.closeSync(descriptor);
  }
  return bytes;
}

/** Moves the complete file to its name. @returns false if that exists and may not be replaced */
function place(written: string, full: string, replaces: boolean): boolean {
  try {
    if (replaces) renameFile(written, full);
    else fs.copyFileSync(written, full, fs.constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Writes a file for its owner only; a file that exists is replaced as a whole, or not at all.
 * @returns undefined if the file exists and may not be replaced
 * @throws Failure `storage`
 */
export function writePrivateFile(
  name: string,
  pieces: Iterable<string>,
  { replaces, platform }: { readonly replaces: boolean; readonly platform: NodeJS.Platform },
): WrittenFile | undefined {
  refuseReserved(name, platform);
  const full = path.resolve(name);
  if (!replaces && fs.existsSync(full)) return undefined;
  const temporary = path.join(path.dirname(full), `.${path.basename(full)}.natter`);
  try {
    const bytes = writePieces(temporary, pieces);
    return place(temporary, full, replaces) ? { path: full, bytes } : undefined;
  } catch (error) {
    throw writeFailure(name, error);
  } finally {
    removeFile(temporary);
  }
}
