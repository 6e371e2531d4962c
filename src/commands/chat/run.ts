// Starts a conversation, or sends one prompt and prints the answer: as it arrives, or when it has passed its check.
import { ask, type Sink } from '../../ask/ask.ts';
import {
  type AnswerCheck,
  askUntilConforming,
  type CheckedAnswers,
  openCheck,
  resultOf,
} from '../../ask/check.ts';
import {
  askModels,
  type Chain,
  chainOf,
  type Choice,
  chooseModel,
  fallbackModels,
  isTooLong,
} from '../../ask/fallback.ts';
import { openService, type Service } from '../../ask/service.ts';
import { catalogue, type Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { hasInputPlaceholder } from '../../conversation/compose-prompt.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import {
  type AnswerRecorder,
  createPromptRecord,
  type PromptRecord,
} from '../../conversation/journal/record-answer.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { createProgressReporter } from '../../output/activity.ts';
import {
  type AnswerPrinter,
  jsonLinesPrinter,
  createAnswerPrinter,
  createTextPrinter,
} from '../../output/answer-printer.ts';
import { endingFailure } from '../../output/ending-failure.ts';
import { usageLine } from '../../output/figures.ts';
import {
  filteredNotice,
  finishNotice,
  receivedAnswer,
  truncationFailure,
  truncationWarning,
} from '../../output/notices.ts';
import type { Context } from '../../run.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { openConversation } from '../../ask/open-conversation.ts';
import { printJson } from '../../output/print-data.ts';
import { dryRunDocument } from '../../ask/dry-run.ts';
import { readHistory } from '../../input/read-messages.ts';
import { readPrompt, withSystem } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { withHint } from '../../cli/report.ts';
import { type ChatAction, type ChatOptions, type ChatRun, prepare, promptOf } from './chat-run.ts';
import { runEvery } from './every-run.ts';

interface ReadyPrompt {
  readonly run: ChatRun;
  readonly messages: readonly Message[];
  readonly chain: Chain;
  readonly first: Choice;
  readonly service: Service;
  /** Undefined if nothing is saved. */
  readonly record: PromptRecord | undefined;
}

