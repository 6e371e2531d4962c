// The context windows that earlier runs learned from services: `models.json` of the state folder has them by address and
// model.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { type Notices, silentNotices } from '../output/notices.ts';
import { replaceFile } from '../storage/files.ts';
import { errorCode } from '../storage/storage-failure.ts';
import { resolveFolders, type FolderFacts } from './folders.ts';
import type { ResolvedSettings } from './resolved-settings.ts';

type ModelWindows = ReadonlyMap<string, number>;

/** Maximum number of services; the least recently changed is dropped first. */
const maxServices = 20;
const maxModels = 2_000;

/** The same address may be written with or without a slash or `/v1`. */
const addressOf = (baseUrl: string) => baseUrl.trim().replace(/(?:\/v1)?\/*$/, '');

function fileOf(context: FolderFacts): string | undefined {
  const { state } = resolveFolders(context);
  return state === undefined ? undefined : join(state, 'models.json');
}

/** Reads the file. A missing or damaged one is empty, and then the catalogue is used; `notices` name a damaged one. */
function readFile(file: string, notices = silentNotices): JsonObject {
  try {
    const value = parseJson(readFileSync(file, 'utf8'));
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {};
  }
  notices.notice(`${file} could not be read; the windows of models are learned again`);
  return {};
}

/** Reads the windows that earlier runs learned from the service at this address. */
export function readWindows(
  context: FolderFacts,
  baseUrl: string | undefined,
  notices: Notices,
): ModelWindows {
  const file = fileOf(context);
  if (baseUrl === undefined || file === undefined) return new Map();
  const models = readFile(file, notices)[addressOf(baseUrl)];
  const isWindow = (entry: [string, unknown]): entry is [string, number] =>
    Number.isSafeInteger(entry[1]) && Number(entry[1]) > 0;
  return new Map(Object.entries(isJsonObject(models) ? models : {}).filter(isWindow));
}

/** Stores the windows of the service at this address. @param writer the id of the process @throws Failure `storage` */
export function writeWindows(
  context: FolderFacts,
  baseUrl: string,
  windows: ModelWindows,
  writer: number,
): void {
  const file = fileOf(context);
  if (file === undefined) return;
  const { [addressOf(baseUrl)]: _, ...others } = readFile(file);
  const kept = Object.entries(others).slice(1 - maxServices);
  const models = Object.fromEntries([...windows].slice(0, maxModels));
  const document = Object.fromEntries([...kept, [addressOf(baseUrl), models]]);
  replaceFile(file, `${JSON.stringify(document, undefined, 2)}\n`, writer);
}

/** Returns the windows, or that of the setting `window` for every model. */
export function withWindow(
  windows: ModelWindows,
  { window }: ResolvedSettings['values'],
): ModelWindows {
  return window === undefined ? windows : Object.assign(new Map(windows), { get: () => window });
}
