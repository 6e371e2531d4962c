import { readResults } from '../../batch/results/read-results.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { countFailure, emptyTally } from '../../batch/tally.ts';
import { Failure } from '../../failure.ts';
import { count, tokenText, moneyText } from '../../output/figures.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { jsonLine } from '../../output/json-answer.ts';
import { costOf, type PriceTable } from '../../settings/prices.ts';
import { estimateRequest } from '../../usage/budget.ts';
import { withHint } from '../../cli/report.ts';
import { guardRequest } from '../../input/secret-guard.ts';
import { type DescribeRequest, requestDescriber } from '../../ask/dry-run.ts';
import { type Batch, checkItems, pendingItems, selectItems } from './items.ts';
import { resultsFileOf } from './plan.ts';
import { failureLine, unsendable } from './output/result.ts';
import { planItem } from './sending/send-item.ts';
import { kindOf } from './report/summary.ts';

const emptyTotals = (prices: PriceTable) => ({
  tally: emptyTally(),
  sendable: 0,
  /** Estimated; assumes that each answer has the maximum length. */
  tokens: 0,
  prices,
  /** Estimated, by currency, with answers of the maximum length. */
  costs: new Map<string, number>(),
  /** Some answer has no maximum length, and its cost is not counted. */
  isOpenEnded: false,
  unpriced: new Set<string>(),
});

type DryRunTotals = ReturnType<typeof emptyTotals>;

function addCost(totals: DryRunTotals, request: CompletionRequest): void {
  const price = totals.prices.get(request.model);
  if (price === undefined) {
    totals.unpriced.add(request.model);
    return;
  }
  const { prompt, answer } = estimateRequest(request);
  const cost = costOf(price, prompt, answer ?? 0);
  totals.costs.set(price.currency, (totals.costs.get(price.currency) ?? 0) + cost);
  totals.isOpenEnded ||= answer === undefined;
}

/** `, at most ~0.02 USD`; empty if no price is known. */
function costText({ costs, isOpenEnded, unpriced }: DryRunTotals): string {
  if (costs.size === 0) return '';
  const money = `~${moneyText(costs)}`;
  const missing = unpriced.size === 0 ? '' : ` (no price for ${[...unpriced].join(', ')})`;
  return isOpenEnded ? `, ${money} without the answers${missing}` : `, at most ${money}${missing}`;
}

function totalsText(totals: DryRunTotals): string {
  const { tally, sendable, tokens } = totals;
  const { total = 0, already, failed } = tally;
  const items = total === 1 ? 'item' : 'items';
  const before = already === 0 ? '' : ` (${count(already)} already answered)`;
  const bad = failed === 0 ? '' : `; ${count(failed)} cannot be sent`;
  return `${count(sendable)} of ${count(total)} ${items} would be sent${before}, ${tokenText(tokens, true)}${costText(totals)}${bad}`;
}

/**
 * Prints what `natter batch` would send, one JSON line per item. Sends nothing and writes no file.
 * @throws Failure if an item could not be sent
 */
export async function printBatchDryRun(batch: Batch): Promise<void> {
  const { context, options, settings, notices } = batch;
  const { signal, streams } = context;
  const output = resultsFileOf(options);
  const results = output === undefined ? undefined : readResults(output);
  const selection = await selectItems(batch, output, (index) => results?.get(index));
  const totals = emptyTotals(settings.prices);
  const { tally } = totals;
  await checkItems(batch, selection, tally, results?.last ?? 0);
  const describeRequest = requestDescriber(batch);
  const redacting = { mode: 'redact', settings } as const;
  const describe: DescribeRequest = (planned) => {
    if (options.redact !== true) return describeRequest(planned);
    const { request } = guardRequest(context, redacting, planned.request);
    return describeRequest({ ...planned, request });
  };
  for await (const item of pendingItems(batch, selection, tally, signal)) {
    const { index, line, id = null } = item;
    let text: string;
    try {
      if (item.problem !== undefined) throw unsendable(item);
      const planned = planItem(item.content, settings, options.stream);
      totals.sendable += 1;
      totals.tokens += planned.fit.estimate;
      addCost(totals, planned.request);
      text = jsonLine({ index, line, id, ...describe(planned) });
    } catch (error) {
      const failure = withHint(toFailure(error));
      countFailure(tally, failure, item);
      text = failureLine(context.secrets, item, undefined, failure);
    }
    await streams.stdout.write(text);
    signal.throwIfAborted();
  }
  const text = totalsText(totals);
  if (tally.failed === 0) return notices.notice(text);
  throw new Failure(kindOf(tally, undefined), text, {
    hint: 'see the error lines in the output',
  });
}
