import { padToWidth, displayWidth, truncateToWidth } from '../../terminal/text/width.ts';
import { bar, type BarLayout, formatTable, type Column } from '../../output/table.ts';
import { count, moneyText } from '../../output/figures.ts';
import type { UsageSum } from '../../usage/sums.ts';

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
export function usageText(
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
export function usageRows(rows: readonly UsageSum[]): string {
  return rows
    .map((row) => {
      const counts = [row.requests, row.failed, row.promptTokens, row.answerTokens].map(String);
      return `${[row.key, ...counts, moneyText(row.costs)].join('\t')}\n`;
    })
    .join('');
}
