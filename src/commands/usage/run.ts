import { Failure } from '../../failure.ts';
import { count, countOf, moneyText } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { priceTable, type PriceTable } from '../../settings/prices.ts';
import { knownProfiles, unknownProfile } from '../../settings/profile-name.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import { localDay, parseSince } from '../../usage/days.ts';
import { type LedgerLine, readLedger } from '../../usage/ledger.ts';
import { createUsageSums, type Grouping, type PriceOf, type UsageSum } from '../../usage/sums.ts';
import { present, type Presentation, type Context, type JsonOptions } from '../../run.ts';
import { printJson } from '../../output/print-data.ts';
import { readStored } from '../../settings/read-settings.ts';
import { padToWidth, displayWidth, truncateToWidth } from '../../terminal/text/width.ts';
import { bar, type BarLayout, formatTable, type Column } from '../../output/table.ts';

interface UsageColumn {
  readonly heading: string;
  /** Empty cells in all rows omit the column. */
  readonly cell: (row: UsageSum) => string;
}

const orEmpty = (value: number) => (value === 0 ? '' : count(value));
const marked = (row: UsageSum, tokens: number) => `${row.estimated > 0 ? '~' : ''}${count(tokens)}`;

const requests: UsageColumn = { heading: 'REQUESTS', cell: (row) => count(row.requests) };
const failed: UsageColumn = { heading: 'FAILED', cell: (row) => orEmpty(row.failed) };
const input: UsageColumn = { heading: 'IN', cell: (row) => marked(row, row.promptTokens) };
const output: UsageColumn = { heading: 'OUT', cell: (row) => marked(row, row.answerTokens) };
const tokens: UsageColumn = {
  heading: 'TOKENS',
  cell: (row) => marked(row, row.promptTokens + row.answerTokens),
};
const cost: UsageColumn = { heading: 'COST', cell: (row) => moneyText(row.costs) };

/** The columns of a window, the widest first. */
const columnSets: readonly (readonly UsageColumn[])[] = [
  [requests, failed, input, output, cost],
  [requests, failed, tokens, cost],
  [requests, tokens, cost],
  [requests, tokens],
  [tokens],
];

const gap = 2;
const minBar = 6;
const maxBar = 30;

/** Room for the key, so that the id of a model does not fill a narrow window. */
const keyWidth = (width: number) => Math.max(10, Math.floor(width / 3));

function tableLines(
  heading: string,
  shown: readonly UsageColumn[],
  rows: readonly UsageSum[],
  layout: BarLayout,
): readonly string[] {
  const columns: readonly Column[] = [
    { heading },
    ...shown.map((column) => ({ heading: column.heading, align: 'right' as const })),
  ];
  const cells = rows.map((row) => [
    truncateToWidth(row.key, keyWidth(layout.width)),
    ...shown.map((column) => column.cell(row)),
  ]);
  const unlimited = { ...layout, isTerminal: true, width: Number.POSITIVE_INFINITY };
  return formatTable(columns, cells, unlimited).trimEnd().split('\n');
}

const widthOf = (lines: readonly string[]) => Math.max(...lines.slice(1).map(displayWidth));

/** A table for a terminal, with bars for the tokens of each row, and the total below several rows. */
function usageText(
  heading: string,
  rows: readonly UsageSum[],
  total: UsageSum,
  layout: BarLayout,
): string {
  const all = rows.length > 1 ? [...rows, total] : rows;
  const tables = columnSets.map((columns) => tableLines(heading, columns, all, layout));
  const lines =
    tables.find((table) => widthOf(table) + gap + minBar < layout.width) ?? tables.at(-1) ?? [];
  const width = widthOf(lines);
  const room = Math.min(maxBar, layout.width - width - gap - 1);
  const used = (row: UsageSum) => row.promptTokens + row.answerTokens;
  const most = Math.max(1, ...rows.map(used));
  return lines
    .map((line, index) => {
      const row = index === 0 ? undefined : rows[index - 1];
      if (row === undefined || room < minBar) return `${line}\n`;
      const drawn = bar(used(row), most, room, layout.unicode);
      return `${padToWidth(line, width + gap)}${drawn}`.trimEnd() + '\n';
    })
    .join('');
}

/** Tab-separated rows: key, requests, failed, tokens of prompts and of answers, cost. */
function usageRows(rows: readonly UsageSum[]): string {
  return rows
    .map((row) => {
      const counts = [row.requests, row.failed, row.promptTokens, row.answerTokens].map(String);
      return `${[row.key, ...counts, moneyText(row.costs)].join('\t')}\n`;
    })
    .join('');
}

export interface UsageOptions extends JsonOptions {
  /** Unparsed. */
  readonly since: string;
  readonly by: Grouping;
}

