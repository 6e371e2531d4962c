import { rephrase } from '../../client/failure/request-failure.ts';
import type { Failure } from '../../failure.ts';
import { filteredNotice, finishNotice, refusalNotice } from '../../output/notices.ts';
import { endReasonOf, type ComparedAnswer } from '../../output/comparison/comparison-view.ts';
import { heading } from '../../output/comparison/stacked-answers.ts';
import { figuresText } from '../../output/answer-figures.ts';
import { count } from '../../output/figures.ts';
import { truncationFailure, truncationWarning } from '../../output/truncated-prompt.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import type { Comparison } from './models.ts';

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

type FailedAnswer = Pick<ComparedAnswer, 'label' | 'failure'>;

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

/** With the failures of `--strict`. */
function failuresOf({ options, answers }: FinishedComparison): readonly FailedAnswer[] {
  return answers.map(({ label, failure, metadata }) => ({
    label,
    failure: failure ?? (options.strict === true ? truncationFailure(metadata) : undefined),
  }));
}

function withLabel({ label, failure }: FailedAnswer): Failure | undefined {
  if (failure === undefined) return undefined;
  return rephrase(failure, { message: `${label}: ${failure.message}`, cause: failure });
}

/** @throws the first failure; prints the others as warnings */
export async function reportComparison(comparison: FinishedComparison): Promise<void> {
  const { options, format, presentation } = comparison;
  if (options.diff === true) await printDiffs(comparison);
  if (options.quiet !== true && !format.startsWith('json')) printFigures(comparison);
  printNotices(comparison);
  warnSameModel(comparison);
  const [first, ...others] = failuresOf(comparison)
    .map(withLabel)
    .filter((failure) => failure !== undefined);
  for (const { message } of others) presentation.notices.warning(message);
  if (first !== undefined) throw first;
}
