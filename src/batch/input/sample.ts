/** 32 bits that depend on all bits of both numbers: the mixing function of MurmurHash3. */
function mixed(index: number, seed: number): number {
  let bits = (index ^ Math.imul(seed, 0x9e3779b9)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A number for each item that depends only on the seed; different for all items below 2 ** 32. */
function rankOf(index: number, seed: number): number {
  return mixed(index, mixed(seed, 0x5eed));
}

/**
 * A random sample: the `size` items with the lowest ranks. The same seed gives the same sample, and most of it even if
 * items were added at the end.
 * @param total number of items @param seed a whole number from 0
 * @returns whether the item at an index, from 1, is in the sample
 */
export function createSample(
  size: number,
  total: number,
  seed: number,
): (index: number) => boolean {
  if (size >= total) return () => true;
  const ranks = Uint32Array.from({ length: total }, (_, at) => rankOf(at + 1, seed)).sort();
  const highest = ranks[size - 1] ?? 0;
  return (index) => rankOf(index, seed) <= highest;
}
