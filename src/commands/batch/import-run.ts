import fs from 'node:fs';
import type { BatchItem } from '../../batch/input/item.ts';
import { eachItem, readItems } from '../../batch/input/read-items.ts';
import {
  createItemNames,
  type ItemNames,
  parseForeignResult,
  scanForeignResults,
} from '../../batch/results/foreign-result.ts';
import { createMerge } from '../../batch/results/merge.ts';
import type { IndexedResult, ResultIndex } from '../../batch/results/result-index.ts';
import { countFailure, emptyTally, itemsLeft, type Tally } from '../../batch/tally.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import { present } from '../print/presentation.ts';
import type { Context, Action } from '../program/context.ts';
import { cannotRead, refuseReservedName } from '../program/named-file.ts';
import type { Secrets } from '../program/secrets.ts';
import type { AnswerCheck } from '../../ask/check.ts';
import { openBatchCheck, withSchemas } from './answer-check.ts';
import type { ItemOutcome } from './sending/send-item.ts';
import { sendChecked } from './sending/send-item.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { importedOutcome } from './imported-outcome.ts';
import {
  type AllItems,
  type BatchItems,
  checkItems,
  openBatchInput,
  pendingItems,
  selectItems,
} from './items.ts';
import { type BatchOptions, planBatch, resultsFileOf } from './plan.ts';
import { outcomeLine } from './output/result.ts';
import { refuseSharedFiles } from './shared-files.ts';
import { type BatchSink, openBatchSink } from './output/sink.ts';

/** Names every item of the input. */
async function nameItems(
  { input, plan, selection, check }: BatchItems,
  signal: AbortSignal,
): Promise<ItemNames> {
  const names = createItemNames();
  const read = readItems(input.bytes(signal), plan);
  // The schema is a part of the prompt.
  for await (const item of eachItem(check === undefined ? read : withSchemas(read, check))) {
    const fingerprint = item.problem === undefined ? selection.fingerprint(item) : undefined;
    names.add(item.index, item.id, fingerprint);
  }
  return names;
}

/** Adds the descriptors of the files to `opened`. @throws Failure `usage` */
function readFiles(files: readonly string[], names: ItemNames, opened: number[]): ResultIndex {
  const merge = createMerge(files);
  for (const [file, name] of files.entries()) {
    try {
      const descriptor = fs.openSync(name, 'r');
      opened.push(descriptor);
      scanForeignResults(descriptor, name, file, names, (result) => merge.add(result));
    } catch (error) {
      throw error instanceof Failure ? error : cannotRead(name, error);
    }
  }
  return merge.index;
}

function readLine(opened: readonly number[], { file, offset, length }: IndexedResult): string {
  const bytes = Buffer.alloc(length);
  fs.readSync(opened[file] ?? -1, bytes, 0, length, offset);
  return bytes.toString();
}

interface Import {
  readonly items: BatchItems;
  readonly sink: BatchSink;
  readonly tally: Tally;
  readonly secrets: Secrets;
  readonly results: ResultIndex;
  readonly opened: readonly number[];
}

interface ImportedResult {
  readonly line: string;
  readonly failure: Failure | undefined;
}

/** An answer that does not conform is not asked for again. */
async function checkedOutcome(
  outcome: ItemOutcome,
  { content: { messages } }: BatchItem,
  check: AnswerCheck | undefined,
): Promise<ItemOutcome> {
  if (check === undefined || outcome.failure !== undefined) return outcome;
  const request = { model: outcome.requestedModel, messages };
  return sendChecked(
    check,
    request,
    async () => outcome,
    () => false,
  );
}

/** The result in natter's own format. */
async function importResult(
  { secrets, opened, items: { check } }: Import,
  item: BatchItem,
  fingerprint: bigint,
  found: IndexedResult,
): Promise<ImportedResult> {
  const result = parseForeignResult(readLine(opened, found));
  if (typeof result === 'string') {
    const failure = found.isAnswered ? undefined : new Failure('incomplete', 'not answered');
    return { line: result, failure };
  }
  const outcome = await checkedOutcome(await importedOutcome(result), item, check);
  return { line: outcomeLine(secrets, item, fingerprint, outcome), failure: outcome.failure };
}

