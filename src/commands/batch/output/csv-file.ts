import fs from 'node:fs';
import { eachItem, readItems } from '../../../batch/input/read-items.ts';
import { formatResultRow } from '../../../batch/results/csv-result.ts';
import { readResults, resultsPath } from '../../../batch/results/read-results.ts';
import type { IndexedResult } from '../../../batch/results/result-index.ts';
import { replaceWithTexts } from '../../../batch/results/write-lines.ts';
import { Failure } from '../../../failure.ts';
import { failureReason } from '../../../storage/storage-failure.ts';
import { tableHeader } from './csv-text.ts';
import type { BatchSource } from '../items.ts';
import { type BatchSink, checkFirst } from './sink.ts';

/** @param output the table @param results the file of results beside it @throws Failure `usage` */
export function refuseTable(output: string, results: string, { input }: BatchSource): void {
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

export interface Table extends BatchSource {
  /** Its file. */
  readonly output: string;
  /** The file of results. */
  readonly results: string;
  readonly answerColumn: string;
}

function readLine(descriptor: number, { offset, length }: IndexedResult): string {
  const bytes = Buffer.alloc(length);
  fs.readSync(descriptor, bytes, 0, length, offset);
  return bytes.toString();
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
      const line = result === undefined ? undefined : readLine(descriptor, result);
      yield formatResultRow(item, line);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Writes the table whenever the sink with its results is finished. */
export function writeTable(sink: BatchSink, table: Table): BatchSink {
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
