import { causesText, latencyText, placeText } from './figures-text.ts';
import type { Tally } from '../../../batch/tally.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { jsonLine } from '../../../output/json-answer.ts';
import type { Presentation } from '../../print/presentation.ts';
import type { Context } from '../../program/context.ts';
import { cleanLine } from '../../program/mask-secrets.ts';
import type { Ending } from './ending.ts';
import { causesOf, progressRecord, type RunNames, summaryRecord } from './run-record.ts';
import { writeSummary } from './summary-file.ts';

export interface ReportOptions {
  readonly progressJson?: boolean;
  /** The file of `--summary`. */
  readonly summary?: string;
  readonly figures?: boolean;
  readonly quiet?: boolean;
}

export interface ReportedRun {
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