/** @throws Failure `usage` */
function sinceOf(text: string, now: Date): Date {
  const since = parseSince(text, now);
  if (since !== undefined) return since;
  throw new Failure('usage', '--since must be a time such as 7d, 12h, 2w, today or 2026-11-01');
}

/** The prices of each profile, as they are now. @throws Failure `configuration` for a bad one */
function pricesOf({ settings }: StoredSettings): PriceOf {
  const tables = new Map<string, PriceTable>();
  for (const [name, { prices = {} }] of Object.entries(settings.profiles)) {
    const source = { kind: 'profile', name } as const;
    const resolved = Object.entries(prices).map(([model, value]) => [model, { value, source }]);
    tables.set(name, priceTable(Object.fromEntries(resolved) as Parameters<typeof priceTable>[0]));
  }
  return ({ profile, model }) => tables.get(profile)?.get(model);
}

interface Found {
  readonly rows: readonly UsageSum[];
  readonly total: UsageSum;
  /** Lines that could not be read. */
  readonly broken: number;
  /** Requests to the sandbox that are not in the rows. */
  readonly sandboxed: number;
}

function find(context: Context, options: UsageOptions, since: Date, priceOf: PriceOf): Found {
  const sums = createUsageSums(options.by, priceOf);
  const { state } = resolveFolders(context);
  const wantsSandbox = options.sandbox === true;
  let sandboxed = 0;
  const take = (line: LedgerLine) => {
    const isSandbox = line.sandbox === true;
    if (isSandbox && !wantsSandbox) sandboxed += 1;
    if (isSandbox !== wantsSandbox) return;
    if (options.profile === undefined || options.profile === line.profile) sums.add(line);
  };
  const broken = state === undefined ? 0 : readLedger(state, since, take);
  return { rows: sums.rows(), total: sums.total(), broken, sandboxed };
}

/** A deleted profile may still have requests. @throws Failure for a profile without settings and requests */
function checkProfile(
  { profile }: UsageOptions,
  { rows }: Found,
  read: () => StoredSettings,
): void {
  if (profile === undefined || rows.length > 0) return;
  const stored = read();
  if (!knownProfiles(stored).includes(profile)) throw unknownProfile(profile, stored);
}

function fieldsOf({ key: _key, costs, ...sum }: UsageSum): object {
  return {
    requests: sum.requests,
    failed: sum.failed,
    prompt_tokens: sum.promptTokens,
    completion_tokens: sum.answerTokens,
    estimated_requests: sum.estimated,
    cost: costs.size === 0 ? null : Object.fromEntries(costs),
    unpriced_requests: sum.unpriced,
  };
}

function printNotices(notices: Notices, { rows, total, broken, sandboxed }: Found, since: Date) {
  if (broken > 0) {
    notices.notice(`not counted: ${countOf(broken, 'line')} of the ledger that cannot be read`);
  }
  if (rows.length === 0) {
    const others =
      sandboxed === 0 ? '' : `; ‹natter usage --sandbox› shows ${count(sandboxed)} to the sandbox`;
    notices.notice(`no requests since ${localDay(since)}${others}`);
  }
  const { withoutPrice, unpriced, costs } = total;
  if (costs.size > 0 && withoutPrice !== undefined) {
    const { model, profile } = withoutPrice;
    const verb = unpriced === 1 ? 'is' : 'are';
    notices.notice(
      `${countOf(unpriced, 'request')} ${verb} not in the cost: the model has no price; ‹natter config set prices.${model} 0.5/1.5 --profile ${profile}›`,
    );
  }
}

async function printRows(
  { streams: { stdout } }: Context,
  { style, unicode }: Presentation,
  by: Grouping,
  { rows, total }: Found,
): Promise<void> {
  const { isTerminal } = stdout;
  const layout = { isTerminal, width: stdout.columns(), style, unicode };
  const text = isTerminal ? usageText(by.toUpperCase(), rows, total, layout) : usageRows(rows);
  if (rows.length > 0) await stdout.write(text);
}

/** Runs `natter usage`. @throws Failure */
export async function showUsage(context: Context, options: UsageOptions): Promise<void> {
  const presentation = await present(context, options);
  const { notices } = presentation;
  const since = sinceOf(options.since, context.clock.date());
  // The sandbox costs nothing.
  const read = () => readStored(context, notices);
  const prices: PriceOf = options.sandbox === true ? () => undefined : pricesOf(read());
  const found = find(context, options, since, prices);
  checkProfile(options, found, read);
  printNotices(notices, found, since);
  const { by, json } = options;
  if (json !== true) return printRows(context, presentation, by, found);
  await printJson(context, {
    since: since.toISOString(),
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    by,
    rows: found.rows.map((row) => ({ [by]: row.key, ...fieldsOf(row) })),
    total: fieldsOf(found.total),
    unreadable_lines: found.broken,
  });
}
