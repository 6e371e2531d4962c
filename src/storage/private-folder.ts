import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from './storage-failure.ts';

const ownerOnly = 0o700;

const isFolder = (name: string) =>
  fs.statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;

function makeOne(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: ownerOnly });
  } catch (error) {
    // Created by another process just now.
    if (errorCode(error) !== 'EEXIST' || !isFolder(folder)) throw error;
  }
}

/**
 * Creates a folder for its owner only (0700), and its missing parents. One by one, because Node's recursive mkdir never
 * returns if the parent exists but accepts no folders, such as `/proc`.
 * @throws the system's error
 */
export function makePrivateFolder(folder: string): void {
  // Usually: an error takes longer to create than a folder.
  if (isFolder(folder)) return;
  try {
    makeOne(folder);
  } catch (error) {
    const parent = path.dirname(folder);
    const parentIsMissing = errorCode(error) === 'ENOENT' && !fs.existsSync(parent);
    if (!parentIsMissing || parent === folder) throw error;
    makePrivateFolder(parent);
    makeOne(folder);
  }
}
