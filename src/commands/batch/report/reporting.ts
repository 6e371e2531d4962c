import fs from 'node:fs';
import path from 'node:path';
import { causesOf, latencyFigures, latencyText, placeText } from './figures-text.ts';
import type { TalliedRun } from '../plan.ts';
import { countFields } from './progress.ts';
import { type Ending, exitOf } from './summary.ts';
import { cleanLine } from '../../../secrets/secrets.ts';
import { Failure } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { jsonLine } from '../../../output/json-answer.ts';
import { replaceContent } from '../../../storage/files.ts';
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

/** The mode of a new file; the umask applies. */
const newFileMode = 0o666;

/** Replaces the file at once: a reader sees the old or the new one. @throws Failure `storage` */
function writeSummary(file: string, text: string): void {
  try {
    const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? newFileMode;
    replaceContent(file, text, mode);
  } catch (error) {
    throw storageFailure('write', file, error);
  }
}

/** What identifies a run in its summary. */
interface RunNames {
  readonly begin: Date;
  /** `-`: standard input. */
  readonly input: string;
  readonly output: string | null;
  /** `2/8`. */
  readonly shard: string | null;
  /** The name of the batch in a queue. */
  readonly batch?: string;
}

/** A histogram of fewer answers says little. */
const fewAnswers = 10;

/** The histogram, on a terminal or if requested. */
function printFigures({ context, presentation, options, tally }: TalliedRun): void {
  const { stderr } = context.streams;
  const isWanted = options.figures === true;
  if (options.quiet === true || !(stderr.isTerminal || isWanted)) return;
  const layout = {
    // Also in a pipe. A row as wide as the window would wrap in some terminals.
    isTerminal: true,
    width: stderr.columns() - 1,
    style: presentation.noticeStyle,
    unicode: presentation.unicode,
  };
  const latency = latencyFigures(tally.latency);
  if (latency !== null && (isWanted || latency.count >= fewAnswers)) {
    void stderr.write(latencyText(latency, layout));
  }
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

/** Reports the end of a run in all requested forms. @throws the error of the ending, or Failure `storage` */
export function reportEnd(run: TalliedRun, names: RunNames, ending: Ending): void {
  const { context, presentation, options, tally } = run;
  const { notices } = presentation;
  const { elapsed, stoppedBy, left, notice, error } = ending;
  printFigures(run);
  printCauses(run, error);
  if (notice !== undefined) notices.notice(notice);
  const isDone = tally.already > 0 && tally.answered + tally.failed === 0;
  if (isDone && error === undefined && names.output !== null) {
    notices.notice('nothing was sent; a different -o file asks again');
  }
  const { code, name } = exitOf(error);
  const line = jsonLine({
    type: 'summary',
    ...names,
    exit_code: code,
    exit_name: name,
    message: cleanLine(context, notice ?? toFailure(error).message),
    stopped_by: stoppedBy,
    ...countFields(tally, elapsed, left),
    causes: causesOf(run),
    latency_ms: latencyFigures(tally.latency),
    first_text_ms: latencyFigures(tally.firstText),
  });
  if (options.progressJson === true) void context.streams.stderr.write(line);
  try {
    if (options.summary !== undefined) writeSummary(options.summary, line);
  } catch (thrown) {
    if (error === undefined) throw thrown;
    notices.warning(toFailure(thrown).message);
  }
  if (error !== undefined) throw error;
}
