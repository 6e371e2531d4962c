import fs from 'node:fs';
import { Readable } from 'node:stream';
import type { BatchItem } from '../../batch/input/item.ts';
import { readResult } from '../../batch/results/write-results.ts';
import { countFailure, emptyTally, itemsLeft, type Tally } from '../../batch/tally.ts';
import { noAnswer } from '../../client/failure/answer-failure.ts';
import { kindOfStatus, readErrorValue } from '../../client/failure/error-body.ts';
import { readAnswer } from '../../client/stream/answer-reader.ts';
import { type Batch, checkItems, openBatch, pendingItems, selectItems } from './items.ts';
import { openSink, outcomeLine } from './output.ts';
import { type BatchOptions, refuseSharedFiles, resultsFileOf } from './plan.ts';
import { itemFingerprint, sendChecked } from './sending/send-item.ts';
import type { Action } from '../../run.ts';
import { Failure } from '../../failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import { fileLines, indexFiles } from '../../batch/results/read-results.ts';
import {
  isAccepted,
  parseResultLine,
  parseResultName,
  resultName,
} from '../../batch/results/result-line.ts';
import { definedFields, filledText, isJsonObject, type JsonObject, parseJson } from '../../json.ts';

/**
 * The name of the item in a line of an OpenAI batch output or error file, as vLLM run-batch writes them too, or of natter;
 * undefined for a line that is not a result.
 */
function readName(
  text: string,
): { readonly item: string; readonly isAnswered: boolean } | undefined {
  const own = parseResultLine(text);
  if (own !== undefined) {
    return { item: resultName(own.index, own.fingerprint), isAnswered: own.isAnswered };
  }
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const item = filledText(value['custom_id']);
  if (item === undefined || !('response' in value || 'error' in value)) return undefined;
  return { item, isAnswered: isAccepted(value) };
}

/** Secrets are masked when the result is written. */
const unmasked = (text: string) => text;

/** Reads a completion like the response of a service. */
async function readCompletion(body: JsonObject) {
  let content = '';
  let refusal: string | undefined;
  let metadata: AnswerMetadata = { complete: false };
  let failure: Failure | undefined;
  try {
    const bytes = Readable.from([Buffer.from(JSON.stringify(body))]) as AsyncIterable<Uint8Array>;
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
  return { content, metadata: { ...metadata, ...definedFields({ refusal }) }, failure };
}

/** The outcome of an item that another engine processed. @param line its result, in JSON */
async function importedOutcome({ check }: Batch, item: BatchItem, line: string) {
  const { response, error: beside } = JSON.parse(line) as JsonObject;
  const { status_code: code, request_id: id, body } = isJsonObject(response) ? response : {};
  /** Undefined if no response arrived, or none that refused the request. */
  const status = typeof code === 'number' && code >= 400 ? code : undefined;
  const error = beside ?? (status === undefined ? undefined : body) ?? undefined;
  // A cut answer has a body beside its error.
  const read =
    isJsonObject(body) && status === undefined
      ? await readCompletion(body)
      : { content: '', metadata: { complete: false } as AnswerMetadata, failure: undefined };
  const { content, metadata } = read;
  let { failure } = read;
  if (error !== undefined || !isJsonObject(body)) {
    const { message = 'the engine returned no answer', names } = readErrorValue(error, unmasked);
    const cause = status === undefined ? names[0] : String(status);
    const text = cause === undefined || message.includes(cause) ? message : `${message} (${cause})`;
    const kind = status === undefined ? 'server_error' : kindOfStatus(status);
    failure = new Failure(kind, text, definedFields({ status, requestId: filledText(id) }));
  }
  const model = metadata.model ?? '';
  const given = { content, received: content, metadata, failure, error: failure };
  const outcome = { ...given, requestedModel: model, isStopped: false, isStarved: false };
  if (check === undefined || failure !== undefined) return outcome;
  const { messages } = item.content;
  // An answer that does not conform is not asked for again.
  return sendChecked(
    check,
    { model, messages },
    async () => outcome,
    () => false,
  );
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

/**
 * Joins results of other engines to their input: writes those of the items that have no answer yet.
 * @throws Failure `usage` for a line that is not a result, or not of an item
 */
export const importBatch: Action<BatchOptions, [file: string, results: readonly string[]]> = async (
  run,
  name,
  files,
) => {
  const { context, options } = run;
  const { signal } = context;
  const batch = await openBatch(run, name);
  const { notices, input } = batch;
  if (!input.isRepeatable) {
    const message = 'natter batch import needs a named input file, which it reads twice';
    throw new Failure('usage', message, {
      hint: 'for example: ‹natter batch import prompts.csv output.jsonl -o answers.jsonl›',
    });
  }
  for (const file of [name, ...files]) refuseSharedFiles(context, options, file);
  const sink = await openSink(context, notices, options, batch);
  const tally = emptyTally();
  const opened: number[] = [];
  try {
    const selection = await selectItems(batch, resultsFileOf(options), sink);
    const fingerprints: (string | undefined)[] = [];
    const ids = new Map<string, number>();
    await checkItems(batch, selection, tally, undefined, (item) => {
      const { index, id = '', problem } = item;
      fingerprints[index] =
        problem === undefined ? itemFingerprint(item, batch.settings) : undefined;
      if (id !== '' && !ids.has(id)) ids.set(id, index);
    });
    const findItem = (id: string) => {
      const { index = 0, fingerprint } = parseResultName(id) ?? {};
      const isSame = fingerprint === undefined || fingerprint === fingerprints[index];
      return index in fingerprints && isSame ? index : ids.get(id);
    };
    // The results of an item may be in several lines and files.
    const results = indexFiles(files, opened, (descriptor, file, add) => {
      for (const { number, offset, bytes } of fileLines(descriptor)) {
        const text = bytes.toString();
        if (text.trim() === '') continue;
        const place = `line ${number} of ${files[file]}`;
        const read = readName(text);
        if (read === undefined) {
          throw new Failure('usage', `${place} is not a result of a batch`, {
            hint: 'name output and error files of an OpenAI batch or of vllm run-batch, or results of natter',
          });
        }
        const { item, isAnswered } = read;
        const index = findItem(item);
        if (index === undefined) {
          const message = `${place} is the result of ${JSON.stringify(item)}, which the input does not have`;
          throw new Failure('usage', message, {
            hint: 'name the input of these results, with the same --template and --system',
          });
        }
        const length = bytes.length + 1;
        add({ index, fingerprint: undefined, isAnswered, file, offset, length });
      }
    });
    for await (const item of pendingItems(batch, selection, tally, signal)) {
      const { index } = item;
      const found = results.find(index);
      if (found === undefined || item.problem !== undefined) continue;
      await sink.accept(item);
      const fingerprint = itemFingerprint(item, batch.settings);
      const text = readResult(opened[found.file] ?? -1, found);
      let line = text;
      let failure = found.isAnswered ? undefined : new Failure('incomplete', 'not answered');
      // The line of another engine.
      if (parseResultLine(text) === undefined) {
        const outcome = await importedOutcome(batch, item, text);
        line = outcomeLine(context.secrets, item, fingerprint, outcome);
        ({ failure } = outcome);
      }
      if (failure === undefined) tally.answered += 1;
      else countFailure(tally, failure, item);
      const result = { index, fingerprint, isAnswered: failure === undefined };
      await sink.put(item, result, line);
      signal.throwIfAborted();
    }
    await sink.finish(itemsLeft(tally) === 0, selection.takes);
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor);
    await sink.close();
  }
  reportImport(tally, options.output, input.name, notices);
};
