import type { ChatEvent } from '../../client/events.ts';
import type { CompletionRequest, Message } from '../../client/contract.ts';
import type { Journal, NewAnswer } from '../../conversation/journal/journal.ts';
import { createAnswerRecorder, recordAnswer } from '../../conversation/journal/record-answer.ts';
import type { Failure } from '../../failure.ts';
import type { AnswerFormat } from '../../output/answer-format.ts';
import { type AnswerMetadata, createAnswerMeter } from '../../output/answer-meter.ts';
import { type AnswerPrinter, jsonLinesPrinter } from '../../output/answer-printer.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import type { ProgressReporter } from '../../output/progress-reporter.ts';
import { truncationWarning } from '../../output/truncated-prompt.ts';
import { describeViolations } from '../../schema/violation.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import {
  askUntilConforming,
  type CheckedAnswers,
  type Correction,
  failureOf,
  lastOf,
  metadataOf,
  type UncheckedAnswer,
} from '../check/ask.ts';
import { checkFields, withValue } from '../check/check-fields.ts';
import { valueText, withTap } from '../check/checked-text.ts';
import type { AnswerCheck } from '../check/open-check.ts';
import type { OpenConversation } from '../journal/open-conversation.ts';
import { createTextOutput } from '../print/answer-output.ts';
import type { Presentation } from '../print/presentation.ts';
import type { SecretGuard } from '../prompt/guard/secret-guard.ts';
import type { Context } from '../program/context.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Service } from '../service/service.ts';
import type { FallbackChain } from './fallback.ts';

/** One prompt whose answer is checked. */
export interface CheckedPrompt {
  readonly context: Context;
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
  readonly conversation: OpenConversation;
  readonly check: AnswerCheck;
  /** Undefined if the input was not checked for secrets. */
  readonly guard: SecretGuard | undefined;
  readonly service: Service;
  readonly request: CompletionRequest;
  /** Undefined without fallbacks. */
  readonly chain: FallbackChain | undefined;
  readonly reportProgress: (model: string) => ProgressReporter;
  /** The failure of a model, with hints of the command line. */
  readonly explain: (
    thrown: unknown,
    model: string,
  ) => Promise<{ readonly error: unknown; readonly failure: Failure }>;
}

interface PromptAnswer extends UncheckedAnswer {
  /** What was thrown; undefined for a complete answer. */
  readonly error: unknown;
}

/** The model that was asked last. */
function askedOf({ chain, request }: CheckedPrompt): NewAnswer {
  return chain?.answer ?? { model: request.model };
}

/** Records a correction and its answer; the answer to a repeated prompt becomes a version of the empty one. */
function recordCorrection(
  journal: Journal,
  asked: NewAnswer,
  { isRepeat, prompt }: Correction,
  events: AsyncIterable<ChatEvent>,
): AsyncIterable<ChatEvent> {
  const [empty] = [...journal.conversation().turns.values()].slice(-1);
  const parent = isRepeat ? empty?.parent : journal.addTurn({ role: 'user', content: prompt }).id;
  // Not a copy: a fallback changes the model of the answer.
  Object.assign(asked, { parent });
  return recordAnswer(createAnswerRecorder(journal, asked), events);
}

/** @param printer of the steps of a fallback */
function eventsOf(
  prompt: CheckedPrompt,
  messages: readonly Message[],
  correction: Correction | undefined,
  printer: Pick<AnswerPrinter, 'record'>,
  onStep: (warn: () => void, model: string) => void,
): AsyncIterable<ChatEvent> {
  const { context, conversation, service, request, chain } = prompt;
  const { signal } = context;
  const chatEvents = () =>
    chain?.chat(service, printer, onStep, messages) ??
    service.client.chat({ ...request, messages }, { signal });
  const asked = askedOf(prompt);
  if (correction === undefined) return conversation.record(asked, chatEvents);
  const journal = conversation.journal();
  if (journal === undefined) return chatEvents();
  return recordCorrection(journal, asked, correction, chatEvents());
}

