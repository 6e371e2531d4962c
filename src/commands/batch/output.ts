import fs from 'node:fs';
import type { InputItem, ItemPlace } from '../../batch/input/item.ts';
import { readItems } from '../../batch/input/read-items.ts';
import { formatResultRow, openaiLine, tableHeader } from '../../batch/results/result-formats.ts';
import { readResults, resultsPath } from '../../batch/results/read-results.ts';
import {
  cannotWrite,
  openResultFile,
  type ResultFile,
  resultLock,
} from '../../batch/results/result-file.ts';
import type { ResultIndex, ResultLine } from '../../batch/results/result-index.ts';
import { readResult, replaceWithTexts, resultTexts } from '../../batch/results/write-results.ts';
import type { Batch, Selection } from './items.ts';
import { type OutputOptions, resultsFileOf } from './plan.ts';
import { awaitHolder } from '../../ask/open-conversation.ts';
import type { Context } from '../../run.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { fieldsAfterId, jsonLine } from '../../output/json-answer.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { ItemOutcome } from './sending/send-item.ts';

/** The first fields of every result; `batch/results/read-results.ts` reads them back. */
function placeFields({ index, line, id }: ItemPlace, fingerprint: string | undefined) {
  return { index, line, id: id ?? null, prompt_hash: fingerprint ?? null };
}

/** The result of a sent item: the fields of `--json`, with `error` if it failed. */
export function outcomeLine(
  secrets: Secrets,
  item: ItemPlace,
  fingerprint: string,
  { metadata, content, requestedModel, failure, checked }: ItemOutcome,
): string {
  const place = placeFields(item, fingerprint);
  const error = failureFields(failure, { secrets });
  const hasText = content !== '' || metadata.refusal !== undefined;
  if (failure !== undefined && !hasText && !metadata.complete) {
    return failureLine(secrets, item, fingerprint, failure);
  }
  const { id = null, model = requestedModel } = metadata;
  const completion = {
    completion_id: id,
    requested_model: model === requestedModel ? undefined : requestedModel,
  };
  const answer = fieldsAfterId(metadata, content, requestedModel);
  // With several spreads, V8 takes ten times as long for the object and its JSON.
  const line = jsonLine(Object.assign(place, completion, answer, checked?.fields, error));
  return checked?.withValue(line) ?? line;
}

export function unsendable({ line, problem }: InputItem & { readonly problem: string }): Failure {
  return new Failure('usage', `line ${line} of the input ${problem}`, {
    hint: 'correct the line, then run the same command with -o to send what is missing',
  });
}

export function failureLine(
  secrets: Secrets,
  item: ItemPlace,
  fingerprint: string | undefined,
  failure: Failure,
): string {
  return jsonLine({ ...placeFields(item, fingerprint), ...failureFields(failure, { secrets }) });
}

/** Maximum buffered texts, and their UTF-16 units. */
const maxTexts = 10_000;
const maxUnits = 1 << 25;