/** Writes the imported results of items without an answer. */
async function writeResults(run: Import, signal: AbortSignal): Promise<void> {
  const { items, sink, tally, results } = run;
  let sequence = 0;
  for await (const item of eachItem(sink.admit(pendingItems(items, tally, signal)))) {
    const found = results.get(item.index);
    if (found === undefined || item.problem !== undefined) continue;
    const fingerprint = items.selection.fingerprint(item);
    const { line, failure } = await importResult(run, item, fingerprint, found);
    if (failure === undefined) tally.answered += 1;
    else countFailure(tally, failure, item);
    const result = { index: item.index, fingerprint, isAnswered: failure === undefined };
    await sink.put(sequence, item, result, line);
    sequence += 1;
    signal.throwIfAborted();
  }
}

/** @throws Failure `incomplete` if items have no answer */
function reportImport(tally: Tally, output: string | undefined, input: string, notices: Notices) {
  const { answered, failed, already, total = 0 } = tally;
  const before = already === 0 ? '' : ` (${count(already)} before)`;
  const failures = failed === 0 ? '' : `, ${count(failed)} failed`;
  const left = itemsLeft(tally) ?? 0;
  const missing = left === 0 ? '' : `, ${count(left)} without a result`;
  const text = `${count(already + answered)} of ${count(total)} items answered${before}${failures}${missing}`;
  if (answered + already === total) return notices.notice(text);
  throw new Failure('incomplete', text, {
    hint:
      output === undefined
        ? 'import with -o FILE; natter batch with that file then sends what is missing'
        : `natter batch ${input} -o ${output}, with the same options, sends what is missing`,
  });
}

async function importInto(
  context: Context,
  options: BatchOptions,
  items: AllItems,
  files: readonly string[],
  opened: number[],
): Promise<void> {
  const { signal, secrets } = context;
  const { plan, notices, input } = items;
  const own = readRequestSettings(context, notices, options);
  const { check, settings } = await openBatchCheck(notices, options, own);
  const name = resultsFileOf(options);
  let sink: BatchSink | undefined;
  const find = (index: number) => sink?.find(index);
  // The results are of any model.
  const { modelOf: _, ...selection } = await selectItems(
    { input, plan },
    settings,
    name,
    find,
    signal,
  );
  const checked = { ...items, check, selection };
  const names = await nameItems(checked, signal);
  const results = readFiles(files, names, opened);
  sink = await openBatchSink(context, notices, options, items);
  const tally = emptyTally();
  const run = { items: checked, sink, tally, secrets, results, opened };
  try {
    await checkItems(run.items, tally, sink.last, signal);
    await writeResults(run, signal);
    await sink.finish(itemsLeft(tally) === 0, selection.takes);
  } finally {
    await sink.close();
  }
  reportImport(tally, options.output, input.name, notices);
}

/** Joins results of other engines to their input, as results of natter. */
export const importBatch: Action<BatchOptions, [file: string, results: readonly string[]]> = async (
  context,
  options,
  file,
  files,
) => {
  const { notices } = await present(context, options);
  const plan = planBatch(options, file, context.environment);
  const input = openBatchInput(context.streams.stdin, notices, file);
  if (!input.isRepeatable) {
    throw new Failure(
      'usage',
      'natter batch import needs a named input file, which it reads twice',
      {
        hint: 'for example: natter batch import prompts.csv output.jsonl -o answers.jsonl',
      },
    );
  }
  if (options.output !== undefined) refuseReservedName(options.output, context.platform);
  for (const name of [file, ...files]) refuseSharedFiles(options, name, context.environment);
  const opened: number[] = [];
  try {
    await importInto(context, options, { input, plan, notices }, files, opened);
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor);
  }
};
