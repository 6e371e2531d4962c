import { Failure } from '../../failure.ts';
import type { BatchItem, InputItem } from './item.ts';
import type { IndexedResult } from '../results/result-index.ts';
import { isInShard, type Shard } from './shard.ts';

/** Which items are this run's, and what is known of them. */
export interface Selection {
  readonly shard: Shard | undefined;
  /** The result that is there already. */
  readonly find: (index: number) => IndexedResult | undefined;
  /** Of what is asked, see `promptFingerprint`. */
  readonly fingerprint: (item: BatchItem) => bigint;
  /** What messages call the file of results. */
  readonly resultsName: string;
}

/** What an item needs: nothing, as it is another shard's or `answered`, or all. */
export type ItemStatus = 'elsewhere' | 'answered' | 'pending';

/** @throws Failure `usage` when what is answered at the item's place is another prompt */
export function itemStatusOf(item: InputItem, selection: Selection): ItemStatus {
  if (!isInShard(item.index, selection.shard)) return 'elsewhere';
  const result = selection.find(item.index);
  if (result?.isAnswered !== true) return 'pending';
  const isSame = item.problem === undefined && selection.fingerprint(item) === result.fingerprint;
  if (isSame) return 'answered';
  const { index, line } = item;
  throw new Failure(
    'usage',
    `${selection.resultsName} has the answer to a different prompt for item ${index} (line ${line} of the input)`,
    {
      hint: 'the input, its order, --template or --system changed; use a different -o file',
    },
  );
}

/** What an input holds. */
export interface ItemCounts {
  /** Items of this run. */
  readonly total: number;
  /** Items of this run that are answered already. */
  readonly answered: number;
  /** Items of the whole input. */
  readonly items: number;
  /** Items of this run that cannot be sent, and the first of them. */
  readonly bad: number;
  readonly firstBad: InputItem | undefined;
}

/**
 * Reads a whole input before anything is sent.
 * @throws Failure `usage` as {@link itemStatusOf}
 */
export async function scanItems(
  items: AsyncIterable<InputItem>,
  selection: Selection,
): Promise<ItemCounts> {
  let total = 0;
  let answered = 0;
  let count = 0;
  let bad = 0;
  let firstBad: InputItem | undefined;
  for await (const item of items) {
    count += 1;
    const status = itemStatusOf(item, selection);
    if (status === 'elsewhere') continue;
    total += 1;
    if (status === 'answered') answered += 1;
    if (status === 'answered' || item.problem === undefined) continue;
    bad += 1;
    firstBad ??= item;
  }
  return { total, answered, items: count, bad, firstBad };
}
