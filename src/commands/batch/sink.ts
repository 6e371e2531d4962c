import { createOrderedOutput } from '../../batch/results/ordered-output.ts';
import { openResultFile, resultLock, type ResultFile } from '../../batch/results/result-file.ts';
import type { IndexedResult } from '../../batch/results/result-index.ts';
import type { ResultLine } from '../../batch/results/result-line.ts';
import type { Notices } from '../../output/notices.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import { awaitHolder } from '../program/await-holder.ts';
import type { BatchOptions } from './options.ts';
import type { Context } from '../program/context.ts';

/** Where results go. */
export interface BatchSink {
  /** The result of an earlier run. */
  find(index: number): IndexedResult | undefined;
  /** Highest index that has a result of an earlier run; 0 without one. */
  readonly last: number;
  /** `sequence` counts started items, from 0; see `OrderedOutput` for the promises. */
  put(sequence: number, result: ResultLine, line: string): Promise<void> | undefined;
  room(): Promise<void> | undefined;
  /** Aborts when results can no longer be saved. */
  readonly broken: AbortSignal;
  /**
   * Ends the output. @param isComplete all items are done: the file stays, even if empty
   * @throws Failure `storage`
   */
  finish(isComplete: boolean): Promise<void>;
  close(): Promise<void>;
}

function standardOutput(stdout: OutputStream, unordered: boolean): BatchSink {
  const output = createOrderedOutput((text) => stdout.write(text));
  return {
    find: () => undefined,
    last: 0,
    put: (sequence, _, line) => (unordered ? stdout.write(line) : output.put(sequence, line)),
    room: () => (unordered ? undefined : output.room()),
    broken: new AbortController().signal,
    finish: async () => output.end(),
    close: async () => undefined,
  };
}

/** Prints results that could not be saved in the file. */
async function printUnsaved(file: ResultFile, stdout: OutputStream): Promise<void> {
  const decoder = new TextDecoder();
  for (const block of file.unkept()) await stdout.write(decoder.decode(block, { stream: true }));
}

/** Opens the file of `-o`, or standard output. @throws Failure */
export async function openBatchSink(
  context: Context,
  notices: Notices,
  options: BatchOptions,
): Promise<BatchSink> {
  const { output, unordered = false } = options;
  if (output === undefined) return standardOutput(context.streams.stdout, unordered);
  await awaitHolder(context, notices, resultLock(output), output);
  const { clock, process, streams } = context;
  const onRewritten = () =>
    notices.warning(`${output} was deleted during the run; natter wrote it again`);
  const file = openResultFile(output, { clock, process, onRewritten });
  return {
    find: (index) => file.find(index),
    last: file.last,
    put(_, result, line) {
      try {
        file.append(result, line);
        return undefined;
      } catch (error) {
        // The answer is paid for: print it rather than lose it.
        void streams.stdout.write(line);
        throw error;
      }
    },
    room: () => undefined,
    finish: (isComplete) => file.finish({ ordered: !unordered, isComplete }),
    broken: file.broken,
    async close() {
      await printUnsaved(file, streams.stdout);
      await file.close();
    },
  };
}
