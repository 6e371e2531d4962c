import type { Sample } from './measure.ts';

export interface Row {
  readonly what: string;
  readonly against: string;
  /** Medians with units. */
  readonly values: string;
  readonly ratio: string;
  /** The highest ratio that is acceptable. */
  readonly target: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/**
 * The median of the ratios of each turn: a machine that is slow for a while then slows both programs of a ratio.
 */
export function compare(
  samples: readonly Sample[],
  others: readonly Sample[],
  value: 'wall' | 'firstByte' | 'memory',
): { readonly ratio: string; readonly values: string } {
  const ratios = samples.map((sample, turn) => sample[value] / (others[turn]?.[value] ?? NaN));
  const [divisor, unit] = value === 'memory' ? [1000, 'MB'] : [1, 'ms'];
  const show = (list: readonly Sample[]) =>
    (median(list.map((sample) => sample[value])) / divisor).toFixed(1);
  const values = `${show(samples)} against ${show(others)} ${unit}`;
  return { ratio: median(ratios).toFixed(2), values };
}

export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [row.what, row.against, row.values, row.ratio, row.target]);
  const all = [['what', 'against', 'medians', 'ratio', 'target'], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...all.map((line) => (line[column] ?? '').length)),
  );
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`;
  return all.map((line, index) => format(line) + (index === 0 ? rule : '')).join('');
}
