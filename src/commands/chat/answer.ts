// Sends one prompt to the models of a chain, and prints the answer: as it arrives, or when it has passed its check.
import { ask, type Sink } from '../../ask/ask.ts';
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
import {
  askModels,
  type Chain,
  type ChainClients,
  type Choice,
  isTooLong,
} from '../../ask/fallback.ts';
import type { PlannedRequest } from '../../ask/plan-request.ts';
import type { Service } from '../../ask/service.ts';
import { catalogue, type Message } from '../../client/contract.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { hasInputPlaceholder } from '../../conversation/compose-prompt.ts';
import { type ContextFit, largerModel, type ModelWindows } from '../../conversation/context-fit.ts';
import type { AnswerRecorder, PromptRecord } from '../../conversation/journal/record-answer.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { createProgressReporter } from '../../output/activity.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { type AnswerPrinter, jsonLinesPrinter } from '../../output/answer-printer.ts';
import { endingFailure, failureFields } from '../../output/ending-failure.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { truncationWarning } from '../../output/notices.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import { createAnswerOutput, createTextOutput, lookOf } from '../../output/answer-output.ts';
import { withHint } from '../../cli/report.ts';
import type { ChatRun } from './chat-run.ts';

/** A prompt that is ready to be sent. */
export interface ReadyPrompt {
  readonly run: ChatRun;
  readonly messages: readonly Message[];
  readonly chain: Chain;
  readonly first: Choice;
  readonly service: Service;
  readonly clients: ChainClients;
  /** Undefined if nothing is saved. */
  readonly record: PromptRecord | undefined;
}

const advice = '--split auto sends it in pieces';

/** Not for a prompt file, which has no words. */
function canSplit({ options, words }: ChatRun): boolean {
  const { jsonl, resume, branch, fallback, system } = options;
  const isOther = [jsonl, options.continue, resume, branch, fallback].some(
    (option) => option !== undefined && option !== false,
  );
  const text = words?.filter((word) => word !== '-').join(' ') ?? '';
  return text !== '' && !isOther && !hasInputPlaceholder(text) && !hasInputPlaceholder(system);
}

/** About a prompt that may not fit the window; undefined if it fits comfortably. */
export function promptWarning(run: ChatRun, { warning, fit }: PlannedRequest): string | undefined {
  if (warning === undefined || fit.state !== 'over') return warning;
  return canSplit(run) ? `${warning}; ${advice}` : warning;
}

/** A failure with a hint if the service has refused a prompt because of its length. */
function withSplitHint(
  failure: Failure,
  run: ChatRun,
  fit: ContextFit,
  windows: ModelWindows,
): Failure {
  if (failure.kind !== 'invalid_request') return failure;
  if ((fit.state !== 'over' && !isTooLong(failure)) || !canSplit(run)) return failure;
  const larger = fit.window === undefined ? undefined : largerModel(fit.window, windows);
  const model = larger === undefined ? '' : `-m ${larger} has a larger window; `;
  return rephrase(failure, { hint: `${model}${advice}` });
}

/**
 * The failure with a hint that names the model that a mistyped one almost matches, or `natter compare` for several models.
 * @param windows has the models that the service reported
 */
export function suggestModel(failure: Failure, model: string, windows: ModelWindows): Failure {
  const isRefused = failure.kind === 'invalid_request' && failure.message.includes(model);
  if (failure.kind !== 'not_found' && !isRefused) return failure;
  if (model.includes(',')) {
    // A user may paste the command.
    const models = /^[\w.:,/-]+$/.test(model) ? model : '…';
    return rephrase(failure, { hint: `‹natter compare -m ${models}› asks each of them` });
  }
  const near = nearlyNamed(model, [...windows.keys(), ...catalogue.map(({ id }) => id)]);
  if (near === undefined) return failure;
  const hint = `did you mean -m ${near}? ‹natter models list› shows the available models`;
  return rephrase(failure, { hint });
}