/** Writes texts in the order in which they are expected, whatever the order in which they are put. */
export function createOrderedOutput(write: (text: string) => Promise<void> | undefined) {
  /** The expected texts in their order; undefined until they are put. */
  const texts = new Map<number, string | undefined>();
  let [buffered, units] = [0, 0];
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  const isFull = () => buffered >= maxTexts || units >= maxUnits;
  return {
    /** Returns a promise while the buffer is full; it resolves when there is room. */
    expect(number: number): Promise<void> | undefined {
      texts.set(number, undefined);
      if (!isFull()) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    /** Returns a promise while the reader is slow. */
    put(number: number, text: string): Promise<void> | undefined {
      texts.set(number, text);
      buffered += 1;
      units += text.length;
      let ready = '';
      for (const [next, found] of texts) {
        if (found === undefined) break;
        ready += found;
        buffered -= 1;
        units -= found.length;
        texts.delete(next);
      }
      if (ready !== '') writing = write(ready);
      if (!isFull()) wake?.();
      return writing;
    },
    /** Writes the buffered texts, skipping missing numbers. */
    end(): Promise<void> | undefined {
      const rest = [...texts.values()].map((text) => text ?? '');
      texts.clear();
      return write(rest.join(''));
    },
  };
}

/**
 * Writes the results of a file in a different format. A table has its header and a row for each item; without a result,
 * its last cells are empty.
 */
async function* formattedTexts(
  { input, plan, options, context }: Batch,
  found: ResultIndex,
  descriptor: number,
  takes: Selection['takes'],
): AsyncGenerator<string, void> {
  if (options.outputFormat === 'openai') {
    const date = context.clock.date();
    for (const text of resultTexts(found, [descriptor])) yield openaiLine(text, date);
    return;
  }
  let hasHeader = false;
  // The table is written after a signal, too.
  for await (const item of readItems(input.bytes(new AbortController().signal), plan)) {
    if (!hasHeader) yield tableHeader(item, options.answerColumn);
    hasHeader = true;
    if (!takes(item.index)) continue;
    const result = found.find(item.index);
    yield formatResultRow(item, result && readResult(descriptor, result));
  }
}

/**
 * Writes results to the file of `-o`, else to standard output.
 * @param batch what results belong to; other formats than natter's own need it, and are written at the end
 * @throws Failure
 */
export async function openSink(
  context: Context,
  notices: Notices,
  options: OutputOptions,
  batch?: Batch,
) {
  const { clock, process, streams } = context;
  const { stdout } = streams;
  const { output, outputFormat, answerColumn, unordered = false } = options;
  const isTable = outputFormat === 'csv';
  const name = resultsFileOf(options);
  let file: ResultFile | undefined;
  if (output !== undefined && name !== undefined) {
    if (isTable && batch?.input.isRepeatable === false) {
      throw new Failure('usage', '--output-format csv with -o needs a named input file', {
        hint: 'save the input in a file, or redirect the output instead: … > answers.csv',
      });
    }
    if (output !== name && fs.existsSync(output) && !fs.existsSync(name)) {
      const message = `${output} already exists, and its results (${name}) are missing`;
      throw new Failure('usage', message, { hint: 'use a different -o file' });
    }
    await awaitHolder(context, notices, resultLock(name), name);
    const onRewritten = () =>
      notices.warning(`${name} was deleted during the run; natter wrote it again`);
    file = openResultFile(name, { clock, process, onRewritten });
  }
  const ordered = createOrderedOutput((text) => stdout.write(text));
  const clean = stdout.isTerminal && isTable ? sanitize : (text: string) => text;
  let hasHeader = !isTable;
  const print = (item: InputItem, line: string) => {
    if (!hasHeader) void stdout.write(clean(tableHeader(item, answerColumn)));
    hasHeader = true;
    const text = outputFormat === 'openai' ? openaiLine(line, clock.date()) : line;
    const shown = isTable ? clean(formatResultRow(item, line)) : text;
    return unordered ? stdout.write(shown) : ordered.put(item.index, shown);
  };
  return {
    /** The result of an earlier run. */
    find: (index: number) => file?.find(index),
    /** The highest index with a result of an earlier run; 0 without any. */
    last: file?.last ?? 0,
    /** Aborts when results cannot be saved any more. */
    broken: file?.broken ?? new AbortController().signal,
    /**
     * Gets each item before it is sent, in the order of the results.
     * @returns a promise while the buffer of standard output is full
     * @throws Failure `usage` if results cannot be written beside its columns
     */
    accept(item: InputItem): Promise<void> | undefined {
      if (isTable) tableHeader(item, answerColumn);
      return file === undefined && !unordered ? ordered.expect(item.index) : undefined;
    },
    /**
     * Saves a result; waits while the reader of standard output is slow.
     * @param line the result in natter's own format
     * @throws Failure `storage`
     */
    async put(item: InputItem, result: ResultLine, line: string): Promise<void> {
      if (file === undefined) return print(item, line);
      try {
        file.append(result, line);
      } catch (error) {
        // An answer is paid for: print it rather than lose it.
        void stdout.write(line);
        throw error;
      }
    },
    /**
     * @param isComplete all items have a result: the file stays, even if it is empty
     * @param takes see `Selection`
     * @throws Failure `storage`
     */
    async finish(isComplete: boolean, takes: Selection['takes']): Promise<void> {
      if (file === undefined) return ordered.end();
      await file.finish(!unordered, isComplete);
      if (batch === undefined || name === undefined || output === undefined || output === name)
        return;
      try {
        const found = readResults(name);
        if (found.count === 0 && !isComplete) return;
        const descriptor = fs.openSync(name, 'r');
        try {
          const texts = formattedTexts(batch, found, descriptor, takes);
          await replaceWithTexts(resultsPath(output), texts);
        } finally {
          fs.closeSync(descriptor);
        }
      } catch (error) {
        const hint = `the results are in ${name}; run the same command again to write the file`;
        throw cannotWrite(output, error, hint);
      }
    },
    async close(): Promise<void> {
      for (const text of file?.unsaved() ?? []) await stdout.write(text);
      await file?.close();
    },
  };
}

export type BatchSink = Awaited<ReturnType<typeof openSink>>;
