import { Failure } from '../../failure.ts';
import { count, countOf, moneyText } from '../../output/figures.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { costOf, modelPrice, type Price, type PriceTable } from '../../settings/prices.ts';
import { readFamily } from '../../settings/setting-name.ts';
import { requireProfile } from '../../settings/profiles.ts';
import { type StoredSettings, readStored } from '../../settings/settings-file.ts';
import { localDay, parseSince } from '../../usage/days.ts';
import { type LedgerLine, readLedger, tokensOf } from '../../usage/ledger.ts';
import type { Action, JsonOptions } from '../../run.ts';
import { printJson } from '../../output/print-data.ts';
import { truncateToWidth } from '../../terminal/text/width.ts';
import { bar, formatTable, type Column } from '../../output/table.ts';
import { unreadLines } from '../../storage/read-lines.ts';

/** The requests of one day, model, profile or command, with the names of its JSON. */
const emptySum = (key: string) => ({
  key,
  requests: 0,
  /** Requests without a complete answer, except those that the user stopped. */
  failed: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  /** Requests whose tokens are estimated in part. */
  estimated_requests: 0,
  /** By currency, where the prices are known. */
  cost: new Map<string, number>(),
  /** Requests with tokens, but without a price. */
  unpriced_requests: 0,
  firstUnpriced: undefined as LedgerLine | undefined,
});

type UsageSum = ReturnType<typeof emptySum>;

function addRequest(sum: UsageSum, line: LedgerLine, price: Price | undefined): void {
  const tokens = tokensOf(line);
  sum.requests += 1;
  if (line.outcome !== 'answered' && line.outcome !== 'stopped') sum.failed += 1;
  if (line.estimated !== undefined) sum.estimated_requests += 1;
  sum.prompt_tokens += tokens.prompt;
  sum.cached_tokens += tokens.cached ?? 0;
  sum.completion_tokens += tokens.answer;
  if (price !== undefined) {
    const { currency } = price;
    sum.cost.set(currency, (sum.cost.get(currency) ?? 0) + costOf(price, tokens));
  } else if (tokens.prompt + tokens.answer > 0) {
    sum.unpriced_requests += 1;
    sum.firstUnpriced ??= line;
  }
}

const marked = ({ estimated_requests: estimated }: UsageSum, tokens: number) =>
  `${estimated > 0 ? '~' : ''}${count(tokens)}`;
const countOrEmpty = (number: number) => (number === 0 ? '' : count(number));
const allTokens = (row: UsageSum) => row.prompt_tokens + row.completion_tokens;

/** The columns between the key and the bar; empty ones are omitted. */
const columns: readonly (Column & { readonly cell: (row: UsageSum) => string })[] = [
  { heading: 'REQUESTS', align: 'right', isSpare: true, cell: (row) => count(row.requests) },
  { heading: 'FAILED', align: 'right', isSpare: true, cell: ({ failed }) => countOrEmpty(failed) },
  { heading: 'IN', align: 'right', cell: (row) => marked(row, row.prompt_tokens) },
  {
    heading: 'CACHED',
    align: 'right',
    isSpare: true,
    cell: (row) => countOrEmpty(row.cached_tokens),
  },
  { heading: 'OUT', align: 'right', cell: (row) => marked(row, row.completion_tokens) },
  { heading: 'COST', align: 'right', cell: ({ cost }) => moneyText(cost) },
];

/** The columns of the longest bar. */
const longestBar = 20;

/** A tab-separated row: key, requests, failed, tokens of prompts and of answers, cost. */
function usageRow(sum: UsageSum): string {
  const { key, requests, failed, prompt_tokens: input, completion_tokens: output } = sum;
  return `${[key, requests, failed, input, output, moneyText(sum.cost)].join('\t')}\n`;
}

/** The prices of each profile, as they are now. @throws Failure `configuration` for a bad one */
function pricesOf({ settings }: StoredSettings) {
  const tables = new Map<string, PriceTable>();
  for (const [name, { prices }] of Object.entries(settings.profiles)) {
    tables.set(name, new Map(readFamily('prices', prices, name, modelPrice)));
  }
  return ({ profile, model }: LedgerLine) => tables.get(profile)?.get(model);
}

/** The fields of a sum in JSON, without those that are undefined. */
const fieldsOf = (sum: UsageSum) => ({
  ...sum,
  key: undefined,
  cached_tokens: sum.cached_tokens || undefined,
  cost: sum.cost.size === 0 ? null : Object.fromEntries(sum.cost),
  firstUnpriced: undefined,
});

interface UsageOptions extends JsonOptions {
  readonly since: string;
  readonly by: 'day' | 'model' | 'profile' | 'command';
}

export const showUsage: Action<UsageOptions> = async ({ context, options, presentation }) => {
  const { notices, style, unicode } = presentation;
  const { by, profile } = options;
  const since = parseSince(options.since, context.clock.date());
  if (since === undefined) {
    throw new Failure('usage', '--since must be a time such as 7d, 12h, 2w, today or 2026-11-01');
  }
  const read = () => readStored(context, notices);
  const wantsSandbox = options.sandbox === true;
  // The sandbox costs nothing.
  const priceOf = wantsSandbox ? () => undefined : pricesOf(read());
  const sums = new Map<string, UsageSum>();
  const total = emptySum('total');
  let sandboxed = 0;
  const take = (line: LedgerLine) => {
    const isSandbox = line.sandbox === true;
    if (isSandbox && !wantsSandbox) sandboxed += 1;
    if (isSandbox !== wantsSandbox) return;
    if (profile !== undefined && profile !== line.profile) return;
    const key = by === 'day' ? localDay(new Date(line.time)) : line[by];
    const sum = sums.get(key) ?? emptySum(key);
    sums.set(key, sum);
    for (const one of [sum, total]) addRequest(one, line, priceOf(line));
  };
  const { state } = resolveFolders(context);
  const unread = state === undefined ? [] : [...readLedger(state, since, take)];
  // Days in order; models, profiles and commands with the most tokens first.
  const rows = [...sums.values()].sort((one, other) => {
    const order = one.key < other.key ? -1 : 1;
    return by === 'day' ? order : allTokens(other) - allTokens(one) || order;
  });
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
  const { firstUnpriced, unpriced_requests: unpriced } = total;
  if (total.cost.size > 0 && firstUnpriced !== undefined) {
    const { model, profile: owner } = firstUnpriced;
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
  const most = Math.max(1, ...rows.map(allTokens));
  const cells = [...rows, ...(rows.length > 1 ? [total] : [])].map((row) => {
    const drawn = row === total ? '' : bar(allTokens(row), most, longestBar, unicode);
    return [truncateToWidth(row.key, keyWidth), ...columns.map(({ cell }) => cell(row)), drawn];
  });
  const all = [{ heading: by.toUpperCase() }, ...columns, { heading: '', isSpare: true }];
  await stdout.write(formatTable(all, cells, { isTerminal: true, width, style }));
};
