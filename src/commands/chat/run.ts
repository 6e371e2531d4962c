import type { Answer, Sink } from '../../ask/ask.ts';
import { ask } from '../../ask/ask.ts';
import type { AnswerCheck } from '../../ask/check.ts';
import {
  askModels,
  type Chain,
  type ChainClients,
  type Choice,
  chooseModel,
} from '../../ask/fallback.ts';
import { planRequest } from '../../ask/plan-request.ts';
import type { Message } from '../../client/contract.ts';
import type { AnswerRecorder, PromptRecord } from '../../conversation/journal/record-answer.ts';
import { Failure } from '../../failure.ts';
import { filteredNotice, finishNotice } from '../../output/notices.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import type { AnswerPrinter } from '../../output/answer-printer.ts';
import { usageLine } from '../../output/figures.ts';
import { createAnswerOutput, lookOf } from '../print/answer-output.ts';
import { cleanLine } from '../program/secrets.ts';
import type { Context } from '../program/context.ts';
import { openConversation, type OpenConversation } from '../journal/open-conversation.ts';
import { openSecretGuard } from '../prompt/guard/secret-guard.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { chainClients, fallbackModels } from '../service/fallback.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { openService, type Service } from '../service/service.ts';
import { type ChatOptions, type ChatRun, prepare } from './chat-run.ts';
import { explain, promptWarning, reportProgress, reportTruncation } from './prompt-report.ts';

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

/** An answer, and the model that gave it. */
export interface GivenAnswer extends Answer {
  readonly choice: Choice;
}

function openChain(
  { context, options, presentation: { notices } }: ChatRun,
  { settings, messages }: OpenConversation,
): Chain {
  return {
    models: fallbackModels(context, options, settings),
    plan: (model) => planRequest(model.settings, messages, options.stream),
    onStep: (_failed, _next, text) => notices.warning(text),
  };
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
 */
export async function askPrompt(
  prompt: ReadyPrompt,
  from: Choice,
  messages: readonly Message[],
  printer: Partial<AnswerPrinter>,
  isShown: boolean,
): Promise<GivenAnswer> {
  const { run, chain, service, clients, record } = prompt;
  const { guard } = run;
  const { signal } = run.context;
  let recorder: AnswerRecorder | undefined;
  const given = await askModels(chain, from, async (choice) => {
    if (choice !== from) await begin(prompt, choice, printer);
    const { answer, model, planned } = choice;
    const progress = reportProgress(run, answer.model);
    recorder = record?.begin(answer);
    const chatEvents = async () => {
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
      return await ask({ send: chatEvents, clock: service.clock, signal, recorder, guard }, sink);
    } finally {
      progress.end();
    }
  });
  recorder?.end(given.error instanceof Failure ? given.error.kind : undefined);
  const thrown: unknown = given.error ?? (signal.aborted ? signal.reason : undefined);
  if (thrown === undefined) return given;
  return { ...given, ...(await explain(run, thrown, given.choice.planned, service)) };
}

interface Shown {
  readonly metadata: AnswerMetadata;
  /** Characters of the answer that were not shown. */
  readonly removed: number;
}

/** Prints the answer as it arrives. */
async function printAnswer(prompt: ReadyPrompt): Promise<Shown> {
  const { run, first, messages } = prompt;
  const { model, answer } = first;
  const output = await createAnswerOutput({ ...run, ...lookOf(model.settings) }, answer.model);
  const { printer } = output;
  const { metadata, failure, error } = await askPrompt(prompt, first, messages, printer, true);
  await printer.end({ metadata, failure });
  if (error !== undefined) throw error;
  return { metadata, removed: output.removed() };
}

function conclude({ run, first }: ReadyPrompt, { metadata, removed }: Shown): void {
  const { presentation, context, format, options } = run;
  for (const notice of [finishNotice(metadata), filteredNotice(removed)]) {
    if (notice !== undefined) presentation.notices.notice(notice);
  }
  const { stdout, stderr } = context.streams;
  const onTerminal = stdout.isTerminal && stderr.isTerminal && !format.startsWith('json');
  if (!onTerminal || options.quiet === true) return;
  const line = cleanLine(context, usageLine(metadata, first.answer.model, presentation.isSpoken));
  void stderr.write(`${presentation.noticeStyle.dim(line)}\n`);
}

async function send(
  run: ChatRun,
  conversation: OpenConversation,
  chain: Chain,
  first: Choice,
  check: AnswerCheck | undefined,
): Promise<void> {
  const { context, options, presentation, command = 'chat' } = run;
  const warning = promptWarning(run, first.planned);
  if (warning !== undefined) presentation.notices.warning(warning);
  const source = { command, conversation: conversation.id };
  const open = (settings: ResolvedSettings) => {
    const values = { ...settings.values, ...(options.raw && { thinkTags: 'answer' as const }) };
    return openService(context, presentation, options, { ...settings, values }, source);
  };
  const { settings } = first.model;
  const service = await open(settings);
  const clients = chainClients(service, settings, open);
  try {
    const record = await conversation.record();
    const { messages } = conversation;
    const prompt = { run, messages, chain, first, service, clients, record };
    const shown =
      check === undefined
        ? await printAnswer(prompt)
        : await (await import('./checked-answer.ts')).printChecked(prompt, check);
    conclude(prompt, shown);
    if (shown.metadata.estimatedPromptTokens !== undefined) {
      await reportTruncation(run, shown.metadata);
    }
  } finally {
    await clients.close();
    await service.close();
  }
}

async function converse(
  run: ChatRun,
  conversation: OpenConversation,
  check: AnswerCheck | undefined,
): Promise<void> {
  const { context, options, presentation } = run;
  const chain = openChain(run, conversation);
  const first = chooseModel(chain);
  if (options.dryRun === true) {
    const { printDryRun } = await import('../prompt/dry-run.ts');
    await printDryRun(context, options, first.model.settings, first.planned);
    return;
  }
  if (options.raw === true && context.streams.stdout.isTerminal) {
    presentation.notices.warning('--raw lets the answer control this terminal');
  }
  await send(run, conversation, chain, first, check);
}

async function loadCheck({ presentation, options, ownSchema }: ChatRun) {
  const { schema, schemaRetries, select } = options;
  if ((schema ?? ownSchema ?? schemaRetries ?? select) === undefined) return undefined;
  const { openCheck } = await import('../../ask/check.ts');
  return openCheck(presentation.notices, options, ownSchema);
}

/**
 * Sends a prompt that has been read, and prints the answer.
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function sendPrompt(
  run: ChatRun,
  settings: ResolvedSettings,
  prompt: string,
): Promise<void> {
  const { context, options, presentation } = run;
  const check = await loadCheck(run);
  const sent = check?.prompt(prompt) ?? prompt;
  const used = check?.settings(settings) ?? settings;
  const conversation = await openConversation(context, presentation.notices, options, used, sent);
  try {
    await converse(run, conversation, check);
  } finally {
    await conversation.close();
  }
}

/** @throws Failure, or the reason `context.signal` was aborted with */
export async function chat(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  const run = await prepare(context, options);
  const { notices } = run.presentation;
  const settings = readRequestSettings(context, notices, options);
  const guard = await openSecretGuard(context, options, settings);
  const read = await readPrompt(context, notices, words, options, { guard });
  await sendPrompt({ ...run, guard, words }, withSystem(settings, read), read.prompt);
}
