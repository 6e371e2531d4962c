import type { InputItem } from '../../batch/input/item.ts';
import { readItems } from '../../batch/input/read-items.ts';
import { type Selection, itemStatusOf, scanItems } from '../../batch/input/select-items.ts';
import type { Tally } from '../../batch/tally.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { BatchInput } from './input.ts';
import type { BatchPlan } from './plan.ts';
import { itemFingerprint } from './request.ts';

/** The items of one run, and how to read them. */
export interface BatchItems {
  readonly input: BatchInput;
  readonly plan: BatchPlan;
  readonly selection: Selection;
  readonly notices: Notices;
}

/** Selects the items of the shard that have no answer among the results of `find`. */
export function selectItems(
  { shard }: BatchPlan,
  settings: ResolvedSettings,
  output: string | undefined,
  find: Selection['find'],
): Selection {
  return {
    shard,
    find,
    fingerprint: (item) => itemFingerprint(item, settings),
    resultsName: output ?? 'standard output',
  };
}

function read({ input, plan }: BatchItems, signal: AbortSignal): AsyncIterable<InputItem> {
  return readItems(input.bytes(signal), plan);
}

function warnUnsendable(
  name: string,
  bad: number,
  { line, problem }: InputItem,
  notices: Notices,
): void {
  const others = bad === 1 ? '' : `, and ${count(bad - 1)} more cannot be sent`;
  notices.warning(`line ${line} of ${name} ${problem}${others}; see the results`);
}

function noItem(name: string): Failure {
  return new Failure('usage', `${name} contains no prompt`, {
    hint: 'put one prompt on each line, or one row per prompt below a table header',
  });
}

/**
 * Reads a file once before anything is sent: it counts the items and finds mismatched results.
 * @param last the highest index that has a result
 * @throws Failure `usage`
 */
export async function checkItems(
  items: BatchItems,
  tally: Tally,
  last: number,
  signal: AbortSignal,
): Promise<void> {
  const { input, selection, notices } = items;
  if (!input.isRepeatable) return;
  const counts = await scanItems(read(items, signal), selection);
  if (counts.items === 0 && last === 0) throw noItem(input.name);
  if (last > counts.items) {
    throw new Failure(
      'usage',
      `${selection.resultsName} has a result for item ${last}, but ${input.name} has only ${counts.items} items`,
      { hint: 'the input changed; use a different -o file' },
    );
  }
  tally.total = counts.total;
  tally.already = counts.answered;
  if (counts.firstBad !== undefined)
    warnUnsendable(input.name, counts.bad, counts.firstBad, notices);
}

/**
 * Items to send, as they are read; the others are counted if {@link checkItems} could not.
 * @throws Failure `usage` for an input without items, and as `itemStatusOf`
 */
export async function* pendingItems(
  items: BatchItems,
  tally: Tally,
  signal: AbortSignal,
): AsyncGenerator<InputItem, void> {
  const { input, selection } = items;
  let all = 0;
  let own = 0;
  for await (const item of read(items, signal)) {
    all += 1;
    const status = itemStatusOf(item, selection);
    if (status === 'elsewhere') continue;
    own += 1;
    if (status !== 'answered') yield item;
    else if (!input.isRepeatable) tally.already += 1;
  }
  signal.throwIfAborted();
  tally.total = own;
  if (all === 0) throw noItem(input.name);
}
