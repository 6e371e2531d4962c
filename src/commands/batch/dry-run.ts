import { readResults } from '../../batch/results/read-results.ts';
import type { InputItem } from '../../batch/input/item.ts';
import { countFailure, emptyTally, type Tally } from '../../batch/tally.ts';
import { Failure } from '../../failure.ts';
import { count, tokenText } from '../../output/figures.ts';
import { toFailure } from '../../output/failure-report.ts';
import { jsonLine } from '../../output/json-answer.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { kindOf } from './summary.ts';
import { type BatchItems, checkItems, pendingItems, selectItems } from './items.ts';
import { planItem } from './request.ts';
import { failureLine, unsendable } from './result.ts';
import type { BatchOptions } from './options.ts';
import { withHint } from '../program/remedy-words.ts';
import type { Context } from '../program/context.ts';
import { type DescribeRequest, requestDescriber } from '../prompt/dry-run.ts';

export interface BatchDryRun {
  readonly context: Context;
  readonly options: BatchOptions;
  readonly settings: ResolvedSettings;
  readonly items: Omit<BatchItems, 'selection'>;
}

/** Totals over the items that would be sent. */
interface Outlook {
  readonly tally: Tally;
  sendable: number;
  /** Estimated, including maximum answers. */
  tokens: number;
}

function itemLine(
  { context, options, settings }: BatchDryRun,
  item: InputItem,
  describe: DescribeRequest,
  outlook: Outlook,
): string {
  const { index, line, id = null } = item;
  try {
    if (item.problem !== undefined) throw unsendable(item);
    const planned = planItem(item.content, settings, options.stream);
    outlook.sendable += 1;
    outlook.tokens += planned.fit.estimate;
    return jsonLine({ index, line, id, ...describe(planned) });
  } catch (error) {
    const failure = withHint(toFailure(error));
    countFailure(outlook.tally, failure.kind);
    return failureLine(context, item, undefined, failure);
  }
}

function outlookText({ tally, sendable, tokens }: Outlook): string {
  const { total = 0, already, failed } = tally;
  const items = total === 1 ? 'item' : 'items';
  const before = already === 0 ? '' : ` (${count(already)} already answered)`;
  const bad = failed === 0 ? '' : `; ${count(failed)} cannot be sent`;
  return `${count(sendable)} of ${count(total)} ${items} would be sent${before}, ${tokenText(tokens, true)}${bad}`;
}

/**
 * Prints what a run of `natter batch` would send, a JSON line for each item; nothing is sent, and no file written.
 * @throws Failure where an item could not be sent
 */
export async function printBatchDryRun(dryRun: BatchDryRun): Promise<void> {
  const { context, options, settings } = dryRun;
  const { signal, streams } = context;
  const { output } = options;
  const results = output === undefined ? undefined : readResults(output);
  const find = (index: number) => results?.get(index);
  const selection = selectItems(dryRun.items.plan, settings, output, find);
  const items = { ...dryRun.items, selection };
  const tally = emptyTally();
  const outlook: Outlook = { tally, sendable: 0, tokens: 0 };
  await checkItems(items, tally, results?.last() ?? 0, signal);
  const describe = await requestDescriber(context, options, settings);
  for await (const item of pendingItems(items, tally, signal)) {
    await streams.stdout.write(itemLine(dryRun, item, describe, outlook));
    signal.throwIfAborted();
  }
  const text = outlookText(outlook);
  if (tally.failed === 0) return items.notices.notice(text);
  throw new Failure(kindOf(tally, undefined), text, {
    hint: 'see the error lines in the output',
  });
}
