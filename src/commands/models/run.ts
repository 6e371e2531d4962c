import type { Client, ReadOptions } from '../../client/client.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { describeModel } from '../../client/models/model-description.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { countOf } from '../../output/figures.ts';
import type { Action, JsonOptions, Run, StartedRun } from '../../run.ts';
import { printJson, printTable } from '../../output/print-data.ts';
import { openService } from '../../ask/service.ts';
import { readSettings, withSettings } from '../../settings/read-settings.ts';
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

/** Runs `natter models search <text>`. */
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
