// `models.json` of the state folder: the context windows of models as services reported them, by address.
import { readFileSync } from 'node:fs';
import { isJsonObject, parseJson } from '../json.ts';

/** Windows in tokens by model id. */
type Windows = ReadonlyMap<string, number>;

/** Maximum number of services; the least recently changed is dropped first. */
const maxServices = 20;
/** Maximum number of models of one service. */
export const maxModels = 2_000;

/** The same address may be written with or without a slash or `/v1`. */
const addressOf = (baseUrl: string) => baseUrl.trim().replace(/\/+$/, '').replace(/\/v1$/, '');

function windowsOf(value: unknown): Windows {
  if (!isJsonObject(value)) return new Map();
  const isCount = (count: unknown) => Number.isSafeInteger(count) && Number(count) > 0;
  const entries = Object.entries(value).filter(([, count]) => isCount(count));
  return new Map(entries.slice(0, maxModels) as [string, number][]);
}

/** Empty for a missing, unreadable or malformed file: the catalogue is used then. */
function readAll(file: string): ReadonlyMap<string, Windows> {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return new Map();
  }
  const value = parseJson(text);
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.entries(value).map(([address, windows]) => [address, windowsOf(windows)]));
}

/** The windows that the service at this base URL reported earlier. */
export function readModelWindows(file: string, baseUrl: string): Windows {
  return readAll(file).get(addressOf(baseUrl)) ?? new Map();
}

/** The new content of the file, with the windows of this service replaced. */
export function withModelWindows(file: string, baseUrl: string, windows: Windows): string {
  const address = addressOf(baseUrl);
  const others = [...readAll(file)].filter(([other]) => other !== address);
  const kept = [...others.slice(1 - maxServices), [address, windows] as const];
  const document = Object.fromEntries(
    kept.map(([service, models]) => [service, Object.fromEntries(models)]),
  );
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
