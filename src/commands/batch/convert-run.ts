// The commands that convert files of batches and send nothing: `natter batch export`, `import` and `merge`.

import fs from 'node:fs';
import { Readable } from 'node:stream';
import type { BatchItem } from '../../batch/input/item.ts';
import { requestUrl } from '../../batch/input/json-item.ts';
import {
  fileLines,
  indexFiles,
  readResults,
  resultsPath,
  scanResults,
} from '../../batch/results/read-results.ts';
import { cannotWrite } from '../../batch/results/result-file.ts';
import { missingItems } from '../../batch/results/result-index.ts';
import {
  isAccepted,
  parseResultLine,
  parseResultName,
  resultName,
} from '../../batch/results/result-line.ts';
import { readResult, replaceWithTexts, resultTexts } from '../../batch/results/write-results.ts';
import { countFailure, emptyTally, itemsLeft } from '../../batch/tally.ts';
import { completionBody } from '../../client/contract.ts';
import { noAnswer } from '../../client/failure/answer-failure.ts';
import { kindOfStatus, readErrorValue } from '../../client/failure/error-body.ts';
import { readAnswer } from '../../client/stream/answer-reader.ts';
import { Failure } from '../../failure.ts';
import { definedFields, filledText, isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count, countOf, tokenText } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';
import type { Action, Context, GlobalOptions } from '../../run.ts';
import { expandName, refuseReservedName } from '../../storage/file-name.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { type Batch, openBatch, selectItems } from './items.ts';
import { openSink, outcomeLine } from './output.ts';
import { type BatchOptions, refuseSharedFiles, resultsFileOf } from './plan.ts';
import { collectedOutcome } from './report/progress.ts';
import { itemFingerprint, planItem, sendChecked } from './sending/send-item.ts';

/** The file of `-o`, which `--force` replaces. */
interface FileOptions extends GlobalOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/** Checks the file of `-o` before anything is read. @throws Failure `usage` */
function checkOutput({ platform }: Context, { output: name, force = false }: FileOptions): void {
  if (name === undefined) return;
  refuseReservedName(name, platform);
  if (force || !fs.existsSync(name)) return;
  throw new Failure('usage', `${name} already exists`, {
    hint: 'use a different name, or --force to replace it',
  });
}

/** Writes texts to a file, which they replace, or to standard output. @throws Failure `storage` */
async function writeTexts(
  { streams: { stdout }, signal }: Context,
  output: string | undefined,
  texts: AsyncIterable<string> | Iterable<string>,
  beforeRename?: () => void,
): Promise<void> {
  if (output === undefined) {
    for await (const text of texts) {
      await stdout.write(text);
      signal.throwIfAborted();
    }
    return;
  }
  try {
    await replaceWithTexts(resultsPath(output), texts, beforeRename);
  } catch (error) {
    signal.throwIfAborted();
    throw cannotWrite(output, error);
  }
}

interface ExportOptions extends BatchOptions, FileOptions {
  readonly results?: string;
}

/** The largest file that OpenAI accepts. */
const maxRequests = 50_000;
const maxBytes = 200_000_000;

/**
 * Writes the requests of an input as an OpenAI batch file. Sends nothing.
 * @throws Failure `usage` if items are missing in the export
 */
