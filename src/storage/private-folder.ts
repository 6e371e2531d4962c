import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from './storage-failure.ts';

const ownerOnly = 0o700;

function makeOne(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: ownerOnly });
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST' && fs.statSync(folder).isDirectory();
    if (!isThere) throw error;
  }
}

/**
 * Makes a folder that only its owner enters (0700), with those above it that are missing. One by one, because
 * Node's recursive way never returns where the folder above is there and takes no new ones, as `/proc`.
 * @throws the system's error
 */
export function makePrivateFolder(folder: string): void {
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
