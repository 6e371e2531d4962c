import type { Client, ReadOptions } from '../../client/client.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { describeModel, type ModelDescription } from '../../client/models/model-description.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { countOf, count } from '../../output/figures.ts';
import type { Action, JsonOptions, Run, StartedRun } from '../../run.ts';
import { printJson, printTable } from '../../output/print-data.ts';
import { openService } from '../../ask/service.ts';
import { readSettings, withSettings } from '../../settings/read-settings.ts';
import type { ModelRecord } from '../../client/contract.ts';
import type { Column } from '../../output/table.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';

export const modelColumns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CONTEXT', align: 'right' },
  { heading: 'LATENCY', align: 'right', isSpare: true },
  { heading: 'PURPOSE' },
];

/** Marks a value from the catalogue that the service did not send. */
export const catalogueMark = '*';

export const catalogueNote = `${catalogueMark} taken from the published catalogue, not from the service`;

export const hasCatalogueMark = (row: readonly string[]): boolean =>
  row.some((cell) => cell.endsWith(catalogueMark));

/** One row of {@link modelColumns}; `marked` adds units and {@link catalogueMark}, for a terminal. */
export function modelCells(description: ModelDescription, marked: boolean): readonly string[] {
  const { id, contextWindow, latency, purpose = '', fromCatalogue } = description;
  const mark = (text: string, name: string) =>
    marked && fromCatalogue.includes(name) ? text + catalogueMark : text;
  const tokens = marked ? count : String;
  const window = contextWindow === undefined ? '' : tokens(contextWindow);
  const time = latency === undefined ? '' : `${latency}${marked ? ' ms' : ''}`;
  return [id, mark(window, 'contextWindow'), mark(time, 'latency'), mark(purpose, 'purpose')];
}

/** Whether a cell of the row, as in a terminal or in a pipe, contains the text; ignores case. */
function showsText(description: ModelDescription, text: string): boolean {
  const wanted = text.toLowerCase();
  const cells = [false, true].flatMap((marked) => modelCells(description, marked));
  return cells.some((cell) => sanitizeLine(cell).toLowerCase().includes(wanted));
}

/** The `--json` document: the known values, the names of those from the catalogue, and the record of the service. */
function modelDocument(record: ModelRecord): Record<string, unknown> {
  const { id, contextWindow, latency, purpose, fromCatalogue } = describeModel(record);
  const names: Readonly<Record<string, string>> = {
    contextWindow: 'context_window',
    latency: 'latency_ms',
  };
  return {
    id,
    context_window: contextWindow ?? null,
    latency_ms: latency ?? null,
    purpose: purpose ?? null,
    from_catalogue: fromCatalogue.map((name) => names[name] ?? name),
    record,
  };
}

/** One field per line: the known values, then the other fields of the record as JSON. */
function modelFields(record: ModelRecord, isTerminal: boolean): string {
  const description = describeModel(record);
  const [id = '', window = '', time = '', purpose = ''] = modelCells(description, isTerminal);
  const known = { id, 'context window': window, latency: time, purpose };
  const { contextWindow, latency } = description;
  const shown = new Set<unknown>([contextWindow, latency, description.purpose]);
  const others = Object.entries(record)
    .filter(([name, value]) => name !== 'id' && !shown.has(value))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  const filled = Object.entries(known).filter(([, value]) => value !== '');
  const rows = [...filled, ...others].map((row) => row.map(sanitizeLine));
  const width = isTerminal ? Math.max(...rows.map(([name = '']) => name.length)) : 0;
  const gap = isTerminal ? '  ' : '\t';
  return rows.map(([name = '', value]) => `${name.padEnd(width)}${gap}${value}\n`).join('');
}

async function withService<Result>(
  run: Run,
  use: (client: Client, options: ReadOptions) => Promise<Result>,
): Promise<Result> {
  const { signal } = run.context;
  const service = await openService(run, { command: 'models' });
  const activity = createActivity(run);
  activity.waiting('the service');
  try {
    return await use(service.client, { signal, onRetry: (event) => activity.retry(event) });
  } finally {
    activity.settle();
    await service.close();
  }
}

const noModels = 'the service lists no models';

/** Prints the models of the service that contain the text, or all without one. @throws Failure `not_found` */
async function printModels(started: StartedRun<JsonOptions>, text?: string): Promise<void> {
  const run = withSettings(started, readSettings);
  const { context, options, presentation } = run;
  const listed = await withService(run, (client, reading) => client.listModels(reading));
  const records =
    text === undefined ? listed : listed.filter((one) => showsText(describeModel(one), text));
  if (text !== undefined && records.length === 0) {
    throw new Failure('not_found', `no match for "${text}" in ${countOf(listed.length, 'model')}`, {
      hint: listed.length === 0 ? noModels : '‹natter models list› shows the available models',
    });
  }
  if (options.json === true) return printJson(context, records.map(modelDocument));
  const { isTerminal } = context.streams.stdout;
  const rows = records.map((record) => modelCells(describeModel(record), isTerminal));
  if (rows.length > 0) await printTable(run, modelColumns, rows);
  else presentation.notices.notice(noModels);
  if (isTerminal && rows.some(hasCatalogueMark)) presentation.notices.notice(catalogueNote);
}

export const listModels: Action<JsonOptions> = (run) => printModels(run);

export const searchModels: Action<JsonOptions, [text: string]> = async (run, text) => {
  if (text === '') throw new Failure('usage', 'the search text is empty');
  return printModels(run, text);
};

/** Runs `natter models get <model>`. @throws Failure `not_found` with the listed ids in its hint */
export const getModel: Action<JsonOptions, [id: string]> = async (started, id) => {
  const run = withSettings(started, readSettings);
  const { context, options } = run;
  const record = await withService(run, async (client, reading) => {
    try {
      return await client.getModel(id, reading);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
      // Some servers have no endpoint for a single model.
      const records = await client.listModels({ signal: context.signal }).catch(() => {
        throw error;
      });
      const found = records.find((one) => one.id === id);
      if (found !== undefined) return found;
      const ids = records.map((one) => one.id).join(', ');
      const hint = ids === '' ? noModels : `the models are ${ids}`;
      throw rephrase(error, { hint, cause: error });
    }
  });
  if (options.json === true) return printJson(context, modelDocument(record));
  const { stdout } = context.streams;
  await stdout.write(modelFields(record, stdout.isTerminal));
};
