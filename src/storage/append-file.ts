import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, stateVariable, withDescriptor } from './files.ts';
import { storageFailure } from './storage-failure.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants;

/** File access of journals; tests pass one that fails. */
export const appendFile = {
  /** Creates a private file (0600) and its folder (0700). @throws the system's error, `EEXIST` when it exists */
  create(path: string): void {
    makePrivateFolder(dirname(path));
    fs.closeSync(fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  },
  /**
   * Appends in one write call, so that another writer's text cannot split it.
   * @returns the bytes written, which are fewer than all when the disk is full
   * @throws the system's error if nothing was written
   */
  append: (path: string, bytes: Uint8Array): number =>
    withDescriptor(fs.openSync(path, O_WRONLY | O_APPEND), (file) => fs.writeSync(file, bytes)),
  /** Resolves when everything appended is on the disk. @throws the system's error */
  async synchronize(path: string): Promise<void> {
    const file = await open(path, 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  },
};

export type AppendFile = typeof appendFile;

/** Whether the last line of an open file has no line end; false for an empty file. @throws the system's error */
function isTorn(descriptor: number): boolean {
  const { size } = fs.fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  fs.readSync(descriptor, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

/** Opens a file for {@link isTorn}. @throws the system's error */
export const endsTorn = (path: string): boolean => withDescriptor(fs.openSync(path, 'r'), isTorn);

/**
 * Appends a line, or several with line feeds between them, with a single write to a file readable only by its owner
 * (0600). If the last line is incomplete, it is ended first.
 * @param variable the environment variable that sets the folder of the file
 * @throws Failure `storage`
 */
export function appendLine(file: string, line: string, variable = stateVariable): void {
  try {
    makePrivateFolder(dirname(file));
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