/** What was thrown instead of an answer, and the failure of the prompt, with hints of the command line. */
function explain({ run, service }: ReadyPrompt, thrown: unknown, { planned }: Choice) {
  const { environment, signal } = run.context;
  let error = thrown;
  if (thrown instanceof Failure && thrown.status !== undefined) {
    const windows = service.windows();
    const failure = withSplitHint(thrown, run, planned.fit, windows);
    error = suggestModel(failure, planned.request.model, windows);
  }
  return { error, failure: withHint(endingFailure(error, signal), environment) };
}

/** Begins with the request to a model; the steps to the next ones are reported. */
async function begin({ run }: ReadyPrompt, choice: Choice, printer: Partial<AnswerPrinter>) {
  const { warning } = choice.planned;
  if (warning !== undefined) run.presentation.notices.warning(warning);
  const { model, profile, fallbackFrom } = choice.answer;
  await printer.record?.({ type: 'fallback-started', model, profile, fallbackFrom });
}

/**
 * Asks the models from `from` on, until one answers; shows waits, and records the answer.
 * @param isShown whether the text is printed as it arrives
 * @returns the answer, and the model that gave it
 */
async function askPrompt(
  prompt: ReadyPrompt,
  from: Choice,
  messages: readonly Message[],
  printer: Partial<AnswerPrinter>,
  isShown: boolean,
) {
  const { run, chain, service, clients, record } = prompt;
  const { guard } = run;
  const { signal } = run.context;
  let recorder: AnswerRecorder | undefined;
  let report = () => {};
  const given = await askModels(chain, from, async (choice) => {
    if (choice !== from) await begin(prompt, choice, printer);
    const { answer, model, planned } = choice;
    const progress = createProgressReporter(run, answer.model);
    ({ report } = progress);
    recorder = record?.begin(answer);
    const send = async () => {
      const client = await clients.of(model);
      return client.chat({ ...planned.request, messages }, { signal });
    };
    const sink: Sink = {
      event(event) {
        if (isShown || event.type !== 'text-received') progress.event(event);
        return printer.event?.(event);
      },
    };
    try {
      return await ask({ send, clock: service.clock, signal, recorder, guard }, sink);
    } finally {
      progress.end();
    }
  });
  recorder?.end(given.error instanceof Failure ? given.error.kind : undefined);
  const thrown: unknown = given.error ?? (signal.aborted ? signal.reason : undefined);
  const explained = thrown === undefined ? {} : explain(prompt, thrown, given.choice);
  return { ...given, ...explained, report };
}

/** What is known about an answer that was printed. */
export interface Shown {
  readonly metadata: AnswerMetadata;
  /** Characters of the answer that were not shown. */
  readonly removed: number;
}

/** Prints the answer as it arrives. @throws what was thrown instead of an answer */
export async function printAnswer(prompt: ReadyPrompt): Promise<Shown> {
  const { run, first, messages } = prompt;
  const { model, answer } = first;
  const output = await createAnswerOutput(run, lookOf(model.settings), answer.model);
  const { printer } = output;
  const given = await askPrompt(prompt, first, messages, printer, true);
  const { metadata, failure, error } = given;
  await printer.end({ metadata, failure });
  given.report();
  if (error !== undefined) throw error;
  return { metadata, removed: output.removed() };
}

type Answers = CheckedAnswers<Awaited<ReturnType<typeof askPrompt>>>;

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
async function printCheckedJson(
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
      ...failureFields(failure, clean),
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
export async function printChecked(prompt: ReadyPrompt, check: AnswerCheck): Promise<Shown> {
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
      answer.report();
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
  const metadata = metadataOf(answers);
  let removed = 0;
  if (format.startsWith('json')) await printCheckedJson(run, answers, failure);
  else if (failure === undefined) removed = await printValue(run, answers);
  else printRest(run, answer.content);
  if (answer.error !== undefined) throw answer.error;
  if (failure !== undefined) {
    const warning = truncationWarning(metadata);
    if (warning !== undefined) notices.warning(warning);
    throw failure;
  }
  return { metadata, removed };
}
