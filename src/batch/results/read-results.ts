import fs from 'node:fs';
import { Failure } from '../../failure.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import { createResultIndex, type ResultIndex } from './result-index.ts';
import { resultPlace } from './result-place.ts';
import { type ScannedResults, scanResults } from './scan-results.ts';

/**
 * Takes over the results of a file: of each item the last, but a failure never replaces an answer.
 * @throws Failure `usage` for a line that is no result; the system's error
 */
export function indexResults(descriptor: number, name: string, index: ResultIndex): ScannedResults {
  return scanResults(descriptor, name, 0, (result) => {
    const before = index.get(result.index);
    if (before?.isAnswered !== true || result.isAnswered) index.set(result);
  });
}

/**
 * The results that a file holds, which need not be there; nothing is changed in it.
 * @throws Failure `usage` for a file that holds anything else, `storage` when it cannot be read
 */
export function readResults(name: string): ResultIndex {
  const index = createResultIndex();
  let descriptor: number | undefined;
  try {
    const place = resultPlace(name);
    if (!fs.existsSync(place)) return index;
    descriptor = fs.openSync(place, 'r');
    indexResults(descriptor, name, index);
    return index;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('storage', `cannot read ${name}: ${failureReason(error)}`, { cause: error });
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
