import fs from 'node:fs';
import path from 'node:path';
import type { LatencyFigures } from '../../../batch/latency.ts';
import { replaceResults } from '../../../batch/results/write-results.ts';
import { itemsLeft, type Tally } from '../../../batch/tally.ts';
import { causesText, type FailureCause, latencyText, placeText } from './figures-text.ts';
import type { ReportOptions } from './show-progress.ts';
import { type Ending, exitOf } from './summary.ts';
import type { Presentation, Context } from '../../../run.ts';
import { cleanLine } from '../../../secrets/secrets.ts';
import { Failure } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { jsonLine } from '../../../output/json-answer.ts';
import { storageFailure } from '../../../storage/storage-failure.ts';

/**
 * Checks before anything is sent that `--summary` can be written. A link such as /dev/stderr would be replaced by a
 * file.
 * @throws Failure `usage`
 */
export function refuseUnwritableSummary(file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Failure('usage', `--summary: there is no folder ${folder}`);
  }
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Failure('usage', `--summary: ${file} is not a regular file`, {
      hint: '--progress-json prints the summary on standard error',
    });
  }
}

/** Replaces the file at once: a reader sees the old or the new one. @throws Failure `storage` */
function writeSummary(file: string, text: string): void {
  try {
    replaceResults(file, [Buffer.from(text)]);
  } catch (error) {
    throw storageFailure('write', file, error);
  }
}

/** What identifies a run. */
interface RunNames {
  /** `-`: standard input. */
  readonly input: string;
  readonly output: string | null;
  /** `2/8`. */
  readonly shard: string | null;
  readonly begin: Date;
  /** In a queue. */
  readonly batch?: string;
}

const whole = (value: number) => Math.round(value);

function countFields(tally: Tally, elapsed: number, left = itemsLeft(tally)) {
  const done = tally.answered + tally.failed;
  return {
    elapsed_ms: whole(elapsed),
    items: {
      total: tally.total ?? null,
      answered_before: tally.already,
      answered: tally.answered,
      failed: tally.failed,
      left: left ?? null,
    },
    /** Items a second. */
    rate: elapsed > 0 ? Number(((done * 1000) / elapsed).toFixed(3)) : null,
    attempts: tally.attempts,
    tokens: {
      prompt: tally.promptTokens,
      completion: tally.completionTokens,
      total: tally.tokens,
    },
    /** By currency; null where no price is known. */
    cost: tally.costs.size === 0 ? null : Object.fromEntries(tally.costs),
  };
}

/** Seconds until the last item, at the rate of this run. */
function estimatedSeconds(tally: Tally, elapsed: number): number | null {
  const left = itemsLeft(tally);
  const done = tally.answered + tally.failed;
  return left === undefined || done === 0 ? null : whole((left * elapsed) / done / 1000);
}

/** A line of `--progress-json`. @param pause milliseconds until the next request is allowed */
function progressRecord(tally: Tally, time: Date, elapsed: number, pause: number): object {
  return {
    type: 'progress',
    time: time.toISOString(),
    ...countFields(tally, elapsed),
    eta_seconds: estimatedSeconds(tally, elapsed),
    paused_ms: whole(pause),
  };
}

function latencyFields(figures: LatencyFigures | undefined): object | null {
  if (figures === undefined) return null;
  const { count, buckets, ...times } = figures;
  const rounded = Object.entries(times).map(([name, time]) => [name, whole(time)] as const);
  const limits = buckets.map((bucket) => ({ up_to: bucket.upTo, count: bucket.count }));
  return { count, ...Object.fromEntries(rounded), buckets: limits };
}

/**
 * The causes of failed items, the most frequent first, each with its first item in the input.
 * @param clean makes texts safe to show
 */
function causesOf(tally: Tally, clean: (text: string) => string): readonly FailureCause[] {
  return [...tally.examples]
    .map(
      ([
        kind,
        {
          failure,
          item: { line, id },
        },
      ]) => ({
        kind,
        count: tally.causes.get(kind) ?? 0,
        line,
        id: id === undefined ? null : clean(id),
        example: clean(failure.message),
      }),
    )
    .toSorted((one, other) => other.count - one.count);
}

