import type { Failure } from '../../failure.ts';
import { filteredNotice, finishNotice } from '../../output/notices.ts';
import {
  chooseAnswerFormat,
  noticeClosedOutput,
  type AnswerFormat,
} from '../../output/answer-format.ts';
import { createAnswerMeter, type AnswerMetadata } from '../../output/answer-meter.ts';
import { usageLine } from '../../output/figures.ts';
import { createAnswerOutput, lookOf, type AnswerOutput } from '../print/answer-output.ts';
import { planRequest, type PlannedRequest } from '../prompt/chat-request.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import { loadCheck } from '../check/load-check.ts';
import type { CheckOptions, SchemaSource, SelectOptions } from '../check/check-options.ts';
import type { AnswerCheck } from '../check/open-check.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';
import { openConversation, type OpenConversation } from '../journal/open-conversation.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { openSecretGuard, type SecretGuard } from '../prompt/guard/secret-guard.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { openService, type Service } from '../service/service.ts';
import type { FallbackChain } from './fallback.ts';
import { explain, promptWarning, reportProgress, reportTruncation } from './prompt-report.ts';

/** Options of `natter chat`, the default command. Values of settings are unparsed text. */
export interface ChatOptions
  extends GlobalOptions, PromptOptions, ConversationOptions, CheckOptions, SelectOptions {
  readonly model?: string;
  readonly fallback?: string;
  readonly every?: string;
  readonly split?: 'auto' | 'lines' | 'paragraphs';
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly plain?: boolean;
  readonly markdown?: boolean;
  readonly raw?: boolean;
  readonly reasoning?: boolean;
  readonly dryRun?: boolean;
  readonly interactive?: boolean;
  readonly accessible?: boolean;
}

/** What is decided before the prompt is read. */
export interface Preparation {
  readonly context: Context;
  readonly options: ChatOptions;
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
}

interface ReadyPrompt extends Preparation {
  /** Undefined if the input was not checked for secrets. */
  readonly guard: SecretGuard | undefined;
  /** In the ledger; `chat` if undefined. */
  readonly command?: string;
  /** Of the command line; undefined for a prompt file. */
  readonly words?: readonly string[];
  /** Of a prompt file; `--schema` overrides it. */
  readonly ownSchema?: SchemaSource | undefined;
}

interface Run extends ReadyPrompt {
  readonly conversation: OpenConversation;
  /** Undefined if the answer is not checked. */
  readonly check: AnswerCheck | undefined;
}

interface Plan {
  readonly settings: ResolvedSettings;
  readonly planned: PlannedRequest;
  /** Undefined without fallbacks. */
  readonly chain?: FallbackChain;
}

async function planPrompt(run: Run): Promise<Plan> {
  const { settings, messages } = run.conversation;
  if (settings.values.fallback === undefined) {
    return { settings, planned: planRequest(settings, messages, run.options.stream) };
  }
  const { openChain } = await import('./fallback.ts');
  const chain = openChain({ ...run, settings, messages });
  return { ...chain, chain };
}

const described = (chain: FallbackChain | undefined, metadata: AnswerMetadata) =>
  chain?.describe(metadata) ?? metadata;

/** Sends the request and prints the answer, with all text received before a failure. */
async function answer(
  run: Run,
  service: Service,
  { planned: { request, fit }, chain }: Plan,
  { printer }: AnswerOutput,
): Promise<AnswerMetadata> {
  const { context, conversation, guard } = run;
  let progress = reportProgress(run, request.model);
  const meter = createAnswerMeter(service.clock);
  const metadata = (error?: Failure) => described(chain, meter.metadata(error));
  let failure: Failure | undefined;
  const onStep = (warn: () => void, model: string) => {
    progress.end();
    warn();
    progress = reportProgress(run, model);
  };
  const chatEvents = () =>
    chain?.chat(service, printer, onStep) ?? service.client.chat(request, context);
  const asked = chain?.answer ?? { model: request.model };
  try {
    const events = conversation.record(asked, chatEvents);
    for await (const event of guard?.restore(events) ?? events) {
      progress.event(event);
      meter.event(event);
      await printer.event(event);
    }
    context.signal.throwIfAborted();
  } catch (thrown) {
    const explained = await explain({ ...run, fit }, thrown, asked.model, service);
    failure = explained.failure;
    throw explained.error;
  } finally {
    progress.end();
    await printer.end({ metadata: metadata(failure), failure });
  }
  return metadata();
}

