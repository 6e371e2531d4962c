import type { InputItem } from '../../../batch/input/item.ts';
import { joinResults } from '../../../batch/results/joined-results.ts';
import { createOrderedOutput } from '../../../batch/results/ordered-output.ts';
import { openResultFile, resultLock, type ResultFile } from '../../../batch/results/result-file.ts';
import type { IndexedResult, ResultLine } from '../../../batch/results/result-index.ts';
import type { Notices } from '../../../output/notices.ts';
import type { OutputStream } from '../../../terminal/device/streams.ts';
import { awaitHolder } from '../../program/await-holder.ts';
import type { Context } from '../../program/context.ts';
import type { BatchSource } from '../items.ts';
import { type BatchOptions, resultsFileOf } from '../plan.ts';

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
export type SinkOptions = Pick<
  BatchOptions,
  'output' | 'outputFormat' | 'answerColumn' | 'unordered'
>;

/** A result in its output format, and what goes before all results. */
export interface ResultText {
  /** Undefined for formats without one. @throws Failure `usage` if the item's columns cannot be used */
  readonly header?: (item: InputItem) => string;
  readonly text: (item: InputItem, line: string) => string;
}

const ownText: ResultText = { text: (_, line) => line };

/** Loads only what the format needs. */
async function resultText(
  { streams, clock }: Context,
  { output, outputFormat, answerColumn }: SinkOptions,
): Promise<ResultText> {
  if (outputFormat === 'openai') {
    return (await import('./openai-text.ts')).createOpenaiText(() => clock.date());
  }
  if (outputFormat === 'jsonl' || output !== undefined) return ownText;
  return (await import('./csv-text.ts')).createCsvText(answerColumn, streams.stdout.isTerminal);
}

/** Calls `check` with the first item. */
export async function* checkFirst(
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

interface FileOptions extends Pick<SinkOptions, 'outputFormat' | 'unordered'> {
  /** See `ResultFileOptions`. */
  readonly mode?: number | undefined;
}

async function openFileSink(
  context: Context,
  notices: Notices,
  name: string,
  { outputFormat, unordered = false, mode }: FileOptions,
  texts: ResultText,
): Promise<BatchSink> {
  await awaitHolder(context, notices, resultLock(name), name);
  const { clock, process } = context;
  const onRewritten = () =>
    notices.warning(`${name} was deleted during the run; natter wrote it again`);
  const format = outputFormat === 'openai' ? outputFormat : 'jsonl';
  const file = openResultFile(name, {
    clock,
    process,
    onRewritten,
    format,
    ...(mode !== undefined && { mode }),
  });
  return fileSink(context, file, unordered, texts);
}

/** For results in natter's own format, whose items are elsewhere. @throws Failure */
export async function openResultSink(
  context: Context,
  notices: Notices,
  {
    output,
    unordered = false,
    mode,
  }: Pick<SinkOptions, 'output'> & Omit<FileOptions, 'outputFormat'>,
): Promise<BatchSink> {
  if (output === undefined) return standardOutput(context.streams.stdout, unordered, ownText);
  const options = { outputFormat: 'jsonl', unordered, mode } as const;
  return openFileSink(context, notices, output, options, ownText);
}

/** @throws Failure */
export async function openBatchSink(
  context: Context,
  notices: Notices,
  options: SinkOptions,
  items: BatchSource,
): Promise<BatchSink> {
  const { output, outputFormat, unordered = false } = options;
  const texts = await resultText(context, options);
  const name = resultsFileOf(options);
  if (output === undefined || name === undefined) {
    return standardOutput(context.streams.stdout, unordered, texts);
  }
  const isTable = outputFormat === 'csv';
  const table = isTable ? await import('./csv-file.ts') : undefined;
  table?.refuseTable(output, name, items);
  const sink = await openFileSink(context, notices, name, options, texts);
  if (table === undefined) return sink;
  const { answerColumn } = options;
  return table.writeTable(sink, { output, results: name, answerColumn, ...items });
}
