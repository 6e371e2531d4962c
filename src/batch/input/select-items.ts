import { fingerprint } from '../fingerprint.ts';
import type { BatchItem, InputItem } from './item.ts';
import type { IndexedResult } from '../results/result-index.ts';
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

export interface Sample {
  readonly items: readonly InputItem[];
  /** How many items the input has. */
  readonly total: number;
}

export interface EarlierResults {
  find(index: number): IndexedResult | undefined;
  /** The highest index with a result; 0 without any. */
  readonly last: number;
}

/** Which items a run sends. */
export interface Selection {
  /** Undefined without `--sample`. */
  readonly sample: Sample | undefined;
  /** Whether the run sends the item at this index. */
  readonly takes: (index: number) => boolean;
  readonly results: EarlierResults;
  /** See `promptFingerprint`. */
  readonly fingerprint: (item: BatchItem) => string;
  /** The name of the results file in messages. */
  readonly resultsName: string;
  /** The service cannot be the sandbox, whose answers would pass for its own. */
  readonly refusesSandbox: boolean;
}

/**
 * @returns `elsewhere` in a different shard or outside the sample, `pending` if it is to be sent
 * @throws Failure `usage` if the item at this index was answered for a different prompt, or by the sandbox
 */
export function itemStatusOf(item: InputItem, selection: Selection) {
  if (!selection.takes(item.index)) return 'elsewhere';
  const result = selection.results.find(item.index);
  if (result?.isAnswered !== true) return 'pending';
  const isSame = item.problem === undefined && selection.fingerprint(item) === result.fingerprint;
  const isRefused = result.isFromSandbox === true && selection.refusesSandbox;
  if (isSame && !isRefused) return 'answered';
  const answer = isSame ? 'answer of the sandbox to' : 'answer to a different prompt for';
  const place = `item ${item.index} (line ${item.line} of the input)`;
  throw new Failure('usage', `${selection.resultsName} has the ${answer} ${place}`, {
    hint: isSame
      ? 'use a different -o file, or --sandbox to continue there'
      : 'the input, its order, --template or --system changed; use a different -o file',
  });
}

/**
 * Chooses the `size` items with the lowest hashes. The same seed gives the same sample, and most of it even if items
 * were added at the end. Holds the items, so that the input is read once.
 * @param seed a whole number from 0
 */
export async function takeSample(
  items: AsyncIterable<InputItem>,
  { size, seed }: { readonly size: number; readonly seed: number },
): Promise<Sample> {
  let chosen: { readonly hash: string; readonly item: InputItem }[] = [];
  const drop = () => {
    chosen.sort((one, other) => (one.hash < other.hash ? -1 : 1));
    chosen = chosen.slice(0, size);
  };
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
