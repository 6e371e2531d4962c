// How the answers of a comparison are shown, and what is reported at its end.
import { createAnswerColumns, columnWidth } from '../../output/answer-columns.ts';
import {
  createComparisonLines,
  createComparisonDocument,
  createStackedAnswers,
  type ComparisonView,
  endReasonOf,
  type ComparedAnswer,
  heading,
} from '../../output/comparison.ts';
import { cleanLine, maskMessage } from '../../secrets/secrets.ts';
import { createTextPrinter, answerStyle, lookOf } from '../../output/answer-output.ts';
import { unchanged } from '../../output/answer-printer.ts';
import { terminalTraits } from '../../terminal/device/terminal-kind.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import type { Failure } from '../../failure.ts';
import {
  filteredNotice,
  finishNotice,
  refusalNotice,
  truncationFailure,
  truncationWarning,
} from '../../output/notices.ts';
import { figuresText, count } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Comparison } from './models.ts';

/** Two columns of this width fit into 80 columns of a terminal. */
const minColumnWidth = 38;

/** Whether the answers are shown side by side: on a terminal that is wide enough and can redraw rows. */
export function showsColumns(comparison: Comparison): boolean {
  const { context, presentation, options, format, models } = comparison;
  const isShown = format === 'markdown' || format === 'plain';
  if (!isShown || !presentation.drawsOutput || options.stacked === true) return false;
  return columnWidth(context.streams.stdout.columns(), models.length) >= minColumnWidth;
}

const labelsOf = ({ models }: Comparison) => models.map(({ label }) => label);

/** The looks of the settings of the first model. */
const look = ({ models: [first] }: Comparison) =>
  first === undefined ? {} : lookOf(first.settings);

async function openColumns(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, format, models } = comparison;
  const { clock, device, streams, environment } = context;
  const { style: own, unicode } = presentation;
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  const wrap = models[0]?.settings.values.wrap ?? 'words';
  const style = answerStyle(presentation, look(comparison));
  return createAnswerColumns({
    traits: terminalTraits(environment),
    output: streams.stdout,
    clock,
    device,
    style: own,
    unicode,
    labels: labelsOf(comparison).map(sanitizeLine),
    // The end of a row would cut links.
    transform: (width) =>
      format === 'plain'
        ? unchanged
        : createMarkdownStream({ style, width, hyperlinks: false, unicode, wrap }),
  });
}

export async function openView(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, format, models } = comparison;
  const { stdout } = context.streams;
  const clean = (text: string) => cleanLine(context, text);
  if (format === 'json') return createComparisonDocument(stdout, clean);
  if (format === 'jsonl') return createComparisonLines(stdout, labelsOf(comparison), clean);
  if (showsColumns(comparison)) return openColumns(comparison);
  const open = () => createTextPrinter(comparison, look(comparison));
  const printers = await Promise.all(models.map(open));
  const labels = labelsOf(comparison).map(sanitizeLine);
  return createStackedAnswers(stdout, presentation.style, labels, printers);
}

interface FinishedComparison extends Comparison {
  readonly answers: readonly ComparedAnswer[];
  /** Characters of the answers that were not shown. */
  readonly removed: number;
}

const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** Compares each answer that has text with the first one. */
async function printDiffs({ context, presentation, answers }: FinishedComparison): Promise<void> {
  const { diffWords, formatDiff, maxChanges } = await import('../../output/word-diff.ts');
  const { stdout } = context.streams;
  const clean = (text: string) => (stdout.isTerminal ? sanitize(text) : text);
  const [first, ...others] = answers.filter(({ content }) => content !== '');
  if (first === undefined || others.length === 0) {
    presentation.notices.notice('fewer than two answers to compare');
    return;
  }
  for (const other of others) {
    const parts = diffWords(clean(first.content), clean(other.content));
    const labels = sanitizeLine(`${first.label} and ${other.label}`);
    if (parts === undefined) {
      presentation.notices.notice(
        `${labels} differ in more than ${count(maxChanges)} words; no diff is shown`,
      );
    } else {
      const isSame = parts.every(({ kind }) => kind === 'both');
      const text = isSame ? 'no differences' : formatDiff(parts, presentation.style);
      const title = heading(`differences between ${labels}`, presentation.style);
      await stdout.write(`\n${title}${withLineEnd(text)}`);
    }
  }
}

function printFigures({ context, presentation, answers }: FinishedComparison): void {
  const { stderr } = context.streams;
  const measured = answers.map((answer) => {
    const { label, content, metadata } = answer;
    const { usage, timing } = metadata;
    return { label, content, usage, timing, endReason: endReasonOf(answer) };
  });
  const { isTerminal } = stderr;
  const layout = { isTerminal, width: stderr.columns(), style: presentation.noticeStyle };
  const text = maskMessage(context.secrets, figuresText(measured, layout));
  void stderr.write(isTerminal ? `\n${text}` : text);
}

function printNotices({
  presentation: { notices },
  options,
  answers,
  removed,
}: FinishedComparison): void {
  for (const { label, metadata, failure } of answers) {
    const truncation = options.strict === true ? undefined : truncationWarning(metadata);
    if (truncation !== undefined) notices.warning(`${label}: ${truncation}`);
    const { refusal } = metadata;
    if (refusal !== undefined) notices.warning(`${label}: ${refusalNotice(refusal)}`);
    const isComplete = metadata.complete && failure === undefined;
    const notice = isComplete ? finishNotice(metadata) : undefined;
    if (notice !== undefined) notices.notice(`${label}: ${notice}`);
  }
  const filtered = filteredNotice(removed);
  if (filtered !== undefined) notices.notice(filtered);
}

/** Warns if a service reports one model for answers of several: it may ignore the model of a request. */
function warnSameModel({ presentation, models, answers }: FinishedComparison): void {
  const answered = answers.flatMap(({ label, metadata }, index) => {
    const { values } = models[index]?.settings ?? {};
    return metadata.model === undefined || values === undefined
      ? []
      : [{ label, asked: values.model, service: values.baseUrl, reported: metadata.model }];
  });
  for (const [index, answer] of answered.entries()) {
    const other = answered
      .slice(0, index)
      .find(({ service, reported }) => service === answer.service && reported === answer.reported);
    if (other === undefined || other.asked === answer.asked) continue;
    presentation.notices.warning(
      `${other.label} and ${answer.label} were both answered by ${answer.reported}, as the service reports`,
    );
  }
}

/** The failures with the labels of their models, and those of `--strict`. */
function failuresOf({ options, answers }: FinishedComparison): readonly Failure[] {
  return answers.flatMap(({ label, failure: own, metadata }) => {
    const failure = own ?? (options.strict === true ? truncationFailure(metadata) : undefined);
    if (failure === undefined) return [];
    return [rephrase(failure, { message: `${label}: ${failure.message}`, cause: failure })];
  });
}

/** @throws the first failure; prints the others as warnings */
export async function reportComparison(comparison: FinishedComparison): Promise<void> {
  const { options, format, presentation } = comparison;
  if (options.diff === true) await printDiffs(comparison);
  if (options.quiet !== true && !format.startsWith('json')) printFigures(comparison);
  printNotices(comparison);
  warnSameModel(comparison);
  const [first, ...others] = failuresOf(comparison);
  for (const { message } of others) presentation.notices.warning(message);
  if (first !== undefined) throw first;
}
