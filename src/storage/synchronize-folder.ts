import fs from 'node:fs';
import { errorCode } from './storage-failure.ts';

/** The system or file system cannot do it, or the folder is not readable. */
const cannot: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EINVAL',
  'EISDIR',
  'ENOSYS',
  'ENOTSUP',
  'EPERM',
]);

/**
 * Flushes the names in a folder to the disk, after files were created or renamed. Does nothing where the system
 * cannot (Windows).
 * @throws the system's error
 */
export function synchronizeFolder(path: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, 'r');
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (!cannot.has(errorCode(error))) throw error;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
