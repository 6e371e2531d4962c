import { fingerprint } from '../fingerprint.ts';
import type { InputItem } from './item.ts';
import { Failure } from '../../failure.ts';

/** Every `count`-th item, starting at item `number`, from 1. */
export interface Shard {
  readonly number: number;
  readonly count: number;
}

/** @param text such as `2/8` @throws Failure `usage` */
export function parseShard(text: string): Shard {
  const [, number = '0', count = '0'] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const shard = { number: Number(number), count: Number(count) };
  if (shard.number >= 1 && shard.number <= shard.count) return shard;
  throw new Failure('usage', `--shard must be i/n with i from 1 to n, not "${text}"`, {
    hint: '--shard 2/8 takes the second of every eight items; --shard auto follows an array job',
  });
}

/** @param index from 1 @param shard undefined has every item */
export function isInShard(index: number, shard: Shard | undefined): boolean {
  return shard === undefined || (index - 1) % shard.count === shard.number - 1;
}

/**
 * Chooses the `size` items with the lowest hashes. The same seed gives the same sample, and most of it even if items
 * were added at the end. Holds the items, so that the input is read once.
 * @param seed a whole number from 0
 */
export async function takeSample(
  items: AsyncIterable<InputItem>,
  { size, seed }: { readonly size: number; readonly seed: number },
) {
  let chosen: { readonly hash: string; readonly item: InputItem }[] = [];
  const drop = () => {
    chosen.sort((one, other) => (one.hash < other.hash ? -1 : 1));
    chosen = chosen.slice(0, size);
  };
  /** How many items the input has. */
  let total = 0;
  for await (const item of items) {
    total = item.index;
    chosen.push({ hash: fingerprint(`${seed} ${item.index}`), item });
    if (chosen.length >= 2 * size) drop();
  }
  drop();
  const sample = chosen.map(({ item }) => item);
  return { items: sample.sort((one, other) => one.index - other.index), total };
}