/** Receives one answer. Only `--jsonl` prints it before its check. */
async function receive(
  prompt: CheckedPrompt,
  messages: readonly Message[],
  correction: Correction | undefined,
): Promise<PromptAnswer> {
  const { context, format, service } = prompt;
  const { stdout } = context.streams;
  const lines = format === 'jsonl' ? jsonLinesPrinter(stdout, (text) => text) : undefined;
  let progress = prompt.reportProgress(askedOf(prompt).model);
  const onStep = (warn: () => void, model: string) => {
    progress.end();
    warn();
    progress = prompt.reportProgress(model);
  };
  const meter = createAnswerMeter(service.clock);
  const texts: string[] = [];
  const sent: string[] = [];
  const events = withTap(eventsOf(prompt, messages, correction, lines ?? {}, onStep), sent);
  let ending: Pick<PromptAnswer, 'error' | 'failure'> = { error: undefined, failure: undefined };
  try {
    for await (const event of prompt.guard?.restore(events) ?? events) {
      if (event.type === 'text-received') texts.push(event.text);
      else progress.event(event);
      meter.event(event);
      await lines?.event(event);
    }
    context.signal.throwIfAborted();
  } catch (thrown) {
    ending = await prompt.explain(thrown, askedOf(prompt).model);
  } finally {
    progress.end();
  }
  const received = meter.metadata(ending.failure);
  const metadata = prompt.chain?.describe(received) ?? received;
  return { content: texts.join(''), received: sent.join(''), metadata, ...ending };
}

/** Prints an answer that has no value on standard error, so that it is not lost. */
function printRest({ context }: CheckedPrompt, content: string): void {
  const { stderr } = context.streams;
  if (content.trim() === '') return;
  const text = sanitize(content);
  const end = text.endsWith('\n') ? '' : '\n';
  void stderr.write('natter: the received answer:\n');
  void stderr.write(`${text}${end}`);
}

/** The value, or the one of `--select`, on a separate line. @returns the number of characters that were removed */
async function printValue(prompt: CheckedPrompt, answers: CheckedAnswers): Promise<number> {
  const value = valueText(lastOf(answers).checked) ?? '';
  const format = prompt.format === 'markdown' ? 'plain' : prompt.format;
  const output = await createTextOutput({ ...prompt, format });
  const text = `${value}\n`;
  await output.printer.event({ type: 'text-received', text, deltas: [text] });
  await output.printer.end();
  return output.removed();
}

function documentOf(
  prompt: CheckedPrompt,
  answers: CheckedAnswers,
  failure: Failure | undefined,
): string {
  const { answer, checked } = lastOf(answers);
  const { model } = askedOf(prompt);
  const clean = (text: string) => cleanLine(prompt.context, text);
  const line = jsonLine({
    ...answerFields(metadataOf(answers), answer.content, model),
    ...checkFields(answers, model),
    ...(failure === undefined ? {} : failureFields(failure, clean)),
  });
  return withValue(line, checked);
}

/** The last line of `--jsonl`: `answer-checked`, or `answer-failed`. */
async function printLastLine(
  prompt: CheckedPrompt,
  answers: CheckedAnswers,
  failure: Failure | undefined,
): Promise<void> {
  const { context } = prompt;
  const { stdout } = context.streams;
  const { checked } = lastOf(answers);
  if (checked !== undefined) {
    const fields = checkFields(answers, askedOf(prompt).model);
    await stdout.write(withValue(jsonLine({ type: 'answer-checked', ...fields }), checked));
  }
  const printer = jsonLinesPrinter(stdout, (text) => cleanLine(context, text));
  await printer.end({ metadata: metadataOf(answers), failure });
}

async function print(
  prompt: CheckedPrompt,
  answers: CheckedAnswers,
  failure: Failure | undefined,
): Promise<number> {
  const { context, format } = prompt;
  if (format === 'json') await context.streams.stdout.write(documentOf(prompt, answers, failure));
  else if (format === 'jsonl') await printLastLine(prompt, answers, failure);
  else if (failure === undefined) return printValue(prompt, answers);
  else printRest(prompt, lastOf(answers).answer.content);
  return 0;
}

/**
 * Asks for an answer that conforms, and prints its value.
 * @throws Failure `mismatch` if no answer conforms, or what was thrown instead of an answer
 */
export async function answerChecked(
  prompt: CheckedPrompt,
): Promise<{ readonly metadata: AnswerMetadata; readonly removed: number }> {
  const { check, request, presentation } = prompt;
  const answers = await askUntilConforming({
    check,
    messages: request.messages,
    send: (...next) => receive(prompt, ...next),
    onMismatch: (violations, retry) => {
      const what = `the answer does not match the schema: ${describeViolations(violations)}`;
      presentation.notices.notice(`${what}; asking again (${retry} of ${check.retries})`);
      return true;
    },
  });
  const { error } = lastOf(answers).answer;
  const failure = failureOf(check, answers);
  const removed = await print(prompt, answers, failure);
  if (error !== undefined) throw error;
  if (failure !== undefined) {
    const warning = truncationWarning(metadataOf(answers));
    if (warning !== undefined) presentation.notices.warning(warning);
    throw failure;
  }
  return { metadata: metadataOf(answers), removed };
}
