import { describeSource } from '../../settings/resolved-settings.ts';
import { jsonRow, type SettingRow } from '../../settings/setting-rows.ts';
import type { Context } from '../program/context.ts';
import type { Presentation } from './presentation.ts';
import { printJson, printTable } from './print-data.ts';

const columns = [{ heading: 'SETTING' }, { heading: 'VALUE' }, { heading: 'SOURCE' }];

/** Prints settings, each with where it comes from. */
export async function printSettings(
  context: Context,
  presentation: Presentation,
  rows: readonly SettingRow[],
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  if (json) {
    return printJson(context, rows.map(jsonRow));
  }
  const cells = rows.map(({ name, value, source }) =>
    value === undefined ? [name, '(not set)', ''] : [name, value, describeSource(source)],
  );
  return printTable(context, presentation, columns, cells);
}
