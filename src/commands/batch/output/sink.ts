import fs from 'node:fs';
import type { InputItem } from '../../../batch/input/item.ts';
import { eachItem, readItems } from '../../../batch/input/read-items.ts';
import { formatResultRow, tableHeader } from '../../../batch/results/csv-result.ts';
import { joinResults } from '../../../batch/results/joined-results.ts';
import { openaiResult } from '../../../batch/results/openai-result.ts';
import { createOrderedOutput } from '../../../batch/results/ordered-output.ts';
import { readResults, resultsPath } from '../../../batch/results/read-results.ts';
import { openResultFile, type ResultFile, resultLock } from '../../../batch/results/result-file.ts';
import type { IndexedResult, ResultLine } from '../../../batch/results/result-index.ts';
import type { ResultFormat } from '../../../batch/results/result-line.ts';
import { readRange, replaceWithTexts } from '../../../batch/results/write-results.ts';
import type { BatchSource } from '../items.ts';
import { type BatchOptions, resultsFileOf } from '../plan.ts';
import { awaitHolder } from '../../program/await-holder.ts';
import type { Context } from '../../../run.ts';
import { Failure } from '../../../failure.ts';
import { jsonLine } from '../../../output/json-answer.ts';
import type { Notices } from '../../../output/notices.ts';
import { failureReason } from '../../../storage/storage-failure.ts';
import type { OutputStream } from '../../../terminal/device/streams.ts';
import { sanitize } from '../../../terminal/safety/sanitizer.ts';

/** @param output the table @param results the file of results beside it @throws Failure `usage` */
function refuseTable(output: string, results: string, { input }: BatchSource): void {
  if (!input.isRepeatable) {
    throw new Failure('usage', '--output-format csv with -o needs a named input file', {
      hint: 'save the input in a file, or redirect the output instead: … > answers.csv',
    });
  }
  if (!fs.existsSync(output) || fs.existsSync(results)) return;
  throw new Failure('usage', `${output} already exists, and its results (${results}) are missing`, {
    hint: 'use a different -o file',
  });
}

interface Table extends BatchSource {
  /** Its file. */
  readonly output: string;
  /** The file of results. */
  readonly results: string;
  readonly answerColumn: string;
}

