import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { errorCode } from '../../storage/storage-failure.ts';

/**
 * The path of a file for results, which need not be there. A symbolic link is followed: the file that is written
 * anew must not take the link's place.
 * @throws Failure `usage` for a device or a folder; the system's error
 */
export function resultPlace(name: string): string {
  const found = fs.statSync(name, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    throw new Failure('usage', `${name} is not a regular file`, {
      hint: 'without -o, results go to standard output',
    });
  }
  try {
    return fs.realpathSync(name);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path.resolve(name);
    throw error;
  }
}
