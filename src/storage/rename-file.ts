import fs from 'node:fs';
import { errorCode } from './storage-failure.ts';

/** Errors on Windows while a virus scanner, an indexer or an editor has one of the files open. */
const passing: ReadonlySet<string | undefined> = new Set(['EACCES', 'EBUSY', 'EPERM']);

/** Milliseconds before each further attempt; short, because they help only on Windows. */
const pauses = [10, 20, 50, 100, 200];

interface Renaming {
  /** @throws the system's error */
  rename(from: string, to: string): void;
  /** Waits so many milliseconds. */
  wait(milliseconds: number): void;
}

const systemRenaming: Renaming = {
  rename: fs.renameSync,
  wait: (milliseconds) =>
    void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
};

/**
 * Renames a file and replaces the target; tries again while another program has one of them open.
 * @throws the system's error
 */
export function renameFile(from: string, to: string, renaming = systemRenaming): void {
  for (const pause of pauses) {
    try {
      return renaming.rename(from, to);
    } catch (error) {
      if (!passing.has(errorCode(error))) throw error;
      renaming.wait(pause);
    }
  }
  renaming.rename(from, to);
}
