import fs from 'node:fs';
import { Readable } from 'node:stream';
import type { AnswerCheck } from '../../ask/check.ts';
import type { BatchItem } from '../../batch/input/item.ts';
import type { Selection } from '../../batch/input/select-items.ts';
import { addMerged } from '../../batch/results/result-index.ts';
import { ResultIndex, type IndexedResult } from '../../batch/results/result-index.ts';
import { readResult } from '../../batch/results/write-results.ts';
import { countFailure, emptyTally, itemsLeft, type Tally } from '../../batch/tally.ts';
import { noAnswer } from '../../client/failure/answer-failure.ts';
import { kindOfStatus, readErrorValue } from '../../client/failure/error-body.ts';
import { readAnswer } from '../../client/stream/answer-reader.ts';
import {
  type Batch,
  checkItems,
  openBatch,
  pendingItems,
  readBatch,
  selectItems,
} from './items.ts';
import { outcomeLine } from './output/result.ts';
import { type BatchSink, openSink } from './output/sink.ts';
import { type BatchOptions, resultsFileOf } from './plan.ts';
import { type ItemOutcome, sendChecked } from './sending/send-item.ts';
import { refuseSharedFiles } from './shared-files.ts';
import type { Action } from '../../run.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { Failure } from '../../failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import { fileLines } from '../../batch/results/read-results.ts';
import { isAccepted, parseResultLine, parseResultName } from '../../batch/results/result-line.ts';
import { filledText, isJsonObject, type JsonObject, parseJson } from '../../json.ts';

/** How a result names its item. */
type ItemReference =
  | { readonly index: number; readonly fingerprint: bigint | undefined }
  | { readonly id: string };

/** Finds items by the names that results have for them. */
class ItemNames {
  readonly #fingerprints = new Map<number, bigint | undefined>();
  readonly #ids = new Map<string, number>();

  /** @param fingerprint undefined for an item that cannot be sent */
  add(index: number, id: string | undefined, fingerprint: bigint | undefined): void {
    this.#fingerprints.set(index, fingerprint);
    if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, index);
  }

  /** The index of the item; undefined for none, also if its prompt is a different one. */
  find(reference: ItemReference): number | undefined {
    if ('id' in reference) return this.#ids.get(reference.id);
    const { index, fingerprint } = reference;
    if (!this.#fingerprints.has(index)) return undefined;
    const isSame = fingerprint === undefined || this.#fingerprints.get(index) === fingerprint;
    return isSame ? index : undefined;
  }
}

/**
 * The item of a line of an OpenAI batch output or error file, as vLLM run-batch writes them too, or of natter; undefined
 * for a line that is not a result.
 */
function readReference(
  text: string,
): { readonly reference: ItemReference; readonly isAnswered: boolean } | undefined {
  const own = parseResultLine(text);
  if (own !== undefined) return { reference: own, isAnswered: own.isAnswered };
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const id = filledText(value['custom_id']);
  if (id === undefined || !('response' in value || 'error' in value)) return undefined;
  return { reference: parseResultName(id) ?? { id }, isAnswered: isAccepted(value) };
}

function notResult(name: string, line: number): Failure {
  return new Failure('usage', `line ${line} of ${name} is not a result of a batch`, {
    hint: 'name output and error files of an OpenAI batch or of vllm run-batch, or results of natter',
  });
}

function unknownItem(name: string, line: number, reference: ItemReference): Failure {
  const item =
    'id' in reference
      ? `${JSON.stringify(reference.id)}, which the input does not have`
      : `item ${reference.index} of a different input`;
  return new Failure('usage', `line ${line} of ${name} is the result of ${item}`, {
    hint: 'name the input of these results, with the same --template and --system',
  });
}

/**
 * Reports the result in each line of a file. An item's result may be in several lines.
 * @param name the file's name in messages @param file the number of the file in results
 * @throws Failure `usage` for a line that is not a result, or not of an item; the system's error
 */
function scanForeignResults(
  descriptor: number,
  name: string,
  file: number,
  names: ItemNames,
  onResult: (result: IndexedResult) => void,
): void {
  for (const { number, offset, bytes } of fileLines(descriptor)) {
    const text = bytes.toString();
    if (text.trim() === '') continue;
    const read = readReference(text);
    if (read === undefined) throw notResult(name, number);
    const index = names.find(read.reference);
    if (index === undefined) throw unknownItem(name, number, read.reference);
    const { isAnswered } = read;
    const length = bytes.length + 1;
    onResult({ index, fingerprint: undefined, isAnswered, file, offset, length });
  }
}