function conclude(run: Run, metadata: AnswerMetadata, model: string, removed: number): void {
  const { presentation, context, format, options } = run;
  for (const notice of [finishNotice(metadata), filteredNotice(removed)]) {
    if (notice !== undefined) presentation.notices.notice(notice);
  }
  const { stdout, stderr } = context.streams;
  const onTerminal = stdout.isTerminal && stderr.isTerminal && !format.startsWith('json');
  if (!onTerminal || options.quiet === true) return;
  const line = cleanLine(context, usageLine(metadata, model, presentation.isSpoken));
  void stderr.write(`${presentation.noticeStyle.dim(line)}\n`);
}

/** Sends the request and prints the answer, or the value in it if it is checked. */
async function printAnswer(
  run: Run,
  service: Service,
  plan: Plan,
): Promise<{ readonly metadata: AnswerMetadata; readonly removed: number }> {
  const { check } = run;
  const { request, fit } = plan.planned;
  const { model } = request;
  if (check === undefined) {
    const output = await createAnswerOutput({ ...run, ...lookOf(plan.settings) }, model);
    const metadata = await answer(run, service, plan, output);
    return { metadata, removed: output.removed() };
  }
  const { answerChecked } = await import('./checked-answer.ts');
  return answerChecked({
    ...run,
    check,
    service,
    request,
    chain: plan.chain,
    reportProgress: (asked) => reportProgress(run, asked),
    explain: (thrown, asked) => explain({ ...run, fit }, thrown, asked, service),
  });
}

async function send(run: Run, plan: Plan): Promise<void> {
  const { context, options, presentation } = run;
  const { settings, planned, chain } = plan;
  const warning = await promptWarning(run, planned);
  if (warning !== undefined) presentation.notices.warning(warning);
  const source = { command: run.command ?? 'chat', conversation: run.conversation.id };
  const values = { ...settings.values, ...(options.raw && { thinkTags: 'answer' as const }) };
  const sent = { ...settings, values };
  const service = await openService(context, presentation, options, sent, source);
  try {
    const { metadata, removed } = await printAnswer(run, service, plan);
    conclude(run, metadata, planned.request.model, removed);
    if (metadata.estimatedPromptTokens !== undefined) await reportTruncation(run, metadata);
  } finally {
    await chain?.close();
    await service.close();
  }
}

async function converse(run: Run): Promise<void> {
  const { context, options, presentation } = run;
  const planned = await planPrompt(run);
  if (options.dryRun === true) {
    const { printDryRun } = await import('../prompt/dry-run.ts');
    await printDryRun(context, options, planned.settings, planned.planned);
    return;
  }
  if (options.raw === true && context.streams.stdout.isTerminal) {
    presentation.notices.warning('--raw lets the answer control this terminal');
  }
  await send(run, planned);
}

/** Decides how the answer is printed, before anything is read. @throws Failure `usage` for two formats */
export async function prepare(context: Context, options: ChatOptions): Promise<Preparation> {
  const presentation = await present(context, options);
  noticeClosedOutput(context.streams.stdout, presentation.notices);
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  return { context, options, presentation, format };
}

/**
 * Sends a prompt that has been read, and prints the answer.
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function sendPrompt(
  preparation: ReadyPrompt,
  settings: ResolvedSettings,
  prompt: string,
): Promise<void> {
  const { context, options, presentation } = preparation;
  const check = await loadCheck(presentation.notices, options, preparation.ownSchema);
  const sent = check?.prompt(prompt) ?? prompt;
  const used = check?.settings(settings) ?? settings;
  const conversation = await openConversation(context, presentation.notices, options, used, sent);
  try {
    await converse({ ...preparation, conversation, check });
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
  const preparation = await prepare(context, options);
  const { notices } = preparation.presentation;
  const settings = readRequestSettings(context, notices, options);
  const guard = await openSecretGuard(context, options, settings);
  const read = await readPrompt(context, notices, words, options, { guard });
  await sendPrompt({ ...preparation, guard, words }, withSystem(settings, read), read.prompt);
}
