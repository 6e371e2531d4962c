import { Failure } from '../../failure.ts';
import { filledText, isJsonObject, type JsonObject } from '../../json.ts';
import type { ModelRecord } from '../contract.ts';

function readId(record: JsonObject): string | undefined {
  for (const field of ['id', 'name', 'model']) {
    const value = filledText(record[field]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function readRecord(value: unknown): ModelRecord | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { id: value };
  if (!isJsonObject(value)) return undefined;
  const id = readId(value);
  return id === undefined ? undefined : { ...value, id };
}

/** The lists in a response, the one that is read first in front; undefined where there is none. */
function findLists(value: unknown): readonly unknown[][] | undefined {
  if (Array.isArray(value)) return [value];
  if (!isJsonObject(value)) return undefined;
  const lists = [value['data'], value['models']].filter((list) => Array.isArray(list));
  if (lists.length > 0) return lists;
  return isJsonObject(value['data']) ? findLists(value['data']) : undefined;
}

/**
 * Reads the response of `GET /v1/models`, whose shape the contract leaves open: a list of ids or records, bare or
 * as `data` or `models`. A model in both lists has the fields of both, those of `data` first. Entries without an
 * id, `name` or `model` are dropped; all other fields are kept as they are.
 * @throws Failure `server_error` when there is no list.
 */
export function parseModelList(value: unknown): readonly ModelRecord[] {
  const lists = findLists(value);
  if (lists === undefined) {
    throw new Failure(
      'server_error',
      "the service's list of models has a shape natter cannot read",
    );
  }
  const models = new Map<string, ModelRecord>();
  for (const entry of lists.flat()) {
    const record = readRecord(entry);
    if (record !== undefined) models.set(record.id, { ...record, ...models.get(record.id) });
  }
  return [...models.values()];
}

function unwrap(value: unknown): unknown {
  if (!isJsonObject(value) || typeof value['id'] === 'string') return value;
  for (const field of ['data', 'model']) {
    const inner = value[field];
    if (Array.isArray(inner)) return inner[0];
    if (isJsonObject(inner)) return inner;
  }
  return value;
}

/**
 * Reads the response of `GET /v1/models/{model}`: a record, bare or as `data` or `model`. `requestedId` names the
 * model when the record does not.
 * @throws Failure `server_error` when there is no record, or none with an id.
 */
export function parseModelRecord(value: unknown, requestedId?: string): ModelRecord {
  const inner = unwrap(value);
  const record = readRecord(inner);
  if (record !== undefined) return record;
  if (isJsonObject(inner) && requestedId !== undefined) return { ...inner, id: requestedId };
  throw new Failure('server_error', "the service's model record has a shape natter cannot read");
}
