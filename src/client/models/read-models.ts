import { Failure } from '../../failure.ts';
import {
  filledText,
  firstField,
  isJsonObject,
  isTooDeep,
  type JsonObject,
  jsonProblem,
  parseJson,
} from '../../json.ts';
import type { ReadOptions } from '../client.ts';
import type { Sender } from '../configuration.ts';
import type { ModelRecord } from '../contract.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import { requireAccepted } from '../failure/service-failure.ts';
import { watchIdle } from '../http/timer.ts';
import type { HttpResponse } from '../http/transport.ts';
import { withRetries } from '../retry.ts';

const maxBody = 16 * 1024 * 1024;

/** Reads `GET /v1/models`. @throws Failure */
export async function listModels(sender: Sender, options?: ReadOptions) {
  const list = async (path: string) => parseModelList(await read(sender, path, options));
  try {
    return await list('models');
  } catch (error) {
    // GitHub Models has its list beside its API.
    const hasCatalogue = sender.request('models').url.pathname.endsWith('/inference/models');
    const isMissing = error instanceof Failure && error.kind === 'not_found';
    if (hasCatalogue && isMissing) return list('/catalog/models');
    throw error;
  }
}

/** Reads `GET /v1/models/{model}`. @throws Failure, kind `not_found` for an id the service does not know */
export async function getModel(sender: Sender, id: string, options?: ReadOptions) {
  // In a path, these are the list of models or its parent.
  if (/^\.{0,2}$/.test(id)) throw new Failure('not_found', `there is no model "${id}"`);
  const value = await read(sender, `models/${encodeURIComponent(id)}`, options);
  // LM Studio answers with status 200 and an error, because it has only the list.
  if (isJsonObject(value) && value['error'] != null) {
    throw new Failure('not_found', `the service has no record of the model "${id}"`);
  }
  return parseModelRecord(value, id);
}

/** Requests a document, with retries. @param path relative to the API */
async function read(sender: Sender, path: string, options: ReadOptions = {}): Promise<unknown> {
  const events = withRetries(sender, options, async function* attempt(_number, signal) {
    const request = sender.request(path);
    const response = await sender.send(request, signal);
    await requireAccepted(request, response, sender, signal);
    yield { value: parseBody(await readText(response, sender), path) };
  });
  for await (const event of events) {
    if ('value' in event) return event.value;
    options.onRetry?.(event);
  }
  return undefined;
}

async function readText(response: HttpResponse, sender: Sender): Promise<string> {
  const watch = watchIdle(sender, response);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body) {
      watch.touch();
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > maxBody) throw new Failure('server_error', 'the answer is longer than 16 MB');
    }
  } finally {
    watch.stop();
  }
  return Buffer.concat(chunks).toString();
}

/** @throws Failure that does not quote the body, which may be a whole page */
function parseBody(text: string, path: string): unknown {
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  if (value !== undefined) return value;
  // Model records are printed whole, and deep nesting overflows the stack.
  const problem = `the service's response to ${path} ${jsonProblem(text)}`;
  const isCut = /^\s*[[{]/.test(text) && !isTooDeep(text);
  if (isCut) throw malformedJson(problem, text.length);
  throw new Failure('server_error', problem, { remedy: { code: 'check-base-url' } });
}

function readRecord(value: unknown): ModelRecord | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { id: value };
  if (!isJsonObject(value)) return undefined;
  const id = firstField([value], ['id', 'name', 'model'], filledText);
  return id === undefined ? undefined : { ...value, id };
}

/** Finds the lists in a response, in the order of precedence; undefined where there is none. */
function findLists(value: unknown): readonly unknown[][] | undefined {
  if (Array.isArray(value)) return [value];
  if (!isJsonObject(value)) return undefined;
  const lists = [value['data'], value['models']].filter((list) => Array.isArray(list));
  if (lists.length > 0) return lists;
  return isJsonObject(value['data']) ? findLists(value['data']) : undefined;
}

/**
 * Parses the response of `GET /v1/models`, whose shape the contract does not define: a list of ids or records, bare or
 * in `data` or `models`. A model in both lists has the fields of both; those in `data` win. Entries without an id,
 * `name` or `model` are dropped; all other fields are kept as they are.
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

/**
 * Parses the response of `GET /v1/models/{model}`: a record, bare or in `data` or `model`. A record without an id gets
 * `requestedId`.
 * @throws Failure `server_error` when there is no record, or none with an id.
 */
export function parseModelRecord(value: unknown, requestedId?: string): ModelRecord {
  const { id, data, model }: JsonObject = isJsonObject(value) ? value : {};
  const isWrapped = (field: unknown) => Array.isArray(field) || isJsonObject(field);
  const inner = typeof id === 'string' ? undefined : [data, model].find(isWrapped);
  const [found]: unknown[] = inner === undefined ? [value] : [inner].flat();
  const record = readRecord(found);
  if (record !== undefined) return record;
  if (isJsonObject(found) && requestedId !== undefined) return { ...found, id: requestedId };
  throw new Failure('server_error', "the service's model record has a shape natter cannot read");
}
