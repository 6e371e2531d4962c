import { definedFields, filledText, firstField, isJsonObject } from '../../json.ts';
import { catalogue, type ModelRecord } from '../contract.ts';

/** A model's properties; unknown ones are absent. */
export type ModelDescription = ReturnType<typeof describeModel>;

/** Fields in which services report the context window of a model, the most specific first. */
export const windowFields = [
  'context_window',
  'contextWindow',
  'context_length',
  'contextLength',
  'max_context_length',
  'max_context_window_tokens',
  'max_model_len',
  'context_size',
  'n_ctx',
  'n_ctx_train',
  'inputTokenLimit',
  'max_input_tokens',
  'context',
];
/** Fields in which services report the typical time to the first token. */
const latencyFields = [
  'latency_ms',
  'latencyMs',
  'typical_latency_ms',
  'typicalLatencyMs',
  'typical_latency',
  'typicalLatency',
  'latency',
];
const purposeFields = ['purpose', 'description', 'summary'];

/** Nested records that have limits on some services. */
const groups = ['limits', 'capabilities', 'metadata', 'meta', 'details', 'top_provider'];

/** Reads a positive number, also with a unit: `128K`, `1M tokens`, `about 18 ms`, `0.02 s`. */
function readQuantity(value: unknown, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value > 0 ? value : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const [, digits = '', unit = ''] = /(\d[\d,_]*(?:\.\d+)?)\s*([a-z]*)/i.exec(value) ?? [];
  const number = Number(digits.replace(/[,_]/g, '')) * (units[unit.toLowerCase()] ?? 1);
  return number > 0 ? number : undefined;
}

const tokenUnits = { k: 1000, m: 1_000_000 };
const timeUnits = { s: 1000, sec: 1000, second: 1000, seconds: 1000 };

const readText = (value: unknown) => filledText(typeof value === 'string' ? value.trim() : value);

/**
 * Reads a record's properties under their usual names; the contract's catalogue supplies missing ones.
 * @returns the window in tokens, the typical milliseconds to the first token, and the properties from the catalogue
 */
export function describeModel(record: ModelRecord) {
  const inner = groups.map((group) => record[group]).filter(isJsonObject);
  const limits = inner.map((group) => group['limits']).filter(isJsonObject);
  const records = [record, ...inner, ...limits];
  const entry = catalogue.find(({ id }) => id === record.id);
  const stated = definedFields({
    contextWindow: firstField(records, windowFields, (value) => readQuantity(value, tokenUnits)),
    latency: firstField(records, latencyFields, (value) => readQuantity(value, timeUnits)),
    purpose: firstField(records, purposeFields, readText),
  });
  const published = definedFields({
    contextWindow: entry?.contextWindow,
    latency: entry?.typicalLatency,
    purpose: entry?.purpose,
  });
  const fromCatalogue = Object.keys(published).filter((name) => !(name in stated));
  return { id: record.id, ...published, ...stated, fromCatalogue };
}
