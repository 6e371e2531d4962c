import fs from 'node:fs';
import { errorCode } from './storage-failure.ts';

/** `fs.rmSync` would first load code that removes folders, for two milliseconds. @throws the system's error */
export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
