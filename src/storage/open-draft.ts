import fs from 'node:fs';
import { removeFile } from './remove-file.ts';

/**
 * Opens a new file with a predictable name, such as a draft that replaces the file beside it. An existing file is
 * left from a crash, or a link that another account put into a shared folder: it is removed, not followed.
 * @throws the system's error
 */
export function openDraft(path: string, mode: number): number {
  removeFile(path);
  return fs.openSync(path, 'wx', mode);
}
