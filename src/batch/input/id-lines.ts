import { fingerprint } from '../fingerprint.ts';

/** Remembers the first line of each id, in about 30 bytes per id. */
export interface IdLines {
  /** Notes an id. @returns its earlier line */
  note(id: string, line: number): number | undefined;
}

const firstSize = 1024;

/** A table with open addressing; an empty place has line 0. */
export function createIdLines(): IdLines {
  let keys = new BigUint64Array(firstSize);
  let lines = new Float64Array(firstSize);
  let count = 0;

  const placeOf = (key: bigint): number => {
    const size = keys.length;
    let place = Number(key & BigInt(size - 1));
    while (lines[place] !== 0 && keys[place] !== key) place = (place + 1) % size;
    return place;
  };
  const grow = () => {
    const [oldKeys, oldLines] = [keys, lines];
    keys = new BigUint64Array(oldKeys.length * 2);
    lines = new Float64Array(oldKeys.length * 2);
    for (const [index, line] of oldLines.entries()) {
      if (line === 0) continue;
      const key = oldKeys[index] ?? 0n;
      const place = placeOf(key);
      keys[place] = key;
      lines[place] = line;
    }
  };
  return {
    note(id, line) {
      const key = fingerprint(id);
      const place = placeOf(key);
      const before = lines[place] ?? 0;
      if (before !== 0) return before;
      keys[place] = key;
      lines[place] = line;
      count += 1;
      if (count * 2 > keys.length) grow();
      return undefined;
    },
  };
}
