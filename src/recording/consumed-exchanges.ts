import fs from 'node:fs';
import { Failure } from '../failure.ts';
import { withLock, type LockOptions } from '../storage/lock/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';

/** Which exchanges of a recording were used, by their places in it, from 0. */
export interface ConsumedExchanges {
  /**
   * Adds and returns the one that `choose` returns, under a lock. Waits for other processes until `signal` aborts.
   * Throws what `choose` throws.
   */
  add(choose: (used: ReadonlySet<number>) => number, signal?: AbortSignal): Promise<number>;
}

/** Of one run of natter. */
export function createConsumedExchanges(): ConsumedExchanges {
  const used = new Set<number>();
  return {
    async add(choose) {
      const place = choose(used);
      used.add(place);
      return place;
    },
  };
}

const variable = 'NATTER_REPLAY_USED';

function readPlaces(path: string): ReadonlySet<number> {
  let text = '';
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageFailure('read', path, error, variable);
  }
  if (/^(\d+\n)*$/.test(text)) return new Set((text.match(/\d+/g) ?? []).map(Number));
  throw new Failure('configuration', `${path} is not a list of used exchanges`, {
    hint: `name a new file with ${variable}`,
  });
}

/** Of all runs that share a file, which holds a line for each. */
export function keepConsumedExchanges(path: string, options: LockOptions): ConsumedExchanges {
  return {
    add: (choose, signal) =>
      withLock(`${path}.lock`, { ...options, ...(signal && { signal }) }, () => {
        const place = choose(readPlaces(path));
        try {
          fs.appendFileSync(path, `${place}\n`, { mode: 0o600 });
        } catch (error) {
          throw storageFailure('write', path, error, variable);
        }
        return place;
      }),
  };
}
