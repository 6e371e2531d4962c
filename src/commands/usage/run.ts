import { Failure } from '../../failure.ts';
import { count, countOf, moneyText } from '../../output/figures.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { modelPrice, type PriceTable } from '../../settings/prices.ts';
import { readFamily } from '../../settings/setting-name.ts';
import { requireProfile } from '../../settings/profiles.ts';
import { type StoredSettings, readStored } from '../../settings/settings-file.ts';
import { localDay, parseSince } from '../../usage/days.ts';
import { type LedgerLine, readLedger } from '../../usage/ledger.ts';
import { createUsageSums, type Grouping, type PriceOf, type UsageSum } from '../../usage/sums.ts';
import type { Action, JsonOptions } from '../../run.ts';
import { printJson } from '../../output/print-data.ts';
import { truncateToWidth } from '../../terminal/text/width.ts';
import { bar, formatTable, type Column } from '../../output/table.ts';
import { unreadLines } from '../../storage/read-lines.ts';

const marked = (row: UsageSum, tokens: number) => `${row.estimated > 0 ? '~' : ''}${count(tokens)}`;
const countOrEmpty = (number: number) => (number === 0 ? '' : count(number));
const tokensOf = (row: UsageSum) => row.promptTokens + row.answerTokens;

/** The columns between the key and the bar; empty ones are omitted. */
const columns: readonly (Column & { readonly cell: (row: UsageSum) => string })[] = [
  { heading: 'REQUESTS', align: 'right', isSpare: true, cell: (row) => count(row.requests) },
  { heading: 'FAILED', align: 'right', isSpare: true, cell: ({ failed }) => countOrEmpty(failed) },
  { heading: 'IN', align: 'right', cell: (row) => marked(row, row.promptTokens) },
  {
    heading: 'CACHED',
    align: 'right',
    isSpare: true,
    cell: (row) => countOrEmpty(row.cachedTokens),
  },
  { heading: 'OUT', align: 'right', cell: (row) => marked(row, row.answerTokens) },
  { heading: 'COST', align: 'right', cell: ({ costs }) => moneyText(costs) },
];

/** The columns of the longest bar. */
const longestBar = 20;

/** A tab-separated row: key, requests, failed, tokens of prompts and of answers, cost. */
function usageRow({ key, requests, failed, promptTokens, answerTokens, costs }: UsageSum): string {
  const cells = [key, requests, failed, promptTokens, answerTokens, moneyText(costs)];
  return `${cells.join('\t')}\n`;
}

/** The prices of each profile, as they are now. @throws Failure `configuration` for a bad one */
function pricesOf({ settings }: StoredSettings): PriceOf {
  const tables = new Map<string, PriceTable>();
  for (const [name, { prices }] of Object.entries(settings.profiles)) {
    tables.set(name, new Map(readFamily('prices', prices, name, modelPrice)));
  }
  return ({ profile, model }) => tables.get(profile)?.get(model);
}

function fieldsOf({ key: _key, costs, ...sum }: UsageSum): object {
  return {
    requests: sum.requests,
    failed: sum.failed,
    prompt_tokens: sum.promptTokens,
    ...(sum.cachedTokens > 0 && { cached_tokens: sum.cachedTokens }),
    completion_tokens: sum.answerTokens,
    estimated_requests: sum.estimated,
    cost: costs.size === 0 ? null : Object.fromEntries(costs),
    unpriced_requests: sum.unpriced,
  };
}

export const showUsage: Action<
  JsonOptions & { readonly since: string; readonly by: Grouping }
> = async ({ context, options, presentation }) => {
  const { notices, style, unicode } = presentation;
  const { by, profile } = options;
  const since = parseSince(options.since, context.clock.date());
  if (since === undefined) {
    throw new Failure('usage', '--since must be a time such as 7d, 12h, 2w, today or 2026-11-01');
  }
  const read = () => readStored(context, notices);
  const wantsSandbox = options.sandbox === true;
  // The sandbox costs nothing.
  const sums = createUsageSums(by, wantsSandbox ? () => undefined : pricesOf(read()));
  let sandboxed = 0;
  const take = (line: LedgerLine) => {
    const isSandbox = line.sandbox === true;
    if (isSandbox && !wantsSandbox) sandboxed += 1;
    if (isSandbox !== wantsSandbox) return;
    if (profile === undefined || profile === line.profile) sums.add(line);
  };
  const { state } = resolveFolders(context);
  const unread = state === undefined ? [] : [...readLedger(state, since, take)];
  const [rows, total] = [sums.rows(), sums.total()];
  if (profile !== undefined && rows.length === 0) {
    // A deleted profile may still have requests.
    const stored = read();
    requireProfile(stored, profile);
  }
  for (const [file, lines] of unread) notices.warning(unreadLines(file, lines));
  if (rows.length === 0) {
    const others =
      sandboxed === 0
        ? ''
        : `; ‹natter usage --sandbox› shows ${countOf(sandboxed, 'request')} to the sandbox`;
    notices.notice(`no requests since ${localDay(since)}${others}`);
  }
  const { withoutPrice, unpriced, costs } = total;
  if (costs.size > 0 && withoutPrice !== undefined) {
    const { model, profile: owner } = withoutPrice;
    const verb = unpriced === 1 ? 'is' : 'are';
    notices.notice(
      `${countOf(unpriced, 'request')} ${verb} not in the cost: the model has no price; ‹natter config set prices.${model} 0.5/1.5 --profile ${owner}›`,
    );
  }
  if (options.json === true) {
    return printJson(context, {
      since: since.toISOString(),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      by,
      rows: rows.map((row) => ({ [by]: row.key, ...fieldsOf(row) })),
      total: fieldsOf(total),
      unreadable_lines: unread.flatMap(([, lines]) => lines).length,
    });
  }
  if (rows.length === 0) return;
  const { stdout } = context.streams;
  if (!stdout.isTerminal) return stdout.write(rows.map(usageRow).join(''));
  const width = stdout.columns();
  // The id of a model must not fill a narrow window.
  const keyWidth = Math.max(10, Math.floor(width / 3));
  const most = Math.max(1, ...rows.map(tokensOf));
  const cells = [...rows, ...(rows.length > 1 ? [total] : [])].map((row) => {
    const drawn = row === total ? '' : bar(tokensOf(row), most, longestBar, unicode);
    return [truncateToWidth(row.key, keyWidth), ...columns.map(({ cell }) => cell(row)), drawn];
  });
  const all = [{ heading: by.toUpperCase() }, ...columns, { heading: '', isSpare: true }];
  await stdout.write(formatTable(all, cells, { isTerminal: true, width, style }));
};
