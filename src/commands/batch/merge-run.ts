import fs from 'node:fs';
import { resultBlocks, writeInOrder } from '../../batch/results/copy-results.ts';
import { createMerge, missingItems, type Merged } from '../../batch/results/merge.ts';
import { resultPlace } from '../../batch/results/result-place.ts';
import { scanResults } from '../../batch/results/scan-results.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import { expandName } from '../../storage/expand-name.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import type { MergeOptions } from './options.ts';
import { cannotRead, refuseReservedName } from '../program/named-file.ts';
import type { Context } from '../program/context.ts';
import { present } from '../print/presentation.ts';

function openPiece(name: string): number {
  try {
    return fs.openSync(name, 'r');
  } catch (error) {
    throw cannotRead(name, error);
  }
}

/** @throws Failure `usage` where a name with `*` or `?` means no file */
function expandPiece(name: string): readonly string[] {
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

function openPieces(names: readonly string[], opened: number[]): Merged {
  const merged = createMerge(names);
  for (const [file, name] of names.entries()) {
    const descriptor = openPiece(name);
    opened.push(descriptor);
    try {
      scanResults(descriptor, name, file, (result) => merged.add(result));
    } catch (error) {
      throw error instanceof Failure ? error : cannotRead(name, error);
    }
  }
  return merged;
}

function refuseExisting(name: string): void {
  if (!fs.existsSync(name)) return;
  throw new Failure('usage', `${name} already exists`, {
    hint: 'use another name, or --force to replace it',
  });
}

function writeFile(name: string, blocks: Iterable<Buffer>): void {
  try {
    writeInOrder(resultPlace(name), blocks);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('storage', `cannot write ${name}: ${failureReason(error)}`, { cause: error });
  }
}

async function print(context: Context, blocks: Iterable<Buffer>): Promise<void> {
  const decoder = new TextDecoder();
  for (const block of blocks) {
    await context.streams.stdout.write(decoder.decode(block, { stream: true }));
    context.signal.throwIfAborted();
  }
}

/** @throws Failure `incomplete` when items are missing */
function reportMerge(notices: Notices, { index }: Merged): void {
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

/**
 * Runs `natter batch merge`.
 * @throws Failure
 */
export async function mergeBatch(
  context: Context,
  { output, force = false, ...options }: MergeOptions,
  pieces: readonly string[],
): Promise<void> {
  if (output !== undefined) refuseReservedName(output, context.platform);
  if (output !== undefined && !force) refuseExisting(output);
  const { notices } = await present(context, options);
  const opened: number[] = [];
  try {
    const merged = openPieces(pieces.flatMap(expandPiece), opened);
    const blocks = resultBlocks(merged.index, opened);
    if (output === undefined) await print(context, blocks);
    else writeFile(output, blocks);
    reportMerge(notices, merged);
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor);
  }
}
