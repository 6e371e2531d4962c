import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { DebugLog } from '../print/presentation.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';
import type { TokenRatio, TokenRatios } from '../../conversation/token-estimate.ts';
import {
  type KnownModel,
  type KnownModels,
  maxModels,
  medianOf,
  readKnownModels,
  withKnownModels,
} from '../../settings/model-windows.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';

const noWindows: ModelWindows = new Map();

/** Undefined without a state folder. */
export function modelsFile(context: FolderFacts): string | undefined {
  const { state } = resolveFolders(context);
  return state === undefined ? undefined : join(state, 'models.json');
}

function ratioOf({ ascii, other }: KnownModel): TokenRatio {
  return { ascii: medianOf(ascii), other: medianOf(other) };
}

interface Known {
  readonly windows: ModelWindows;
  readonly ratios: TokenRatios;
}

/** What earlier runs learned about the models of the service at this address. */
export function readKnown(context: FolderFacts, baseUrl: string | undefined): Known {
  const windows = new Map<string, number>();
  const ratios = new Map<string, TokenRatio>();
  const file = baseUrl === undefined ? undefined : modelsFile(context);
  if (baseUrl === undefined || file === undefined) return { windows, ratios };
  for (const [id, model] of readKnownModels(file, baseUrl)) {
    if (model.window !== undefined) windows.set(id, model.window);
    ratios.set(id, ratioOf(model));
  }
  return { windows, ratios };
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
  known: ModelWindows,
): Promise<ModelWindows> {
  const { describeModel } = await import('../../client/models/model-description.ts');
  const windows = new Map(others);
  for (const record of records.slice(0, maxModels)) {
    // A service that reports no window may have named it when it refused a prompt.
    const { contextWindow = known.get(record.id) } = describeModel(record);
    if (contextWindow !== undefined) windows.set(record.id, Math.floor(contextWindow));
  }
  return windows;
}

function isSame(left: ModelWindows, right: ModelWindows): boolean {
  return left.size === right.size && [...left].every(([id, window]) => right.get(id) === window);
}

type WritingContext = FolderFacts & Pick<Context, 'process'>;

function withWindows(models: KnownModels, windows: ModelWindows): KnownModels {
  const ids = [...new Set([...windows.keys(), ...models.keys()])].slice(0, maxModels);
  const next = ids.map((id): [string, KnownModel] => {
    const { window: _, ...samples } = models.get(id) ?? {};
    const window = windows.get(id);
    return [id, window === undefined ? samples : { window, ...samples }];
  });
  return new Map(next.filter(([, model]) => Object.keys(model).length > 0));
}

/** Writes the windows to disk, unless saving is off. */
async function save(
  context: WritingContext,
  log: DebugLog,
  { baseUrl, save: isSaving }: ResolvedSettings['values'],
  windows: ModelWindows,
): Promise<void> {
  const file = modelsFile(context);
  if (!isSaving || baseUrl === undefined || file === undefined) return;
  const { replaceFile } = await import('../../storage/state-file.ts');
  try {
    const content = withKnownModels(file, baseUrl, (models) => withWindows(models, windows));
    replaceFile(file, content, context.process.id);
  } catch (error) {
    log(`the context windows of the models are not saved: ${String(error)}`);
  }
}

interface LearningClient {
  readonly client: Client;
  readonly windows: () => ModelWindows;
}

export function learnWindows(
  context: WritingContext,
  log: DebugLog,
  { values, windows: known = noWindows }: ResolvedSettings,
  client: Client,
): LearningClient {
  // Without the setting `window`.
  let windows: ModelWindows = new Map(known);
  async function learn(records: readonly ModelRecord[], others: ModelWindows): Promise<void> {
    const next = await windowsIn(records, others, new Map(windows));
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
