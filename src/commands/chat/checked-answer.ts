import {
  type AnswerCheck,
  askUntilConforming,
  checkedFields,
  type CheckedAnswers,
  failureOf,
  lastOf,
  metadataOf,
  valueText,
} from '../../ask/check.ts';
import type { Failure } from '../../failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { jsonLinesPrinter } from '../../output/answer-printer.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { truncationWarning } from '../../output/notices.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import { createTextOutput } from '../print/answer-output.ts';
import { cleanLine } from '../program/secrets.ts';
import type { ChatRun } from './chat-run.ts';
import { askPrompt, type GivenAnswer, type ReadyPrompt } from './run.ts';

type Answers = CheckedAnswers<GivenAnswer>;

/** Prints an answer that has no value on standard error, so that it is not lost. */
function printRest({ context }: ChatRun, content: string): void {
  const { stderr } = context.streams;
  if (content.trim() === '') return;
  const text = sanitize(content);
  const end = text.endsWith('\n') ? '' : '\n';
  void stderr.write('natter: the received answer:\n');
  void stderr.write(`${text}${end}`);
}

/** The value, or the one of `--select`, on a separate line. @returns the number of characters that were removed */
async function printValue(run: ChatRun, answers: Answers): Promise<number> {
  const format = run.format === 'markdown' ? 'plain' : run.format;
  const output = await createTextOutput({ ...run, format });
  const text = `${valueText(answers) ?? ''}\n`;
  await output.printer.event({ type: 'text-received', text, deltas: [text] });
  await output.printer.end();
  return output.removed();
}

/** The document of `--json`, or the last lines of `--jsonl`: `answer-checked`, and `answer-failed`. */
async function printJson(
  { context, format }: ChatRun,
  answers: Answers,
  failure: Failure | undefined,
): Promise<void> {
  const { stdout } = context.streams;
  const { answer, checked } = lastOf(answers);
  const { model } = answer.choice.answer;
  const { fields, withValue } = checkedFields(answers, model);
  const clean = (text: string) => cleanLine(context, text);
  const metadata = metadataOf(answers);
  if (format === 'json') {
    const line = jsonLine({
      ...answerFields(metadata, answer.content, model),
      ...fields,
      ...(failure === undefined ? {} : failureFields(failure, clean)),
    });
    await stdout.write(withValue(line));
    return;
  }
  if (checked !== undefined) {
    await stdout.write(withValue(jsonLine({ type: 'answer-checked', ...fields })));
  }
  await jsonLinesPrinter(stdout, clean).end({ metadata, failure });
}

/**
 * Asks for an answer that conforms, and prints its value. Only `--jsonl` prints answers before their check.
 * @throws Failure `mismatch` if no answer conforms, or what was thrown instead of an answer
 */
export async function printChecked(
  prompt: ReadyPrompt,
  check: AnswerCheck,
): Promise<{ readonly metadata: AnswerMetadata; readonly removed: number }> {
  const { run, record } = prompt;
  const { context, format } = run;
  const { notices } = run.presentation;
  const lines = format === 'jsonl' ? jsonLinesPrinter(context.streams.stdout, (text) => text) : {};
  let from = prompt.first;
  const answers = await askUntilConforming({
    check,
    messages: prompt.messages,
    async send(messages, correction) {
      if (correction?.isRepeat === false) record?.addPrompt(correction.prompt);
      const answer = await askPrompt(prompt, from, messages, lines, false);
      from = answer.choice;
      return answer;
    },
    onMismatch(text, retry) {
      const what = `the answer does not match the schema: ${text}`;
      notices.notice(`${what}; asking again (${retry} of ${check.retries})`);
      return true;
    },
  });
  const { answer } = lastOf(answers);
  const failure = failureOf(check, answers);
  let removed = 0;
  if (format.startsWith('json')) await printJson(run, answers, failure);
  else if (failure === undefined) removed = await printValue(run, answers);
  else printRest(run, answer.content);
  if (answer.error !== undefined) throw answer.error;
  if (failure !== undefined) {
    const warning = truncationWarning(metadataOf(answers));
    if (warning !== undefined) notices.warning(warning);
    throw failure;
  }
  return { metadata: metadataOf(answers), removed };
}
