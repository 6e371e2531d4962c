import { rephrase } from '../../client/failure/request-failure.ts';
import type { Failure } from '../../failure.ts';
import type { AnswerFormat } from '../../output/answer-format.ts';
import { filteredNotice, finishNotice, refusalNotice } from '../../output/answer-notices.ts';
import { endingOf, type ComparedAnswer } from '../../output/comparison/comparison-view.ts';
import { heading } from '../../output/comparison/stacked-answers.ts';
import { count, figuresText } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { CompareOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import type { Presentation } from '../print/presentation.ts';

/** All answers are over. */
export interface Conclusion {
  readonly context: Context;
  readonly options: CompareOptions;
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
  readonly answers: readonly ComparedAnswer[];
  /** Characters that were not let through to the terminal. */
  readonly removed: number;
}

const endLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** How the others differ from the first; what has no text is not compared. */
async function printDifferences({ context, presentation, answers }: Conclusion): Promise<void> {
  const { diffWords, formatDiff, mostChanges } = await import('../../output/word-diff.ts');
  const { stdout } = context.streams;
  const shown = (text: string) => (stdout.isTerminal ? sanitize(text) : text);
  const [first, ...others] = answers.filter(({ content }) => content !== '');
  if (first === undefined || others.length === 0) {
    presentation.notices.notice('fewer than two answers to compare');
    return;
  }
  for (const other of others) {
    const parts = diffWords(shown(first.content), shown(other.content));
    const labels = sanitizeLine(`${first.label} and ${other.label}`);
    if (parts === undefined) {
      presentation.notices.notice(
        `${labels} differ in more than ${count(mostChanges)} words: no difference is shown`,
      );
    } else {
      const isSame = parts.every(({ kind }) => kind === 'both');
      const text = isSame ? 'the same words' : formatDiff(parts, presentation.style);
      const title = heading(`difference of ${labels}`, presentation.style);
      await stdout.write(`\n${title}${endLine(text)}`);
    }
  }
}

/** On standard error, as all that is told beside answers. */
function printFigures({ context, presentation, answers }: Conclusion): void {
  const { stderr } = context.streams;
  const measured = answers.map((answer) => {
    const { label, content, record } = answer;
    const { usage, timing } = record;
    return { label, content, usage, timing, ending: endingOf(answer) };
  });
  const { isTerminal } = stderr;
  const layout = { isTerminal, width: stderr.columns(), style: presentation.noticeStyle };
  const text = maskMessage(context.secrets, figuresText(measured, layout));
  void stderr.write(isTerminal ? `\n${text}` : text);
}

/** What the person should know of answers that are whole. */
function printNotices({ presentation: { notices }, answers, removed }: Conclusion): void {
  for (const { label, record, failure } of answers) {
    const { refusal } = record;
    if (refusal !== undefined) notices.warning(`${label}: ${refusalNotice(refusal)}`);
    const isWhole = record.complete && failure === undefined;
    const notice = isWhole ? finishNotice(record) : undefined;
    if (notice !== undefined) notices.notice(`${label}: ${notice}`);
  }
  const filtered = filteredNotice(removed);
  if (filtered !== undefined) notices.notice(filtered);
}

function labelled({ label, failure }: ComparedAnswer): Failure | undefined {
  if (failure === undefined) return undefined;
  return rephrase(failure, { message: `${label}: ${failure.message}`, cause: failure });
}

/**
 * Prints what stands under the answers.
 * @throws Failure of the first that failed; the others are told as warnings
 */
export async function concludeComparison(conclusion: Conclusion): Promise<void> {
  const { options, format, answers, presentation } = conclusion;
  if (options.diff === true) await printDifferences(conclusion);
  if (options.quiet !== true && !format.startsWith('json')) printFigures(conclusion);
  printNotices(conclusion);
  const [first, ...others] = answers.map(labelled).filter((failure) => failure !== undefined);
  for (const { message } of others) presentation.notices.warning(message);
  if (first !== undefined) throw first;
}
