// `models.json` of the state folder: what is known about the models of services, by address.
import { readFileSync } from 'node:fs';
import { isJsonObject, parseJson } from '../json.ts';

/** Samples have tokens per character, oldest first. */
export interface KnownModel {
  /** In tokens. */
  readonly window?: number;
  /** Of ASCII characters. */
  readonly ascii?: readonly number[];
  /** Of all other characters. */
  readonly other?: readonly number[];
}

/** By model id. */
export type KnownModels = ReadonlyMap<string, KnownModel>;

/** Maximum number of services; the least recently changed is dropped first. */
const maxServices = 20;
/** Maximum number of models of one service. */
export const maxModels = 2_000;
/** Samples kept of each kind of characters, and those that a ratio needs. */
export const maxSamples = 9;
const enoughSamples = 3;
/** Tokens per character that a usual tokenizer and text may have. */
export const isRatio = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0.1 && value <= 1.5;

/** The same address may be written with or without a slash or `/v1`. */
const addressOf = (baseUrl: string) => baseUrl.trim().replace(/(?:\/v1)?\/*$/, '');

function modelOf(value: unknown): KnownModel | undefined {
  const fields = isJsonObject(value) ? value : { window: value };
  const [ascii, other] = [fields['ascii'], fields['other']].map((samples) =>
    Array.isArray(samples) ? samples.filter(isRatio).slice(-maxSamples) : [],
  );
  const window = Number.isSafeInteger(fields['window']) ? Number(fields['window']) : 0;
  const model = {
    ...(window > 0 && { window }),
    ...(ascii?.length && { ascii }),
    ...(other?.length && { other }),
  };
  return Object.keys(model).length > 0 ? model : undefined;
}

function modelsOf(value: unknown): KnownModels {
  if (!isJsonObject(value)) return new Map();
  const entries = Object.entries(value).map(([id, model]) => [id, modelOf(model)] as const);
  const valid = entries.filter(([, model]) => model !== undefined);
  return new Map(valid.slice(0, maxModels) as [string, KnownModel][]);
}

/** Empty for a missing, unreadable or malformed file: the catalogue is used then. */
function readAll(file: string): ReadonlyMap<string, KnownModels> {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return new Map();
  }
  const value = parseJson(text);
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.entries(value).map(([address, models]) => [address, modelsOf(models)]));
}

/** What is known about the models of the service at this base URL. */
export function readKnownModels(file: string, baseUrl: string): KnownModels {
  return readAll(file).get(addressOf(baseUrl)) ?? new Map();
}

/** The lower median; undefined for too few samples. */
export function medianOf(samples: readonly number[] = []): number | undefined {
  if (samples.length < enoughSamples) return undefined;
  return samples.toSorted((left, right) => left - right)[(samples.length - 1) >> 1];
}

/** A model with nothing but a window is a number. */
const documentOf = (model: KnownModel) =>
  model.ascii === undefined && model.other === undefined ? model.window : model;

/** The new content of the file, with the models of this service replaced. */
export function withKnownModels(
  file: string,
  baseUrl: string,
  change: (models: KnownModels) => KnownModels,
): string {
  const address = addressOf(baseUrl);
  const all = readAll(file);
  const others = [...all].filter(([other]) => other !== address);
  const changed = change(all.get(address) ?? new Map());
  const kept = [...others.slice(1 - maxServices), [address, changed] as const];
  const document = Object.fromEntries(
    kept.map(([service, models]) => [
      service,
      Object.fromEntries([...models].map(([id, model]) => [id, documentOf(model)])),
    ]),
  );
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