/** The header and a row for each item; without a result, its last cells are empty. */
async function* tableTexts(
  { input, plan, results, answerColumn }: Table,
  takes: (index: number) => boolean,
): AsyncGenerator<string, void> {
  const found = readResults(results);
  const descriptor = fs.openSync(results, 'r');
  // The table is written after a signal, too.
  const { signal } = new AbortController();
  let hasHeader = false;
  try {
    for await (const item of eachItem(readItems(input.bytes(signal), plan))) {
      if (!hasHeader) yield tableHeader(item, answerColumn);
      hasHeader = true;
      if (!takes(item.index)) continue;
      const result = found.get(item.index);
      const line = result === undefined ? undefined : readRange(descriptor, result);
      yield formatResultRow(item, line);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Writes the table whenever the sink with its results is finished. */
function writeTable(sink: BatchSink, table: Table): BatchSink {
  const { output, results, answerColumn } = table;
  let count = sink.last;
  return {
    ...sink,
    admit: (blocks) => checkFirst(blocks, (item) => tableHeader(item, answerColumn)),
    put(...result) {
      count += 1;
      return sink.put(...result);
    },
    async finish(isComplete, takes) {
      await sink.finish(isComplete, takes);
      if (count === 0 && !isComplete) return;
      try {
        await replaceWithTexts(resultsPath(output), tableTexts(table, takes));
      } catch (error) {
        if (error instanceof Failure) throw error;
        throw new Failure('storage', `cannot write ${output}: ${failureReason(error)}`, {
          hint: `the results are in ${results}; run the same command again to write the table`,
          cause: error,
        });
      }
    },
  };
}

/** Writes results to the file of `-o` or to standard output. */
export interface BatchSink {
  /** Finds the result of an earlier run. */
  find(index: number): IndexedResult | undefined;
  /** Highest index with a result of an earlier run; 0 without any. */
  readonly last: number;
  /** Passes items on before they are sent. @throws Failure `usage` if their results cannot be written */
  admit(blocks: AsyncIterable<readonly InputItem[]>): AsyncIterable<readonly InputItem[]>;
  /**
   * @param sequence number of the item in start order, from 0
   * @param line the result in natter's own format
   * @returns resolves when the result is saved, or see `OrderedOutput`
   */
  put(
    sequence: number,
    item: InputItem,
    result: ResultLine,
    line: string,
  ): Promise<void> | undefined;
  /** See `OrderedOutput`. */
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

/** The options of a command that writes results. */
type SinkOptions = Pick<BatchOptions, 'output' | 'outputFormat' | 'answerColumn' | 'unordered'>;

/** A result in its output format, and what goes before all results. */
interface ResultText {
  /** Undefined for formats without one. @throws Failure `usage` if the item's columns cannot be used */
  readonly header?: (item: InputItem) => string;
  readonly text: (item: InputItem, line: string) => string;
}

const ownText: ResultText = { text: (_, line) => line };

function resultText(
  { streams, clock }: Context,
  { output, outputFormat, answerColumn }: SinkOptions,
): ResultText {
  if (outputFormat === 'openai') {
    const seconds = () => Math.floor(clock.date().getTime() / 1000);
    return { text: (_, line) => jsonLine(openaiResult(line, seconds())) };
  }
  if (outputFormat === 'jsonl' || output !== undefined) return ownText;
  const clean = streams.stdout.isTerminal ? sanitize : (text: string) => text;
  return {
    header: (item) => clean(tableHeader(item, answerColumn)),
    text: (item, line) => clean(formatResultRow(item, line)),
  };
}

/** Calls `check` with the first item. */
async function* checkFirst(
  blocks: AsyncIterable<readonly InputItem[]>,
  check: (item: InputItem) => void,
): AsyncGenerator<readonly InputItem[], void> {
  let isChecked = false;
  for await (const block of blocks) {
    const [first] = block;
    if (!isChecked && first !== undefined) {
      check(first);
      isChecked = true;
    }
    yield block;
  }
}

function standardOutput(
  stdout: OutputStream,
  unordered: boolean,
  { header, text }: ResultText,
): BatchSink {
  const output = createOrderedOutput((written) => stdout.write(written));
  let hasHeader = header === undefined;
  return {
    find: () => undefined,
    last: 0,
    admit: (blocks) => (header === undefined ? blocks : checkFirst(blocks, header)),
    put(sequence, item, _, line) {
      if (!hasHeader) void stdout.write(header?.(item) ?? '');
      hasHeader = true;
      const written = text(item, line);
      return unordered ? stdout.write(written) : output.put(sequence, written);
    },
    room: () => (unordered ? undefined : output.room()),
    broken: new AbortController().signal,
    finish: async () => output.end(),
    close: async () => undefined,
  };
}

/** Prints results that could not be saved in the file. */
async function printUnsaved(file: ResultFile, stdout: OutputStream): Promise<void> {
  const decoder = new TextDecoder();
  for (const block of file.unsaved()) await stdout.write(decoder.decode(block, { stream: true }));
}

function fileSink(
  { streams }: Context,
  file: ResultFile,
  unordered: boolean,
  { text }: ResultText,
): BatchSink {
  // An answer is paid for: print it rather than lose it.
  const results = joinResults(file, (unsaved) => void streams.stdout.write(unsaved));
  return {
    find: (index) => file.find(index),
    last: file.last,
    admit: (blocks) => blocks,
    put: (_, item, { index, fingerprint, isAnswered }, line) =>
      results.append({ index, fingerprint, isAnswered, text: text(item, line) }),
    room: () => undefined,
    finish: (isComplete) => file.finish({ ordered: !unordered, isComplete }),
    broken: file.broken,
    async close() {
      await printUnsaved(file, streams.stdout);
      await file.close();
    },
  };
}

async function openFileSink(
  context: Context,
  notices: Notices,
  name: string,
  format: ResultFormat,
  unordered: boolean,
  texts: ResultText,
): Promise<BatchSink> {
  await awaitHolder(context, notices, resultLock(name), name);
  const { clock, process } = context;
  const onRewritten = () =>
    notices.warning(`${name} was deleted during the run; natter wrote it again`);
  const file = openResultFile(name, { clock, process, onRewritten, format });
  return fileSink(context, file, unordered, texts);
}

/** For results in natter's own format, whose items are elsewhere. @throws Failure */
export async function openResultSink(
  context: Context,
  notices: Notices,
  { output, unordered = false }: Pick<SinkOptions, 'output' | 'unordered'>,
): Promise<BatchSink> {
  if (output === undefined) return standardOutput(context.streams.stdout, unordered, ownText);
  return openFileSink(context, notices, output, 'jsonl', unordered, ownText);
}

/** @throws Failure */
export async function openBatchSink(
  context: Context,
  notices: Notices,
  options: SinkOptions,
  items: BatchSource,
): Promise<BatchSink> {
  const { output, outputFormat, unordered = false, answerColumn } = options;
  const texts = resultText(context, options);
  const name = resultsFileOf(options);
  if (output === undefined || name === undefined) {
    return standardOutput(context.streams.stdout, unordered, texts);
  }
  if (outputFormat === 'csv') refuseTable(output, name, items);
  const format = outputFormat === 'openai' ? outputFormat : 'jsonl';
  const sink = await openFileSink(context, notices, name, format, unordered, texts);
  if (outputFormat !== 'csv') return sink;
  return writeTable(sink, { output, results: name, answerColumn, ...items });
}
