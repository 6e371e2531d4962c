import fs from 'node:fs';
import { createMerge, missingItems } from '../../batch/results/merge.ts';
import { resultsPath, scanResults } from '../../batch/results/read-results.ts';
import type { ResultIndex } from '../../batch/results/result-index.ts';
import type { ResultFormat } from '../../batch/results/result-line.ts';
import { replaceResults, resultBlocks } from '../../batch/results/write-results.ts';
import { cannotWrite, refuseExisting } from './export-run.ts';
import { present, type Context, type GlobalOptions } from '../../run.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import { expandName, refuseReservedName } from '../../storage/file-name.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';

export interface MergeOptions extends GlobalOptions {
  readonly output?: string;
  readonly force?: boolean;
}

function openFile(name: string): number {
  try {
    return fs.openSync(name, 'r');
  } catch (error) {
    throw cannotRead(name, error);
  }
}

/** The files that match a name with `*` or `?`. @throws Failure `usage` for none */
function expandFiles(name: string): readonly string[] {
  let files: readonly string[];
  try {
    files = expandName(name);
  } catch (error) {
    throw cannotRead(name, error);
  }
  if (files.length > 0) return files;
  throw new Failure('usage', `no file matches ${name}`, {
    hint: 'name the results files to merge',
  });
}

function differentFormats(one: string, other: string): Failure {
  return new Failure('usage', `${one} and ${other} have results in different formats`, {
    hint: 'natter batch import converts results: natter batch import --help',
  });
}

/** Adds the descriptors of the files to `opened`. @throws Failure `usage` */
function mergeFiles(names: readonly string[], opened: number[]): ResultIndex {
  const merge = createMerge(names);
  let format: ResultFormat | undefined;
  for (const [file, name] of names.entries()) {
    const descriptor = openFile(name);
    opened.push(descriptor);
    try {
      const found = scanResults(descriptor, name, file, (result) => merge.add(result)).format;
      format ??= found;
      if (found !== undefined && found !== format) throw differentFormats(names[0] ?? '', name);
    } catch (error) {
      throw error instanceof Failure ? error : cannotRead(name, error);
    }
  }
  return merge.index;
}

function closeFiles(opened: number[]): void {
  for (const descriptor of opened.splice(0)) fs.closeSync(descriptor);
}

function writeFile(name: string, blocks: Iterable<Buffer>, opened: number[]): void {
  try {
    // Windows does not replace a file that is open, and the merged files may include it.
    replaceResults(resultsPath(name), blocks, () => closeFiles(opened));
  } catch (error) {
    throw cannotWrite(name, error);
  }
}

async function print(
  stdout: OutputStream,
  blocks: Iterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  for (const block of blocks) {
    await stdout.write(decoder.decode(block, { stream: true }));
    signal.throwIfAborted();
  }
}

/** @throws Failure `incomplete` if items are missing */
function reportMerge(notices: Notices, index: ResultIndex): void {
  let failed = 0;
  for (let item = 1; item <= index.last(); item += 1) {
    if (index.get(item)?.isAnswered === false) failed += 1;
  }
  const results = count(index.count());
  const { count: missing, text } = missingItems(index);
  if (missing > 0) {
    const items = missing === 1 ? 'item is' : 'items are';
    throw new Failure(
      'incomplete',
      `${count(missing)} ${items} missing among ${results} results: ${text}`,
      {
        hint: 'for the missing items, run natter batch on the whole input with -o and the merged file',
      },
    );
  }
  const failures = failed === 0 ? '' : `, ${count(failed)} of them failures`;
  notices.notice(`merged ${results} results${failures}`);
}

export async function mergeBatch(
  context: Context,
  { output, force = false, ...options }: MergeOptions,
  names: readonly string[],
): Promise<void> {
  if (output !== undefined) refuseReservedName(output, context.platform);
  if (output !== undefined && !force) refuseExisting(output);
  const { notices } = await present(context, options);
  const opened: number[] = [];
  try {
    const index = mergeFiles(names.flatMap(expandFiles), opened);
    const blocks = resultBlocks(index, opened);
    if (output === undefined) await print(context.streams.stdout, blocks, context.signal);
    else writeFile(output, blocks, opened);
    reportMerge(notices, index);
  } finally {
    closeFiles(opened);
  }
}
