import fs from 'node:fs';
import { Failure } from '../failure.ts';
import { withLock, type LockOptions } from '../storage/lock/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';

/** The exchanges of a recording that were used, by index. */
export interface ConsumedExchanges {
  /**
   * Adds and returns the index from `choose`, under a lock. Waits for other processes until `signal` aborts.
   * @throws the error of `choose`
   */
  add(choose: (used: ReadonlySet<number>) => number, signal?: AbortSignal): Promise<number>;
}

/** For one run of natter. */
export function createConsumedExchanges(): ConsumedExchanges {
  const used = new Set<number>();
  return {
    async add(choose) {
      const index = choose(used);
      used.add(index);
      return index;
    },
  };
}

const variable = 'NATTER_REPLAY_USED';

function readIndexes(path: string): ReadonlySet<number> {
  let text = '';
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageFailure('read', path, error, variable);
  }
  if (/^(\d+\n)*$/.test(text)) return new Set((text.match(/\d+/g) ?? []).map(Number));
  throw new Failure('configuration', `${path} is not a list of used exchanges`, {
    hint: `set ${variable} to a new file`,
  });
}

/** For all runs with the same file, which has a line for each exchange. */
export function keepConsumedExchanges(path: string, options: LockOptions): ConsumedExchanges {
  return {
    add: (choose, signal) =>
      withLock(`${path}.lock`, { ...options, ...(signal && { signal }) }, () => {
        const index = choose(readIndexes(path));
        try {
          fs.appendFileSync(path, `${index}\n`, { mode: 0o600 });
        } catch (error) {
          throw storageFailure('write', path, error, variable);
        }
        return index;
      }),
  };
}
