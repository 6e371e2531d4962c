import fs from 'node:fs';
import path from 'node:path';
import { type Durations, isTransient, ofItems, type Tally } from '../../../batch/tally.ts';
import { exitCodes, Failure, type FailureKind } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { count, countOf } from '../../../output/figures.ts';
import { jsonLine } from '../../../output/json-answer.ts';
import { bar, formatTable, type TableLayout } from '../../../output/table.ts';
import { cleanLine } from '../../../secrets/secrets.ts';
import { isFolder, replaceContent } from '../../../storage/files.ts';
import { newFileMode } from '../../../batch/results/write-results.ts';
import { storageFailure } from '../../../storage/storage-failure.ts';
import { Interruption, signalExitCodes } from '../../../terminal/device/signals.ts';
import { OutputClosed } from '../../../terminal/device/streams.ts';
import { sanitizeLine } from '../../../terminal/safety/sanitizer.ts';
import type { SendingRun, TalliedRun } from '../plan.ts';
import type { Stopping } from '../stopping.ts';
import { batchOutcome, countFields, shortTime } from './progress.ts';

/** What differs between a file and a queue in what a run reports at its end. */
export interface EndTexts {
  /** How to get the items without a result, and how to send failed ones again. */
  readonly rest: string;
  readonly retry: string;
  /** Items without a result; undefined if unknown. */
  readonly left: number | undefined;
  /** `, 14 left`; empty if nothing is left. */
  readonly leftText: string;
}

/** @param output the file of `-o`; results on standard output cannot be continued @param left undefined if unknown */
export function fileTexts(output: string | undefined, left: number | undefined): EndTexts {
  const isSaved = output !== undefined;
  const some = left === 0 ? '' : `, ${count(left ?? 0)} left`;
  return {
    left,
    leftText: left === undefined ? ', input not fully read' : some,
    rest: isSaved ? 'run the same command again for the rest' : 'use -o FILE to be able to resume',
    retry: `${isSaved ? 'run the same command again' : 'use -o FILE to be able'} to retry only these`,
  };
}

/** `line 3 (q3)`, where a person finds an item. */
const placeText = (line: number, id: string | null | undefined): string =>
  `line ${line}${id ? ` (${sanitizeLine(id)})` : ''}`;

/** Kinds of failure that an item has until it is changed; a model may answer differently. */
const repeatedKinds: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'not_found',
  'forbidden',
  'configuration',
]);

function hintFor(tally: Tally, { retry }: EndTexts, stopFailure: Failure | undefined): string {
  if (stopFailure !== undefined && ofItems.has(stopFailure.kind)) {
    const common = stopFailure.hint === undefined ? '' : `: ${stopFailure.hint}`;
    return `correct what all items have in common${common}; or send them all with --keep-going; ${retry}`;
  }
  const { answered, causes } = tally;
  const repeated = [...causes.values()].filter(({ failure }) => repeatedKinds.has(failure.kind));
  const [first] = repeated.toSorted((one, other) => one.item.index - other.item.index);
  if (stopFailure === undefined && first !== undefined) {
    const { failure, item } = first;
    const others = repeated.reduce((sum, one) => sum + one.count, -1);
    const more = others === 0 ? '' : ` and ${countOf(others, 'other item')}`;
    const isUsage = failure.kind === 'usage';
    const remedy = isUsage ? 'correct the input' : (failure.hint ?? 'see its error');
    return `${placeText(item.line, item.id)}${more} cannot succeed unchanged: ${remedy}; ${retry}`;
  }
  // The first failure, if nothing was answered and all failures are of its kind.
  const only = answered === 0 && causes.size === 1 ? [...causes.values()][0] : undefined;
  const { hint, remedy } = stopFailure ?? only?.failure ?? {};
  return hint === undefined || remedy?.code === 'send-again' ? retry : `${hint}; ${retry}`;
}

/**
 * The kind of a run's failure, for its exit code: `unfinished` if another run can help; several causes are
 * `unexpected`.
 */
export function kindOf(
  { causes, failed, lasting }: Tally,
  stopFailure: Failure | undefined,
): FailureKind {
  if (stopFailure !== undefined) return isTransient(stopFailure) ? 'unfinished' : stopFailure.kind;
  if (failed > 0 && lasting === 0) return 'unfinished';
  const [kind = 'unexpected', ...others] = causes.keys();
  return others.length === 0 ? kind : 'unexpected';
}