/** Not for a prompt file, which has no words. */
function canSplit({ options, words = [] }: ChatRun): boolean {
  const { jsonl, resume, branch, conversation, fallback, system, messages, M } = options;
  const others = [jsonl, options.continue, resume, branch, conversation, fallback, messages, M];
  const isOther = others.some((option) => option !== undefined && option !== false);
  const text = promptOf(words);
  return text !== '' && !isOther && !hasInputPlaceholder(text) && !hasInputPlaceholder(system);
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
  const { run, chain, service, record } = prompt;
  const { guard, presentation } = run;
  const { signal } = run.context;
  let recorder: AnswerRecorder | undefined;
  let report = () => {};
  const given = await askModels(chain, from, async (choice) => {
    const { answer, model, planned } = choice;
    if (choice !== from) {
      if (planned.warning !== undefined) presentation.notices.warning(planned.warning);
      const { profile, fallbackFrom } = answer;
      const started = { model: answer.model, profile, fallbackFrom };
      await printer.record?.({ type: 'fallback-started', ...started });
    }
    const progress = createProgressReporter(run, answer.model);
    ({ report } = progress);
    recorder = record?.begin(answer);
    const send = async () => {
      const client = await service.clientOf(model.settings);
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
  const isRefused = thrown instanceof Failure && given.content === '' && isTooLong(thrown);
  if (run.cutsRefused === true && isRefused) throw thrown;
  if (thrown === undefined) return { ...given, report };
  const hasStatus = thrown instanceof Failure && thrown.status !== undefined;
  const { model } = given.choice.planned.request;
  const error = hasStatus ? suggestModel(thrown, model, service.windows()) : thrown;
  const failure = withHint(endingFailure(error, signal), run.context.environment);
  return { ...given, error, failure, report };
}

type Answers = CheckedAnswers<Awaited<ReturnType<typeof askPrompt>>>;

/** Prints the value or the code block of an answer. @returns the number of characters that were removed */
async function printPart(run: ChatRun, text: string): Promise<number> {
  const format = run.format === 'markdown' ? 'plain' : run.format;
  const printer = await createTextPrinter({ ...run, format });
  await printer.event({ type: 'text-received', text, deltas: [text] });
  await printer.end();
  return printer.removed?.() ?? 0;
}

/** Prints the code block of `--extract` when its closing fence has arrived, while the rest of the answer still does. */
function createEarlyPrinter(run: ChatRun, find: AnswerCheck['findEarly']) {
  let received = '';
  /** Where the lines begin that were not searched for a fence. */
  let next = 0;
  let removed: number | undefined;
  return {
    /** The number of characters that were removed; undefined if nothing is printed yet. */
    removed: () => removed,
    async event(event: ChatEvent) {
      if (event.type !== 'text-received' || removed !== undefined) return;
      received += event.text;
      // A fence may grow until its line ends.
      const lines = received.slice(0, received.lastIndexOf('\n') + 1);
      const hasFence = /(?:`{3}|~{3})\s*$/m.test(lines.slice(next));
      next = lines.length;
      const block = hasFence ? find?.(lines) : undefined;
      if (block !== undefined) removed = await printPart(run, block.code);
    },
  };
}

/**
 * Prints what an answer with a check came to: the value, or the one of `--select`, on a separate line; the document of
 * `--json`, or the last lines of `--jsonl`. An answer that has no value goes to standard error, so that it is not lost.
 * @returns the number of characters that were removed
 */
async function printResult(
  run: ChatRun,
  { answer, checked: own }: Answers['last'],
  { checked, failure, metadata, value = '' }: ReturnType<typeof resultOf>,
): Promise<number> {
  const { context, format } = run;
  if (format.startsWith('json')) {
    const printer = await createAnswerPrinter(run, run.settings, answer.choice.answer.model);
    // An answer that failed is not checked. The document of --json still lists the answers refused before it.
    const hasFields = format === 'json' || own !== undefined;
    const found = hasFields && { checked };
    await printer.end({ content: answer.content, metadata, failure, ...found });
    return 0;
  }
  if (failure === undefined) return printPart(run, own?.block?.code ?? `${value}\n`);
  void context.streams.stderr.write(receivedAnswer(answer.content));
  return 0;
}

/**
 * Asks for an answer, and prints it as it arrives; with a check, its value at the end. Before the check, only `--jsonl`
 * and `--extract` print something. Then it reports what the user should know about the answer.
 * @throws Failure `mismatch` if no answer conforms, `truncated_prompt` with `--strict`; or what was thrown instead of an answer
 */
async function printAnswer(prompt: ReadyPrompt, check: AnswerCheck | undefined): Promise<void> {
  const { run, record, first } = prompt;
  const { context, format, options, presentation } = run;
  const { notices } = presentation;
  const { stdout, stderr } = context.streams;
  const whole =
    check === undefined
      ? await createAnswerPrinter(run, first.model.settings, first.answer.model)
      : undefined;
  const lines = format === 'jsonl' ? jsonLinesPrinter(context, run.jsonFields) : {};
  const early = createEarlyPrinter(run, check?.findEarly);
  const isEarly = !format.startsWith('json') && check?.findEarly !== undefined;
  const isShown = isEarly || whole !== undefined;
  const printer = whole ?? (isEarly ? early : lines);
  let from = first;
  const answers = await askUntilConforming({
    check,
    messages: prompt.messages,
    async send(messages, correction) {
      if (correction !== undefined) record?.addPrompt(correction);
      const answer = await askPrompt(prompt, from, messages, printer, isShown);
      await whole?.end(answer);
      answer.report();
      from = answer.choice;
      return answer;
    },
    onMismatch: (notice) => notices.notice(notice),
  });
  const { last } = answers;
  const { error, choice } = last.answer;
  const result = resultOf(check, answers, choice.answer.model);
  const { failure, metadata } = result;
  const removed =
    whole === undefined
      ? (early.removed() ?? (await printResult(run, last, result)))
      : (whole.removed?.() ?? 0);
  if (error !== undefined) throw error;
  if (failure === undefined) {
    const filtered = filteredNotice(removed, options.extract === undefined);
    for (const notice of [finishNotice(metadata), filtered]) {
      if (notice !== undefined) notices.notice(notice);
    }
    const onTerminal = stdout.isTerminal && stderr.isTerminal && !format.startsWith('json');
    if (onTerminal && options.quiet !== true) {
      const text = usageLine(metadata, first.answer.model, presentation.isSpoken);
      void stderr.write(`${presentation.noticeStyle.dim(cleanLine(context, text))}\n`);
    }
    const cut = options.strict === true ? truncationFailure(metadata) : undefined;
    if (cut !== undefined) throw cut;
  }
  const warning = truncationWarning(metadata);
  if (warning !== undefined) notices.warning(warning);
  if (failure !== undefined) throw failure;
}

/** Sends a prompt that has been read, and prints the answer. */
export async function sendPrompt(given: ChatRun, prompt: string): Promise<void> {
  const { context, options, presentation, command = 'chat', history, ownSchema } = given;
  const { notices } = presentation;
  const check = await openCheck(notices, options, ownSchema);
  const checked = { ...given, settings: check?.settings(given.settings) ?? given.settings };
  const text = check?.prompt(prompt) ?? prompt;
  const conversation = await openConversation(checked, text, history);
  let service: Service | undefined;
  try {
    const { messages, settings } = conversation;
    const models = fallbackModels({ ...checked, settings }, check);
    const chain = chainOf(models, messages, options.stream, (step) => notices.warning(step));
    const first = chooseModel(chain);
    const run = { ...checked, settings: first.model.settings };
    if (options.dryRun === true)
      return await printJson(context, dryRunDocument(run, first.planned));
    if (options.raw === true && context.streams.stdout.isTerminal) {
      notices.warning('--raw lets the answer control this terminal');
    }
    const { warning, fit } = first.planned;
    const advice = fit.state === 'over' && canSplit(run) ? '; --split auto sends it in pieces' : '';
    if (warning !== undefined) notices.warning(warning + advice);
    const costs = new Map<string, number>();
    const source = { command, conversation: () => conversation.saved()?.id, costs };
    service = await openService(run, source);
    const { isSandbox } = service;
    const jsonFields = () => ({
      // Undefined if no price is known.
      cost: isSandbox || costs.size === 0 ? undefined : Object.fromEntries(costs),
      conversation: conversation.saved(),
    });
    const begun = conversation.record();
    const record = begun && createPromptRecord(begun.journal, begun.parent);
    const ready = { run: { ...run, jsonFields }, messages, chain, first, service, record };
    await printAnswer(ready, check);
  } finally {
    await service?.close();
    await conversation.close();
  }
}

export const chat: ChatAction = async (started, words) => {
  const prepared = prepare(started);
  const guard = openSecretGuard(prepared);
  const given = await readHistory(prepared, promptOf(words) !== '', guard);
  const run = { ...prepared, guard, words, history: given.messages, settings: given.settings };
  const own = given.prompt === undefined ? words : [...words, given.prompt];
  const read = await readPrompt(run, own);
  await sendPrompt({ ...run, settings: withSystem(run.settings, read) }, read.prompt);
};

/** Options that make sense only for a single answer. */
const oneShot = [
  'json',
  'jsonl',
  'raw',
  'plain',
  'markdown',
  'dryRun',
  'schema',
  'select',
  'extract',
  'messages',
  'M',
] as const;

/**
 * Whether the chat command opens the REPL: with `--interactive`, or on a terminal without a prompt.
 * @throws Failure `usage` for `--interactive` without a terminal
 */
export function wantsRepl({ streams }: Context, words: readonly string[], options: ChatOptions) {
  const isTerminal = streams.stdin.isTerminal && streams.stdout.isTerminal;
  if (options.interactive === true) {
    if (isTerminal) return true;
    throw new Failure('usage', '--interactive needs a terminal for input and output', {
      hint: 'omit it for a single answer',
    });
  }
  const isOneShot = words.length > 0 || oneShot.some((name) => options[name] !== undefined);
  return isTerminal && options.input && !isOneShot;
}

export const startChat: ChatAction = async (run, words) => {
  const { context, options } = run;
  if (wantsRepl(context, words, options)) {
    const { runRepl } = await import('../../repl/run.ts');
    return runRepl(run, words);
  }
  const isAlone = options.resume === true && words.length === 0 && options.file === undefined;
  if (isAlone && context.streams.stdin.isTerminal) {
    throw new Failure('usage', '--resume alone lists conversations, which needs a terminal', {
      hint: '‹natter conversations› lists them; ‹natter --resume ID "and at sunset?"› continues one',
    });
  }
  if (options.every !== undefined) return runEvery(run, words);
  if (options.split === undefined) return chat(run, words);
  // It sends several requests at a time, with undici.
  const { runSplit } = await import('./split-run.ts');
  return runSplit(run, words);
};
