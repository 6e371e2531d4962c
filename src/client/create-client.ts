import { Failure } from '../failure.ts';
import {
  definedFields,
  filledText,
  firstField,
  isJsonObject,
  isTooDeep,
  type JsonObject,
  jsonProblem,
  parseJson,
} from '../json.ts';
import type { ChatOptions, Client, ClientOptions, ReadOptions } from './client.ts';
import { configure, type Sender } from './configuration.ts';
import { completionBody, type CompletionRequest, type ModelRecord } from './contract.ts';
import type { ChatEvent } from './events.ts';
import { cutAnswer, malformedJson, noAnswer } from './failure/answer-failure.ts';
import { rephrase } from './failure/change-failure.ts';
import { requestIdOf, requireAccepted } from './failure/service-failure.ts';
import { watchIdle } from './http/timer.ts';
import type { HttpResponse } from './http/transport.ts';
import { withRetries } from './retry.ts';
import { readAnswer } from './stream/answer-reader.ts';

/** @throws Failure `configuration` for invalid options */
export function createClient(options: ClientOptions): Client {
  const configuration = configure(options);
  const network = options.network(configuration.route, configuration.limits, configuration.clock);
  const send = options.transport?.(network.send) ?? network.send;
  const closing = new AbortController();
  const sender: Sender = { ...configuration, send, closed: closing.signal };
  return {
    chat: (request, callOptions) => chat(sender, request, callOptions),
    listModels: (readOptions) => listModels(sender, readOptions),
    getModel: (id, readOptions) => getModel(sender, id, readOptions),
    close() {
      closing.abort(new Failure('unexpected', 'the client was closed'));
      network.close();
    },
  };
}

async function* chat(
  sender: Sender,
  completion: CompletionRequest,
  options: ChatOptions = {},
): AsyncGenerator<ChatEvent, void> {
  const { clock, mask } = sender;
  const { throttle } = options;
  const start = clock.monotonic();
  const request = sender.request('chat/completions', completionBody(completion));

  /**
   * Sends the request once, as attempt number `attempt` (from 1), and yields the events of its answer.
   * @throws Failure where a retry is safe, Failure `incomplete` after content was received or for an answer
   * without any, Failure `no_answer` after the end of a filtered answer, a tool call or a refusal; or the signal's
   * reason when the caller aborts.
   */
  async function* sendOnce(attempt: number, signal: AbortSignal): AsyncGenerator<ChatEvent, void> {
    if (throttle !== undefined) await throttle.beforeRequest();
    const response = await sender.send(request, signal);
    throttle?.onResponse(response);
    await requireAccepted(request, response, sender, signal);
    const requestId = requestIdOf(response.headers, mask);
    const watch = watchIdle(sender, response);
    const contentType = response.headers['content-type'];
    let firstText: number | undefined;
    let hasContent = false;
    let hasRefusal = false;
    let isBodyTaken = false;
    try {
      // The time that the caller spends on an event is not silence of the service.
      watch.stop();
      yield { type: 'answer-started', attempt, ...definedFields({ requestId }) };
      watch.touch();
      isBodyTaken = true;
      const parts = readAnswer(response.body, contentType, mask, () => watch.touch());
      for await (const part of parts) {
        // What was read before an abort is not delivered after it.
        signal.throwIfAborted();
        watch.stop();
        if (part.type === 'end') {
          const { id, model, finishReason, usage } = part;
          if (!part.complete) {
            const message =
              'the stream ended without a finish_reason or [DONE], so the service or a proxy cut it off';
            throw new Failure('server_error', message, { transient: true });
          }
          // A stream of `[DONE]` alone is not retried: the service may have billed an answer that got lost.
          if (!hasContent && !part.calledTools && finishReason === undefined) {
            const message =
              'the answer is incomplete: the service sent neither text nor a finish_reason';
            const hint = 'send the prompt again';
            throw new Failure('incomplete', message, { remedy: { code: 'send-again' }, hint });
          }
          yield {
            type: 'answer-finished',
            ...definedFields({ id, model, finishReason, usage }),
            attempts: attempt,
            timing: { ...definedFields({ firstText }), total: clock.monotonic() - start },
          };
          const failure = noAnswer(part, { text: firstText !== undefined, refusal: hasRefusal });
          if (failure !== undefined) throw failure;
          return;
        }
        if (part.type !== 'answer-named') hasContent = true;
        if (part.type === 'refusal-received') hasRefusal = true;
        if (part.type === 'text-received') firstText ??= clock.monotonic() - start;
        yield part;
        watch.touch();
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'no_answer') throw rephrase(error, { requestId });
      throw cutAnswer(error, hasContent, requestId);
    } finally {
      watch.stop();
      if (!isBodyTaken) response.destroy(new Error('the caller stopped reading the answer'));
    }
  }

  yield* withRetries(sender, options, sendOnce);
}

const maxBody = 16 * 1024 * 1024;

/** Reads `GET /v1/models`. @throws Failure */
async function listModels(sender: Sender, options?: ReadOptions) {
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
async function getModel(sender: Sender, id: string, options?: ReadOptions) {
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
  const problem = "the service's list of models has a shape natter cannot read";
  if (lists === undefined) throw new Failure('server_error', problem);
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
 * @throws Failure `server_error` when there is no record.
 */
export function parseModelRecord(value: unknown, requestedId: string): ModelRecord {
  const { id, data, model }: JsonObject = isJsonObject(value) ? value : {};
  const isWrapped = (field: unknown) => Array.isArray(field) || isJsonObject(field);
  const inner = typeof id === 'string' ? undefined : [data, model].find(isWrapped);
  const [found]: unknown[] = inner === undefined ? [value] : [inner].flat();
  const record = readRecord(found);
  if (record !== undefined) return record;
  if (isJsonObject(found)) return { ...found, id: requestedId };
  throw new Failure('server_error', "the service's model record has a shape natter cannot read");
}