/** How a run ended. @param elapsed milliseconds from the first request to the last answer */
export function endingOf(
  { context: { signal }, tally }: SendingRun,
  stopping: Stopping,
  elapsed: number,
  texts: EndTexts,
) {
  const { left, leftText, rest } = texts;
  const [cause, stopFailure] = [stopping.cause(), stopping.failure()];
  const outcome = `${batchOutcome(tally, elapsed)}${leftText}`;
  const kind = kindOf(tally, stopFailure);
  /** What stopped it early; null if it ended by itself. */
  const stoppedBy = cause ?? (stopFailure === undefined ? null : 'failure');
  /** The failure to throw; undefined if every item is answered. */
  let error: unknown;
  /** The last line; undefined if it is the message of the error. */
  let notice: string | undefined;
  if (cause === 'SIGINT' || signal.aborted) {
    error = signal.aborted ? signal.reason : new Interruption('SIGINT');
    const isDone = left === 0 && tally.failed === 0;
    notice = isDone ? outcome : `stopped: ${outcome}; ${rest}`;
  } else if (cause !== undefined && stopFailure === undefined && left !== 0) {
    error = new Failure('unfinished', `stopped by ${cause}: ${outcome}`, { hint: rest });
  } else if (stopFailure !== undefined && (tally.failed === 0 || stopFailure.kind === 'budget')) {
    const { message, hint } = stopFailure;
    error = new Failure(kind, `${message}; ${outcome}`, {
      hint: hint === undefined ? rest : `${hint}; ${rest}`,
    });
  } else if (tally.failed > 0) {
    const reason =
      stopFailure === undefined || leftText === ''
        ? ''
        : `; stopped because further items would fail too: ${stopFailure.message}`;
    error = new Failure(kind, `${outcome}${reason}`, { hint: hintFor(tally, texts, stopFailure) });
  } else notice = outcome;
  return { elapsed, stoppedBy, left, notice, error };
}

export type Ending = ReturnType<typeof endingOf>;

/** The exit code of `error`, with the name that `natter help exit-codes` has for it. */
function exitOf(error: unknown): { readonly code: number; readonly name: string } {
  if (error === undefined || error instanceof OutputClosed) return { code: 0, name: 'answered' };
  if (error instanceof Interruption) {
    return { code: signalExitCodes[error.signal], name: error.signal };
  }
  const { kind } = toFailure(error);
  return { code: exitCodes[kind], name: kind };
}

/**
 * Checks before anything is sent that `--summary` can be written. A link such as /dev/stderr would be replaced by a
 * file.
 * @throws Failure `usage`
 */
export function refuseUnwritableSummary(file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (!isFolder(folder)) throw new Failure('usage', `--summary: there is no folder ${folder}`);
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Failure('usage', `--summary: ${file} is not a regular file`, {
      hint: '--progress-json prints the summary on standard error',
    });
  }
}

/** The causes of failed items, the most frequent first, each with its first item in the input. Secrets are masked. */
function causesOf({ context, tally }: TalliedRun) {
  const clean = (text: string) => cleanLine(context, text);
  const causes = [...tally.causes].map(([kind, { count: number, failure, item }]) => ({
    kind,
    count: number,
    line: item.line,
    id: item.id === undefined ? null : clean(item.id),
    example: clean(failure.message),
  }));
  return causes.toSorted((one, other) => other.count - one.count);
}

/** Names the first failure of each cause, unless the last line or the JSON has it. @param error is the last line */
export function printCauses(run: TalliedRun, error?: unknown): void {
  const { presentation, options } = run;
  if (options.progressJson === true) return;
  for (const { kind, line, id, example } of causesOf(run)) {
    if (toFailure(error).message.includes(example)) continue;
    const place = example.startsWith(`line ${line} `) ? '' : `, ${placeText(line, id)}`;
    presentation.notices.notice(`first failure (${kind})${place}: ${example}`);
  }
}

/** 1, 2 and 5 times the powers of ten up to a year. */
const limits = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/**
 * What a summary has of durations, in whole milliseconds; null without any. The buckets go from the first with a
 * duration to the last one. Each counts the durations above the limit of the one before.
 */
