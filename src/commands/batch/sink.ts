import { createOrderedOutput } from '../../batch/results/ordered-output.ts';
import { openResultFile, resultLock, type ResultFile } from '../../batch/results/result-file.ts';
import type { IndexedResult, ResultLine } from '../../batch/results/result-index.ts';
import type { Notices } from '../../output/notices.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import { awaitHolder } from '../program/await-holder.ts';
import type { Context } from '../program/context.ts';
import type { BatchOptions } from './plan.ts';

/** Writes results to the file of `-o` or to standard output. */
export interface BatchSink {
  /** Finds the result of an earlier run. */
  find(index: number): IndexedResult | undefined;
  /** Highest index with a result of an earlier run; 0 without any. */
  readonly last: number;
  /** @param sequence number of the item in start order, from 0 @returns see `OrderedOutput` */
  put(sequence: number, result: ResultLine, line: string): Promise<void> | undefined;
  /** See `OrderedOutput`. */
  room(): Promise<void> | undefined;
  /** Aborts when results cannot be saved any more. */
  readonly broken: AbortSignal;
  /** @param isComplete all items have a result: the file stays, even if it is empty @throws Failure `storage` */
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
  for (const block of file.unsaved()) await stdout.write(decoder.decode(block, { stream: true }));
}

/** @throws Failure */
export async function openBatchSink(
  context: Pick<Context, 'streams' | 'clock' | 'process' | 'signal'>,
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
