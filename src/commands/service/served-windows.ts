import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { DebugLog } from '../../output/debug-log.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';
import { maxModels, readModelWindows, withModelWindows } from '../../settings/model-windows.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';

const noWindows: ModelWindows = new Map();

function fileOf(context: FolderFacts): string | undefined {
  const { state } = resolveFolders(context);
  return state === undefined ? undefined : join(state, 'models.json');
}

/** The windows that the service at this address reported in earlier runs. */
export function readServedWindows(context: FolderFacts, baseUrl: string | undefined): ModelWindows {
  const file = baseUrl === undefined ? undefined : fileOf(context);
  if (baseUrl === undefined || file === undefined) return noWindows;
  return readModelWindows(file, baseUrl);
}

/** The windows, or that of the setting `window` for every model. */
export function withWindow(
  windows: ModelWindows,
  { window }: Pick<ResolvedSettings['values'], 'window'>,
): ModelWindows {
  return window === undefined ? windows : Object.assign(new Map(windows), { get: () => window });
}

async function windowsIn(
  records: readonly ModelRecord[],
  others: ModelWindows,
): Promise<ModelWindows> {
  const { describeModel } = await import('../../client/models/model-description.ts');
  const windows = new Map(others);
  for (const record of records.slice(0, maxModels)) {
    const { contextWindow } = describeModel(record);
    if (contextWindow !== undefined) windows.set(record.id, Math.floor(contextWindow));
  }
  return windows;
}

function isSame(left: ModelWindows, right: ModelWindows): boolean {
  return left.size === right.size && [...left].every(([id, window]) => right.get(id) === window);
}

/** Writes the windows to disk, unless saving is off. */
async function save(
  context: FolderFacts,
  log: DebugLog,
  { baseUrl, save: isSaving }: ResolvedSettings['values'],
  windows: ModelWindows,
): Promise<void> {
  const file = fileOf(context);
  if (!isSaving || baseUrl === undefined || file === undefined) return;
  const { replaceFile } = await import('../../storage/state-file.ts');
  try {
    replaceFile(file, withModelWindows(file, baseUrl, windows));
  } catch (error) {
    log(`the context windows of the models are not saved: ${String(error)}`);
  }
}

interface LearningClient {
  readonly client: Client;
  readonly windows: () => ModelWindows;
}

export function learnWindows(
  context: FolderFacts,
  log: DebugLog,
  { values, windows: known = noWindows }: ResolvedSettings,
  client: Client,
): LearningClient {
  let windows = known;
  async function learn(records: readonly ModelRecord[], others: ModelWindows): Promise<void> {
    const next = await windowsIn(records, others);
    if (isSame(next, windows)) return;
    windows = next;
    await save(context, log, values, windows);
  }
  return {
    windows: () => withWindow(windows, values),
    client: {
      ...client,
      async listModels(options) {
        const records = await client.listModels(options);
        await learn(records, noWindows);
        return records;
      },
      async getModel(id, options) {
        const record = await client.getModel(id, options);
        await learn([record], windows);
        return record;
      },
    },
  };
}
