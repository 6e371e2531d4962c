import fs from 'node:fs';
import path from 'node:path';
import { isTorn } from './append-file.ts';
import { makePrivateFolder, replaceContent, withDescriptor } from './files.ts';
import { storageFailure } from './storage-failure.ts';

// Files of the state folder.

/** The environment variable with the folder. */
export const stateVariable = 'NATTER_STATE_DIR';

/**
 * Appends a line, or several with line feeds between them, with a single write to a file readable only by its owner
 * (0600). If the last line is incomplete, it is ended first.
 * @param variable the environment variable that sets the folder of the file
 * @throws Failure `storage`
 */
export function appendLine(file: string, line: string, variable = stateVariable): void {
  try {
    makePrivateFolder(path.dirname(file));
    withDescriptor(fs.openSync(file, 'a+', 0o600), (descriptor) => {
      const { mode } = fs.fstatSync(descriptor);
      if ((mode & 0o077) !== 0) fs.fchmodSync(descriptor, 0o600);
      const bytes = Buffer.from(`${isTorn(descriptor) ? '\n' : ''}${line}\n`);
      if (fs.writeSync(descriptor, bytes) < bytes.length) {
        throw Object.assign(new Error('not all of it was written'), { code: 'ENOSPC' });
      }
    });
  } catch (error) {
    throw storageFailure('write', file, error, variable);
  }
}

/**
 * Replaces a file (0600) atomically.
 * @param writer differs between processes that may write the file at the same time
 * @throws Failure `storage`
 */
export function replaceFile(file: string, content: string, writer?: number): void {
  try {
    makePrivateFolder(path.dirname(file));
    const next = `${file}${writer === undefined ? '' : `.${writer}`}.new`;
    replaceContent(file, content, 0o600, next);
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}
