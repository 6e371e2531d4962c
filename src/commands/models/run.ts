import type { Client, ReadOptions } from '../../client/client.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { describeModel } from '../../client/models/model-description.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { countOf } from '../../output/figures.ts';
import type { Context, JsonOptions, Run } from '../../run.ts';
import { printJson, printTable } from '../../output/print-data.ts';
import { openService } from '../../ask/service.ts';
import { readSettings, startRun } from '../../settings/read-settings.ts';

import {
  catalogueNote,
  hasCatalogueMark,
  modelCells,
  modelColumns,
  modelDocument,
  modelFields,
  showsText,
} from './model-text.ts';

/** Opens the service, shows activity while `use` runs, and closes the service. */
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

const readModels = (run: Run): Promise<readonly ModelRecord[]> =>
  withService(run, (client, reading) => client.listModels(reading));

async function printModels(
  { context, options, presentation }: Run<JsonOptions>,
  records: readonly ModelRecord[],
): Promise<void> {
  if (options.json === true) return printJson(context, records.map(modelDocument));
  const { isTerminal } = context.streams.stdout;
  const rows = records.map((record) => modelCells(describeModel(record), isTerminal));
  if (rows.length > 0) await printTable(context, presentation, modelColumns, rows);
  if (isTerminal && rows.some(hasCatalogueMark)) presentation.notices.notice(catalogueNote);
}

export async function listModels(context: Context, options: JsonOptions): Promise<void> {
  const run = await startRun(context, options, readSettings);
  const records = await readModels(run);
  if (records.length === 0 && options.json !== true) run.presentation.notices.notice(noModels);
  await printModels(run, records);
}

/** Runs `natter models search <text>`. @throws Failure `not_found` if no model contains the text */
export async function searchModels(
  context: Context,
  options: JsonOptions,
  text: string,
): Promise<void> {
  if (text === '') throw new Failure('usage', 'the search text is empty');
  const run = await startRun(context, options, readSettings);
  const records = await readModels(run);
  const found = records.filter((record) => showsText(describeModel(record), text));
  if (found.length === 0) {
    const searched = countOf(records.length, 'model');
    throw new Failure('not_found', `no match for "${text}" in ${searched}`, {
      hint: records.length === 0 ? noModels : '‹natter models list› shows the available models',
    });
  }
  await printModels(run, found);
}

/** Runs `natter models get <model>`. @throws Failure `not_found` with the listed ids in its hint */
export async function getModel(context: Context, options: JsonOptions, id: string): Promise<void> {
  const run = await startRun(context, options, readSettings);
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
}
