import fs from 'node:fs';
import path from 'node:path';
import { replaceResults } from '../../../batch/results/write-results.ts';
import { Failure } from '../../../failure.ts';
import { storageFailure } from '../../../storage/storage-failure.ts';

/**
 * Checks before anything is sent that `--summary` can be written. A link such as /dev/stderr would be replaced by a
 * file.
 * @throws Failure `usage`
 */
export function refuseUnwritableSummary(file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Failure('usage', `--summary: there is no folder ${folder}`);
  }
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Failure('usage', `--summary: ${file} is not a regular file`, {
      hint: '--progress-json prints the summary on standard error',
    });
  }
}

/** Replaces the file at once: a reader sees the old or the new one. @throws Failure `storage` */
export function writeSummary(file: string, text: string): void {
  try {
    replaceResults(file, [Buffer.from(text)]);
  } catch (error) {
    throw storageFailure('write', file, error);
  }
}
