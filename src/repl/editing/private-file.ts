import fs from 'node:fs';
import path from 'node:path';

import { openDraft } from '../../storage/open-draft.ts';
import { makePrivateFolder } from '../../storage/private-folder.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { renameFile } from '../../storage/rename-file.ts';

/** Moves the folder that these files are in. */
export const stateVariable = 'NATTER_STATE_DIR';

function makeFolder(file: string): void {
  makePrivateFolder(path.dirname(file));
}

/**
 * Appends one line in one write call to a file that only its owner reads (0600), on a line of its own even when
 * the last one was cut. @throws Failure `storage`
 */
export function appendLine(file: string, line: string): void {
  try {
    makeFolder(file);
    const descriptor = fs.openSync(file, 'a+', 0o600);
    try {
      const { size, mode } = fs.fstatSync(descriptor);
      if ((mode & 0o077) !== 0) fs.fchmodSync(descriptor, 0o600);
      const last = Buffer.from('\n');
      if (size > 0) fs.readSync(descriptor, last, 0, 1, size - 1);
      const bytes = Buffer.from(`${last[0] === 0x0a ? '' : '\n'}${line}\n`);
      if (fs.writeSync(descriptor, bytes) < bytes.length) {
        throw Object.assign(new Error('not all of it was written'), { code: 'ENOSPC' });
      }
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}

/** Replaces a file as a whole (0600): a reader finds the old content or the new. @throws Failure `storage` */
export function replaceFile(file: string, content: string): void {
  try {
    makeFolder(file);
    const next = `${file}.new`;
    const descriptor = openDraft(next, 0o600);
    try {
      fs.writeFileSync(descriptor, content);
    } finally {
      fs.closeSync(descriptor);
    }
    renameFile(next, file);
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}
