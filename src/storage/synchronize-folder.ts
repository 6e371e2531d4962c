import fs from 'node:fs';
import { errorCode } from './storage-failure.ts';

/** Systems and file systems that cannot do it; a folder may also be one that is written, but not read. */
const cannot: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EINVAL',
  'EISDIR',
  'ENOSYS',
  'ENOTSUP',
  'EPERM',
]);

/**
 * Has the disk keep the names in a folder, those of files that were made or renamed just now. Where that is not to
 * be had (Windows), nothing is done.
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