/** What an engine returned for a request. */
interface ForeignResponse {
  /** Undefined if no response arrived. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** JSON of the response's body. */
  readonly body: string | undefined;
  /** The error beside or in the response; undefined for an answer. */
  readonly error: unknown;
}

function responseOf({ response, error }: JsonObject): ForeignResponse {
  const { status_code: status, request_id: id, body } = isJsonObject(response) ? response : {};
  const found = error ?? (typeof status === 'number' && status >= 400 ? body : undefined);
  return {
    status: typeof status === 'number' ? status : undefined,
    requestId: filledText(id),
    body: isJsonObject(body) ? JSON.stringify(body) : undefined,
    error: found ?? undefined,
  };
}

/** A result of natter as it is, or the response of another engine. @param text a scanned line with its end */
function parseForeignResult(text: string): string | ForeignResponse {
  const format = parseResultLine(text)?.format;
  if (format === 'jsonl') return text;
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a scanned result is not JSON');
  return responseOf(value);
}

/** Secrets are masked when the result is written. */
const unmasked = (text: string) => text;

function engineFailure({ status, requestId, error }: ForeignResponse): Failure {
  const { message = 'the engine returned no answer', name } = readErrorValue(error, unmasked);
  const isRefused = status !== undefined && status >= 400;
  const cause = isRefused ? String(status) : name;
  const text = cause === undefined || message.includes(cause) ? message : `${message} (${cause})`;
  return new Failure(isRefused ? kindOfStatus(status) : 'server_error', text, {
    ...(isRefused ? { status } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

/** Reads a completion like the response of a service. */
async function readBody(body: string) {
  let content = '';
  let refusal: string | undefined;
  let metadata: AnswerMetadata = { complete: false };
  let failure: Failure | undefined;
  try {
    const bytes = Readable.from([Buffer.from(body)]) as AsyncIterable<Uint8Array>;
    for await (const part of readAnswer(bytes, 'application/json', unmasked)) {
      if (part.type === 'text-received') content += part.text;
      if (part.type === 'refusal-received') refusal = (refusal ?? '') + part.text;
      if (part.type !== 'end') continue;
      const { type: _type, calledTools: _called, ...end } = part;
      metadata = end;
      failure = noAnswer(part, { text: content !== '', refusal: refusal !== undefined });
    }
  } catch (error) {
    failure = toFailure(error);
  }
  return {
    content,
    metadata: { ...metadata, ...(refusal === undefined ? {} : { refusal }) },
    failure,
  };
}

/** The outcome of an item that another engine processed. */
async function importedOutcome(response: ForeignResponse): Promise<ItemOutcome> {
  const isAnswer = response.error === undefined && response.body !== undefined;
  const nothing: Awaited<ReturnType<typeof readBody>> = {
    content: '',
    metadata: { complete: false },
    failure: undefined,
  };
  const isRefused = response.status !== undefined && response.status >= 400;
  // A cut answer has a body beside its error.
  const read = response.body === undefined || isRefused ? nothing : await readBody(response.body);
  const { content, metadata } = read;
  const failure = isAnswer ? read.failure : engineFailure(response);
  return {
    requestedModel: metadata.model ?? '',
    content,
    received: content,
    metadata,
    failure,
    error: failure,
    isStopped: false,
    isStarved: false,
  };
}

/** Names every item of the input. */
async function nameItems(batch: Batch, selection: Selection): Promise<ItemNames> {
  const names = new ItemNames();
  for await (const item of readBatch(batch, batch.context.signal)) {
    const fingerprint = item.problem === undefined ? selection.fingerprint(item) : undefined;
    names.add(item.index, item.id, fingerprint);
  }
  return names;
}

/** Adds the descriptors of the files to `opened`. @throws Failure `usage` */
function readFiles(files: readonly string[], names: ItemNames, opened: number[]): ResultIndex {
  const index = new ResultIndex();
  for (const [file, name] of files.entries()) {
    try {
      const descriptor = fs.openSync(name, 'r');
      opened.push(descriptor);
      scanForeignResults(descriptor, name, file, names, (one) => addMerged(index, one, files));
    } catch (error) {
      throw error instanceof Failure ? error : cannotRead(name, error);
    }
  }
  return index;
}

/** An answer that does not conform is not asked for again. */
async function checkedOutcome(
  outcome: ItemOutcome,
  { content: { messages } }: BatchItem,
  check: AnswerCheck | undefined,
): Promise<ItemOutcome> {
  if (check === undefined || outcome.failure !== undefined) return outcome;
  const request = { model: outcome.requestedModel, messages };
  return sendChecked(
    check,
    request,
    async () => outcome,
    () => false,
  );
}

/** The result in natter's own format. @param text that of the other engine */
async function importResult(
  { context, check }: Batch,
  item: BatchItem,
  fingerprint: bigint,
  text: string,
  isAnswered: boolean,
): Promise<{ readonly line: string; readonly failure: Failure | undefined }> {
  const result = parseForeignResult(text);
  if (typeof result === 'string') {
    const failure = isAnswered ? undefined : new Failure('incomplete', 'not answered');
    return { line: result, failure };
  }
  const outcome = await checkedOutcome(await importedOutcome(result), item, check);
  const line = outcomeLine(context.secrets, item, fingerprint, outcome);
  return { line, failure: outcome.failure };
}

/** Writes the imported results of items without an answer. */
async function writeResults(
  batch: Batch,
  selection: Selection,
  sink: BatchSink,
  tally: Tally,
  results: ResultIndex,
  opened: readonly number[],
): Promise<void> {
  const { signal } = batch.context;
  let sequence = 0;
  for await (const item of pendingItems(batch, selection, tally, signal)) {
    const found = results.get(item.index);
    if (found === undefined || item.problem !== undefined) continue;
    if (sequence === 0) sink.checkFirst(item);
    const fingerprint = selection.fingerprint(item);
    const text = readResult(opened[found.file] ?? -1, found);
    const imported = await importResult(batch, item, fingerprint, text, found.isAnswered);
    const { line, failure } = imported;
    const isAnswered = failure === undefined;
    if (isAnswered) tally.answered += 1;
    else countFailure(tally, failure, item);
    await sink.put(sequence, item, { index: item.index, fingerprint, isAnswered }, line);
    sequence += 1;
    signal.throwIfAborted();
  }
}

/** @throws Failure `incomplete` if items have no answer */
function reportImport(tally: Tally, output: string | undefined, input: string, notices: Notices) {
  const { answered, failed, already, total = 0 } = tally;
  const before = already === 0 ? '' : ` (${count(already)} before)`;
  const failures = failed === 0 ? '' : `, ${count(failed)} failed`;
  const left = itemsLeft(tally) ?? 0;
  const missing = left === 0 ? '' : `, ${count(left)} without a result`;
  const text = `${count(already + answered)} of ${count(total)} items answered${before}${failures}${missing}`;
  if (answered + already === total) return notices.notice(text);
  throw new Failure('incomplete', text, {
    hint:
      output === undefined
        ? 'import with -o FILE; ‹natter batch› with that file then sends what is missing'
        : `‹natter batch ${input} -o ${output}›, with the same options, sends what is missing`,
  });
}

async function importFiles(
  batch: Batch,
  files: readonly string[],
  opened: number[],
): Promise<void> {
  const { context, options, notices, input } = batch;
  let sink: BatchSink | undefined;
  const find = (index: number) => sink?.find(index);
  const selected = await selectItems(batch, resultsFileOf(options), find);
  // The results are of any model.
  const selection = { ...selected, modelOf: () => undefined };
  const results = readFiles(files, await nameItems(batch, selection), opened);
  sink = await openSink(context, notices, options, batch);
  const tally = emptyTally();
  try {
    await checkItems(batch, selection, tally, sink.last);
    await writeResults(batch, selection, sink, tally, results, opened);
    await sink.finish(itemsLeft(tally) === 0, selection.takes);
  } finally {
    await sink.close();
  }
  reportImport(tally, options.output, input.name, notices);
}

/** Joins results of other engines to their input, as results of natter. */
export const importBatch: Action<BatchOptions, [file: string, results: readonly string[]]> = async (
  context,
  options,
  file,
  files,
) => {
  const batch = await openBatch(context, options, file);
  if (!batch.input.isRepeatable) {
    const message = 'natter batch import needs a named input file, which it reads twice';
    throw new Failure('usage', message, {
      hint: 'for example: ‹natter batch import prompts.csv output.jsonl -o answers.jsonl›',
    });
  }
  if (options.output !== undefined) refuseReservedName(options.output, context.platform);
  for (const name of [file, ...files]) refuseSharedFiles(options, name, context.environment);
  const opened: number[] = [];
  try {
    await importFiles(batch, files, opened);
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor);
  }
};
