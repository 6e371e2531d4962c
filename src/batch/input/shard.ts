import { Failure } from '../../failure.ts';

/** A part of the items: of every `count`, the one at place `number`, from 1. */
export interface Shard {
  readonly number: number;
  readonly count: number;
}

/** @throws Failure `usage` */
export function parseShard(text: string): Shard {
  const [, number = '0', count = '0'] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const shard = { number: Number(number), count: Number(count) };
  if (shard.number >= 1 && shard.number <= shard.count) return shard;
  throw new Failure('usage', `--shard must be i/n with i from 1 to n, not "${text}"`, {
    hint: '--shard 2/8 takes the second of every eight items',
  });
}

/** Whether the item of this index (from 1) belongs to the shard; without one every item does. */
export function isInShard(index: number, shard: Shard | undefined): boolean {
  return shard === undefined || (index - 1) % shard.count === shard.number - 1;
}