export function latencyFigures(durations: Durations) {
  const sorted = durations.sorted();
  const { length: answers } = sorted;
  if (answers === 0) return null;
  const quantile = (part: number) => Math.round(sorted[Math.ceil(part * answers) - 1] ?? 0);
  let counted = 0;
  const all = limits.map((limit) => {
    const before = counted;
    while (counted < answers && (sorted[counted] ?? 0) <= limit) counted += 1;
    return { up_to: limit, count: counted - before };
  });
  const isFilled = (bucket: { readonly count: number }) => bucket.count > 0;
  const buckets = all.slice(all.findIndex(isFilled), all.findLastIndex(isFilled) + 1);
  return {
    count: answers,
    min: Math.round(sorted[0] ?? 0),
    mean: Math.round(sorted.reduce((sum, duration) => sum + duration, 0) / answers),
    max: quantile(1),
    p50: quantile(0.5),
    p90: quantile(0.9),
    p99: quantile(0.99),
    buckets,
  };
}

type LatencyFigures = NonNullable<ReturnType<typeof latencyFigures>>;

/** Columns of the longest bar, and of what is beside it. */
const maxBar = 30;
const widthOfOthers = 25;

/** `20 ms`, `1.5 s`, `50 s`, `8 min`. */
const shortDuration = (milliseconds: number) =>
  milliseconds < 1000 ? `${milliseconds} ms` : shortTime(milliseconds).replace('.0 s', ' s');

const timeColumns = [
  { heading: 'time', align: 'right' },
  { heading: 'answers', align: 'right' },
  { heading: '' },
] as const;

/** A histogram of the times to the end of an answer, with percentiles. Ends with a line feed. */
export function latencyText(
  figures: LatencyFigures,
  layout: TableLayout & { readonly unicode: boolean },
): string {
  const { width, unicode } = layout;
  const { buckets, p50, p90, p99, max } = figures;
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const room = Math.max(1, Math.min(maxBar, width - widthOfOthers));
  const rows = buckets.map((bucket) => [
    `${unicode ? '≤' : '<='} ${shortDuration(bucket.up_to)}`,
    count(bucket.count),
    bar(bucket.count, most, room, unicode),
  ]);
  const times = { p50, p90, p99, max };
  const percentiles = Object.entries(times).map(([name, time]) => `${name} ${shortDuration(time)}`);
  return `${formatTable(timeColumns, rows, layout)}${percentiles.join(', ')}\n`;
}

/** A histogram of fewer answers says little. */
const fewAnswers = 10;

/** What identifies a run in its summary. */
export interface RunNames {
  readonly input: string;
  readonly output: string | null;
  /** `2/8`. */
  readonly shard: string | null;
  readonly batch?: string;
}

/** Reports the end of a run in all requested forms. @throws the error of the ending, or Failure `storage` */
export function reportEnd(
  run: TalliedRun,
  begin: Date,
  names: RunNames,
  { elapsed, stoppedBy, left, notice, error }: Ending,
): void {
  const { context, presentation, options, tally } = run;
  const { notices, noticeStyle: style, unicode } = presentation;
  const { stderr } = context.streams;
  const latency = latencyFigures(tally.latency);
  const isHelpful = stderr.isTerminal && (latency?.count ?? 0) >= fewAnswers;
  if (latency !== null && options.quiet !== true && (isHelpful || options.figures === true)) {
    // As on a terminal also in a pipe, where a table has no heading. A row as wide as the window would wrap in some
    // terminals.
    const layout = { isTerminal: true, width: stderr.columns() - 1, style, unicode };
    void stderr.write(latencyText(latency, layout));
  }
  printCauses(run, error);
  if (notice !== undefined) notices.notice(notice);
  const isDone = tally.already > 0 && tally.answered + tally.failed === 0;
  if (isDone && error === undefined && names.output !== null) {
    notices.notice('nothing was sent; a different -o file asks again');
  }
  const { code, name } = exitOf(error);
  const line = jsonLine({
    type: 'summary',
    begin,
    ...names,
    exit_code: code,
    exit_name: name,
    message: cleanLine(context, notice ?? toFailure(error).message),
    stopped_by: stoppedBy,
    ...countFields(tally, elapsed, left),
    causes: causesOf(run),
    latency_ms: latency,
    first_text_ms: latencyFigures(tally.firstText),
  });
  if (options.progressJson === true) void stderr.write(line);
  const { summary } = options;
  try {
    const mode = summary && fs.statSync(summary, { throwIfNoEntry: false })?.mode;
    // A reader sees the old or the new one.
    if (summary !== undefined) replaceContent(summary, line, mode || newFileMode);
  } catch (thrown) {
    const failure = storageFailure('write', summary ?? '', thrown);
    if (error === undefined) throw failure;
    notices.warning(failure.message);
  }
  if (error !== undefined) throw error;
}
