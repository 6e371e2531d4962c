import { describeSource } from '../settings/resolved-settings.ts';
import { jsonRow, type SettingRow, valueText } from '../settings/setting-rows.ts';
import { formatTable, type Column } from './table.ts';
import { escapeJson } from '../terminal/safety/sanitizer.ts';
import type { Context, JsonOptions, StartedRun } from '../run.ts';

/** Prints a value as indented JSON that is safe on a terminal. */
export async function printJson({ streams }: Context, value: unknown): Promise<void> {
  await streams.stdout.write(`${escapeJson(JSON.stringify(value, undefined, 2))}\n`);
}

/** Prints rows: a table on a terminal, tab-separated lines elsewhere. */
export async function printTable(
  { context, presentation: { style } }: StartedRun,
  columns: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const { stdout } = context.streams;
  const { isTerminal } = stdout;
  const named = columns.map((one) => (typeof one === 'string' ? { heading: one } : one));
  await stdout.write(formatTable(named, rows, { isTerminal, width: stdout.columns(), style }));
}

export async function printSettings(
  run: StartedRun<JsonOptions>,
  rows: readonly SettingRow[],
): Promise<void> {
  if (run.options.json === true) return printJson(run.context, rows.map(jsonRow));
  const cells = rows.map((row) =>
    row.value === undefined
      ? [row.name, '(not set)', '']
      : [row.name, valueText(row), describeSource(row.source)],
  );
  return printTable(run, ['SETTING', 'VALUE', 'SOURCE'], cells);
}