/** The document of `--summary`, and the last line of `--progress-json`. Times are whole milliseconds. */
function summaryRecord(
  tally: Tally,
  { input, output, shard, begin, batch }: RunNames,
  { elapsed, error, notice, stoppedBy, left }: Ending,
  clean: (text: string) => string,
): object {
  const { code, name } = exitOf(error);
  return {
    type: 'summary',
    begin: begin.toISOString(),
    input,
    output,
    shard,
    batch,
    exit_code: code,
    exit_name: name,
    message: clean(notice ?? toFailure(error).message),
    stopped_by: stoppedBy,
    ...countFields(tally, elapsed, left),
    causes: causesOf(tally, clean),
    latency_ms: latencyFields(tally.latency.figures()),
    first_text_ms: latencyFields(tally.firstText.figures()),
  };
}

interface ReportedRun {
  readonly context: Pick<Context, 'streams' | 'clock' | 'secrets'>;
  readonly presentation: Pick<Presentation, 'notices' | 'noticeStyle' | 'unicode'>;
  readonly options: ReportOptions;
  readonly tally: Tally;
}

/** Milliseconds between two lines of `--progress-json`. */
const interval = 10_000;

/** A histogram of fewer answers says little. */
const fewAnswers = 10;

/**
 * Prints a line of JSON every ten seconds.
 * @param pause the milliseconds until the next request is allowed
 * @returns a function that ends it
 */
export function printProgress(run: ReportedRun, pause: () => number): () => void {
  const { context, options, tally } = run;
  const { clock, streams } = context;
  if (options.progressJson !== true) return () => undefined;
  const begin = clock.monotonic();
  return clock.repeat(interval, () => {
    const elapsed = clock.monotonic() - begin;
    void streams.stderr.write(jsonLine(progressRecord(tally, clock.date(), elapsed, pause())));
  });
}

/** The histogram and the table of causes, on a terminal or if requested. */
function printFigures({ context, presentation, options, tally }: ReportedRun): void {
  const { stderr } = context.streams;
  const isWanted = options.figures === true;
  if (options.quiet === true || !(stderr.isTerminal || isWanted)) return;
  const layout = {
    isTerminal: true,
    width: stderr.columns(),
    style: presentation.noticeStyle,
    unicode: presentation.unicode,
  };
  const latency = tally.latency.figures();
  if (latency !== undefined && (isWanted || latency.count >= fewAnswers)) {
    void stderr.write(latencyText(latency, layout));
  }
  const causes = causesOf(tally, (text) => cleanLine(context, text));
  if (causes.length > 0) void stderr.write(causesText(causes, layout));
}

/** The causes as sentences, unless the table of causes or the last line has them. */
function printCauses({ context, presentation, options, tally }: ReportedRun, error: unknown): void {
  const isInTable = context.streams.stderr.isTerminal || options.figures === true;
  if (isInTable || options.progressJson === true) return;
  for (const cause of causesOf(tally, (text) => text)) {
    const { kind, line, example } = cause;
    if (toFailure(error).message.includes(example)) continue;
    const place = example.startsWith(`line ${line} `) ? '' : `, ${placeText(cause)}`;
    presentation.notices.notice(`first failure (${kind})${place}: ${example}`);
  }
}

/** Prints the first failed item of each cause. */
export function printFailures(run: ReportedRun): void {
  printFigures(run);
  printCauses(run, undefined);
}

/** Reports the end of a run in all requested forms. @throws the error of the ending, or Failure `storage` */
export function reportEnd(run: ReportedRun, names: RunNames, ending: Ending): void {
  const { context, presentation, options, tally } = run;
  const { notices } = presentation;
  printFigures(run);
  printCauses(run, ending.error);
  if (ending.notice !== undefined) notices.notice(ending.notice);
  const isDone = tally.already > 0 && tally.answered + tally.failed === 0;
  if (isDone && ending.error === undefined && names.output !== null) {
    notices.notice('nothing was sent; a different -o file asks again');
  }
  const clean = (text: string) => cleanLine(context, text);
  const line = jsonLine(summaryRecord(tally, names, ending, clean));
  if (options.progressJson === true) void context.streams.stderr.write(line);
  try {
    if (options.summary !== undefined) writeSummary(options.summary, line);
  } catch (error) {
    if (ending.error === undefined) throw error;
    notices.warning(error instanceof Error ? error.message : String(error));
  }
  if (ending.error !== undefined) throw ending.error;
}