export const exportBatch: Action<ExportOptions, [file: string | undefined]> = async (run, file) => {
  const { context, options } = run;
  const batch = await openBatch(run, file);
  const { input, settings, notices } = batch;
  const { output, results } = options;
  refuseSharedFiles(context, options, file);
  checkOutput(context, options);
  if (results !== undefined && !fs.existsSync(results)) {
    throw new Failure('usage', `cannot read ${results}: no such file`);
  }
  const answered = results === undefined ? undefined : readResults(results);
  const selection = await selectItems(batch, emptyTally(), results, answered);
  let [requests, tokens, bytes] = [0, 0, 0];
  const models = new Set<string>();
  const problems: string[] = [];
  async function* lines(): AsyncGenerator<string, void> {
    for await (const item of selection.pending(context.signal)) {
      const place = `line ${item.line} of ${input.name}`;
      if (item.problem !== undefined) {
        problems.push(`${place} ${item.problem}`);
        continue;
      }
      try {
        const { request, fit } = planItem(item.content, settings, false);
        const name = item.id ?? resultName(item.index, itemFingerprint(item, settings));
        const body = completionBody(request);
        const line = jsonLine({ custom_id: name, method: 'POST', url: requestUrl, body });
        requests += 1;
        tokens += fit.estimate;
        bytes += Buffer.byteLength(line);
        models.add(request.model);
        yield line;
      } catch (error) {
        problems.push(`${place}: ${toFailure(error).message}`);
      }
    }
  }
  await writeTexts(context, output, lines());
  if (requests > maxRequests || bytes > maxBytes || models.size > 1) {
    notices.warning(
      'OpenAI accepts at most 50,000 requests, 200 MB and one model in a file; --shard 1/2 divides the requests',
    );
  }
  const text = `exported ${countOf(requests, 'request')}, ${tokenText(tokens, true)}`;
  const [first, ...others] = problems;
  if (first === undefined) return notices.notice(text);
  const more = others.length === 0 ? '' : `, and ${count(others.length)} more`;
  throw new Failure('usage', `${text}; not exported: ${first}${more}`, {
    hint: 'correct the lines, then export again',
  });
};

/** Runs `natter batch merge`. @throws Failure, `incomplete` if items are missing */
export const mergeBatch: Action<FileOptions, [names: readonly string[]]> = async (run, names) => {
  const { context, options, presentation } = run;
  checkOutput(context, options);
  const opened: number[] = [];
  const closeAll = () => opened.splice(0).forEach((descriptor) => fs.closeSync(descriptor));
  try {
    const files = names.flatMap((name) => {
      try {
        const found = expandName(name);
        if (found.length > 0) return found;
      } catch (error) {
        throw cannotRead(name, error);
      }
      const hint = 'name the results files to merge';
      throw new Failure('usage', `no file matches ${name}`, { hint });
    });
    const index = indexFiles(files, opened, (descriptor, file, add) => {
      scanResults(descriptor, files[file] ?? '', file, add);
    });
    const texts = resultTexts(index, [...opened]);
    // Windows does not replace a file that is open, and the merged files may include it.
    await writeTexts(context, options.output, texts, closeAll);
    const results = count(index.count);
    const { count: missing, text } = missingItems(index);
    if (missing > 0) {
      const items = missing === 1 ? 'item is' : 'items are';
      const message = `${count(missing)} ${items} missing among ${results} results: ${text}`;
      throw new Failure('incomplete', message, {
        hint: 'for the missing items, run ‹natter batch› on the whole input with -o and the merged file',
      });
    }
    let failed = 0;
    for (const { isAnswered } of index.results()) if (!isAnswered) failed += 1;
    const failures = failed === 0 ? '' : `, ${count(failed)} of them failures`;
    presentation.notices.notice(`merged ${results} results${failures}`);
  } finally {
    closeAll();
  }
};

/**
 * The name of the item in a line of an OpenAI batch output or error file, as vLLM run-batch writes them too, or of natter;
 * undefined for a line that is not a result.
 */
function readName(text: string) {
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

/**
 * Joins results of other engines to their input: writes those of the items that have no answer yet.
 * @throws Failure `usage` for a line that is not a result, or not of an item; `incomplete` if items have no answer
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
  const start = context.clock.monotonic();
  const sink = await openSink(context, notices, options, batch);
  const tally = emptyTally();
  const opened: number[] = [];
  try {
    const selection = await selectItems(batch, tally, resultsFileOf(options), sink);
    const fingerprints: (string | undefined)[] = [];
    const ids = new Map<string, number>();
    await selection.check(undefined, (item) => {
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
    for await (const item of selection.pending(signal)) {
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
  const outcome = collectedOutcome(tally, context.clock.monotonic() - start);
  if (tally.answered + tally.already === tally.total) return notices.notice(outcome);
  const { output } = options;
  throw new Failure('incomplete', outcome, {
    hint:
      output === undefined
        ? 'import with -o FILE; ‹natter batch› with that file then sends what is missing'
        : `‹natter batch ${input.name} -o ${output}›, with the same options, sends what is missing`,
  });
};
