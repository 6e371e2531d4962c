import fs from 'node:fs';
import type { InputItem } from '../../../batch/input/item.ts';
import { readItems } from '../../../batch/input/read-items.ts';
import {
  formatResult,
  formatResultRow,
  openaiLine,
  type OutputFormat,
  tableHeader,
} from '../../../batch/results/result-formats.ts';
import { readResults, resultsPath } from '../../../batch/results/read-results.ts';
import { cannotWrite, openResultFile, resultLock } from '../../../batch/results/result-file.ts';
import type { IndexedResult, ResultLine } from '../../../batch/results/result-index.ts';
import { readResult, replaceWithTexts, resultTexts } from '../../../batch/results/write-results.ts';
import type { BatchSource } from '../items.ts';
import { type OutputOptions, resultsFileOf } from '../plan.ts';
import { awaitHolder } from '../../../ask/open-conversation.ts';
import type { Context } from '../../../run.ts';
import { Failure } from '../../../failure.ts';
import type { Notices } from '../../../output/notices.ts';
import { sanitize } from '../../../terminal/safety/sanitizer.ts';

/** Maximum buffered texts, and their UTF-16 units. */
const maxTexts = 10_000;
const maxUnits = 1 << 25;

/** Writes numbered texts in order, whatever the order in which they are put. */
export function createOrderedOutput(write: (text: string) => Promise<void> | undefined) {
  const buffered = new Map<number, string>();
  let units = 0;
  let next = 0;
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  const isFull = () => buffered.size >= maxTexts || units >= maxUnits;
  return {
    /** Uses each number from 0 once. Returns a promise while the reader is slow. */
    put(number: number, text: string): Promise<void> | undefined {
      buffered.set(number, text);
      units += text.length;
      let ready = '';
      for (let found = buffered.get(next); found !== undefined; found = buffered.get(next)) {
        ready += found;
        units -= found.length;
        buffered.delete(next);
        next += 1;
      }
      if (ready !== '') writing = write(ready);
      if (!isFull()) wake?.();
      return writing;
    },
    /** A promise while the buffer is full; resolves when it has room. */
    room(): Promise<void> | undefined {
      if (!isFull()) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    /** Writes the buffered texts, skipping missing numbers. */
    end(): Promise<void> | undefined {
      const rest = [...buffered].sort(([one], [other]) => one - other).map(([, text]) => text);
      buffered.clear();
      return write(rest.join(''));
    },
  };
}

/** Writes results to the file of `-o` or to standard output. */
export interface BatchSink {
  /** Finds the result of an earlier run. */
  find(index: number): IndexedResult | undefined;
  /** Highest index with a result of an earlier run; 0 without any. */
  readonly last: number;
  /** Gets the first item before it is sent. @throws Failure `usage` if results cannot be written beside its columns */
  checkFirst(item: InputItem): void;
  /**
   * @param sequence number of the item in start order, from 0
   * @param line the result in natter's own format
   * @returns see `createOrderedOutput`
   * @throws Failure `storage` if it cannot be saved
   */
  put(
    sequence: number,
    item: InputItem,
    result: ResultLine,
    line: string,
  ): Promise<void> | undefined;
  /** See `createOrderedOutput`. */
  room(): Promise<void> | undefined;
  /** Aborts when results cannot be saved any more. */
  readonly broken: AbortSignal;
  /**
   * @param isComplete all items have a result: the file stays, even if it is empty
   * @param takes see `Selection`
   * @throws Failure `storage`
   */
  finish(isComplete: boolean, takes: (index: number) => boolean): Promise<void>;
  close(): Promise<void>;
}

function standardOutput(
  { streams: { stdout }, clock }: Context,
  { outputFormat, answerColumn, unordered = false }: OutputOptions,
): BatchSink {
  const ordered = createOrderedOutput((text) => stdout.write(text));
  const clean = stdout.isTerminal && outputFormat === 'csv' ? sanitize : (text: string) => text;
  let hasHeader = outputFormat !== 'csv';
  return {
    find: () => undefined,
    last: 0,
    checkFirst(item) {
      if (outputFormat === 'csv') tableHeader(item, answerColumn);
    },
    put(sequence, item, _, line) {
      if (!hasHeader) void stdout.write(clean(tableHeader(item, answerColumn)));
      hasHeader = true;
      const text = clean(formatResult(outputFormat, item, line, clock.date()));
      return unordered ? stdout.write(text) : ordered.put(sequence, text);
    },
    room: () => (unordered ? undefined : ordered.room()),
    broken: new AbortController().signal,
    finish: async () => ordered.end(),
    close: async () => undefined,
  };
}

/** @param output the file in another format @param results the file of results beside it @throws Failure `usage` */
function refuseOutput(
  output: string,
  results: string,
  format: OutputFormat,
  { input }: BatchSource,
): void {
  if (format === 'csv' && !input.isRepeatable) {
    throw new Failure('usage', '--output-format csv with -o needs a named input file', {
      hint: 'save the input in a file, or redirect the output instead: … > answers.csv',
    });
  }
  if (!fs.existsSync(output) || fs.existsSync(results)) return;
  throw new Failure('usage', `${output} already exists, and its results (${results}) are missing`, {
    hint: 'use a different -o file',
  });
}

/**
 * The results in a different format. A table has its header and a row for each item; without a result, its last cells
 * are empty.
 */
async function* formattedTexts(
  { input, plan }: BatchSource,
  results: string,
  { outputFormat, answerColumn }: OutputOptions,
  takes: (index: number) => boolean,
  date: Date,
): AsyncGenerator<string, void> {
  const found = readResults(results);
  const descriptor = fs.openSync(results, 'r');
  // The table is written after a signal, too.
  const { signal } = new AbortController();
  let hasHeader = false;
  try {
    if (outputFormat === 'openai') {
      for (const text of resultTexts(found, [descriptor])) yield openaiLine(text, date);
      return;
    }
    for await (const item of readItems(input.bytes(signal), plan)) {
      if (!hasHeader) yield tableHeader(item, answerColumn);
      hasHeader = true;
      if (!takes(item.index)) continue;
      const result = found.get(item.index);
      yield formatResultRow(item, result && readResult(descriptor, result));
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Writes results to the file of `-o`, else to standard output.
 * @param items what results belong to; other formats than natter's own need it, and are written at the end
 * @throws Failure
 */
export async function openSink(
  context: Context,
  notices: Notices,
  options: OutputOptions,
  items?: BatchSource,
): Promise<BatchSink> {
  const { output, outputFormat, answerColumn, unordered = false } = options;
  const name = resultsFileOf(options);
  if (output === undefined || name === undefined) return standardOutput(context, options);
  const source = outputFormat === 'jsonl' ? undefined : items;
  if (source !== undefined) refuseOutput(output, name, outputFormat, source);
  await awaitHolder(context, notices, resultLock(name), name);
  const { clock, process, streams } = context;
  const onRewritten = () =>
    notices.warning(`${name} was deleted during the run; natter wrote it again`);
  const file = openResultFile(name, { clock, process, onRewritten });
  let hasResults = file.last > 0;
  return {
    find: (index) => file.find(index),
    last: file.last,
    checkFirst: (item) => void (outputFormat === 'csv' && tableHeader(item, answerColumn)),
    put(_, _item, result, line) {
      try {
        file.append(result, line);
      } catch (error) {
        // An answer is paid for: print it rather than lose it.
        void streams.stdout.write(line);
        throw error;
      }
      hasResults = true;
      return undefined;
    },
    room: () => undefined,
    broken: file.broken,
    async finish(isComplete, takes) {
      await file.finish(!unordered, isComplete);
      if (source === undefined || !(hasResults || isComplete)) return;
      try {
        const texts = formattedTexts(source, name, options, takes, clock.date());
        await replaceWithTexts(resultsPath(output), texts);
      } catch (error) {
        throw cannotWrite(
          output,
          error,
          `the results are in ${name}; run the same command again to write the file`,
        );
      }
    },
    async close() {
      for (const text of file.unsaved()) await streams.stdout.write(text);
      await file.close();
    },
  };
}
