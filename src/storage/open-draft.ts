import fs from 'node:fs';
import { removeFile } from './remove-file.ts';

/**
 * Opens a new file for writing whose name can be guessed, as that of a draft that replaces the file beside it. What is
 * there is what a crash left, or a link that another account put into a shared folder: it is removed, not followed.
 * @throws the system's error
 */
export function openDraft(path: string, mode: number): number {
  removeFile(path);
  return fs.openSync(path, 'wx', mode);
}
