import type { ChatEvent } from '../../client/events.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { filteredNotice, finishNotice } from '../../output/notices.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-format.ts';
import { createAnswerMeter, type AnswerMetadata } from '../../output/answer-meter.ts';
import { createProgressReporter, type ProgressReporter } from '../../output/progress-reporter.ts';
import { usageLine } from '../../output/figures.ts';
import { endingFailure } from '../../output/ending-failure.ts';
import { createAnswerOutput, type AnswerOutput } from '../print/answer-output.ts';
import { planRequest, type PlannedRequest } from '../prompt/chat-request.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';
import { openConversation, type OpenConversation } from '../journal/open-conversation.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { openSecretGuard, type SecretGuard } from '../prompt/guard/secret-guard.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { nameUsage } from '../service/metered-service.ts';
import { openService, type Service } from '../service/service.ts';
import { limitYoungGeneration } from '../program/gc-tuning.ts';
import type { FallbackChain } from './fallback.ts';

/** Options of `natter chat`, the default command. Values of settings are unparsed text. */
export interface ChatOptions extends GlobalOptions, PromptOptions, ConversationOptions {
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

interface Run extends Preparation {
  readonly conversation: OpenConversation;
  /** Undefined if the input was not checked for secrets. */
  readonly guard: SecretGuard | undefined;
}

function reportProgress({ context, presentation, options }: Run, model: string): ProgressReporter {
  const { stderr } = context.streams;
  const { noticeStyle: style, notices, animated } = presentation;
  const quiet = options.quiet === true;
  const activity = createActivity({ stderr, style, clock: context.clock, quiet, animated });
  const showReasoning = options.reasoning === true && !quiet;
  activity.waiting(model);
  return createProgressReporter({ stderr, style, notices, activity, model, showReasoning });
}

async function withCommandLineHint(failure: Failure, { environment }: Context): Promise<Failure> {
  const { withHint } = await import('../program/report.ts');
  return withHint(failure, environment);
}

async function withModelHint(error: unknown, model: string, service: Service): Promise<unknown> {
  const isRefused = error instanceof Failure && error.status !== undefined;
  if (!isRefused) return error;
  const { suggestModel } = await import('../service/near-model.ts');
  return suggestModel(error, model, service.windows());
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

const restored = (guard: SecretGuard | undefined, events: AsyncIterable<ChatEvent>) =>
  guard?.restore(events) ?? events;

/** Sends the request and prints the answer, with all text received before a failure. */
async function answer(
  run: Run,
  service: Service,
  { planned: { request }, chain }: Plan,
  output: AnswerOutput,
): Promise<AnswerMetadata> {
  const { context, conversation, guard } = run;
  const { printer } = output;
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
    await limitYoungGeneration(async (add) => {
      for await (const event of restored(guard, conversation.record(asked, chatEvents))) {
        progress.event(event);
        if (event.type === 'text-received') add(event.text.length);
        meter.event(event);
        await printer.event(event);
      }
    });
    context.signal.throwIfAborted();
  } catch (thrown) {
    const error = await withModelHint(thrown, asked.model, service);
    failure = await withCommandLineHint(endingFailure(error, context.signal), context);
    throw error;
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
  const line = cleanLine(context, usageLine(metadata, model));
  void stderr.write(`${presentation.noticeStyle.dim(line)}\n`);
}

/** @throws Failure `truncated_prompt` with `--strict` */
async function reportTruncation({ options, presentation }: Run, metadata: AnswerMetadata) {
  const truncated = await import('../../output/truncated-prompt.ts');
  const failure = options.strict === true ? truncated.truncationFailure(metadata) : undefined;
  if (failure !== undefined) throw failure;
  presentation.notices.warning(truncated.truncationWarning(metadata) ?? '');
}

async function send(run: Run, plan: Plan): Promise<void> {
  const { context, options, presentation } = run;
  const { settings, planned, chain } = plan;
  if (planned.warning !== undefined) presentation.notices.warning(planned.warning);
  nameUsage(context, { command: 'chat', conversation: run.conversation.id });
  const service = await openService(context, presentation, options, settings, {
    connectEarly: true,
  });
  const output = await createAnswerOutput(run, planned.request.model);
  try {
    const metadata = await answer(run, service, plan, output);
    conclude(run, metadata, planned.request.model, output.removed());
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
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  return { context, options, presentation, format };
}

/**
 * Sends a prompt that has been read, and prints the answer.
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function sendPrompt(
  preparation: Preparation & Pick<Run, 'guard'>,
  settings: ResolvedSettings,
  prompt: string,
): Promise<void> {
  const { context, options, presentation } = preparation;
  const { notices } = presentation;
  const conversation = await openConversation(context, notices, options, settings, prompt);
  try {
    await converse({ ...preparation, conversation });
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
  await sendPrompt({ ...preparation, guard }, withSystem(settings, read), read.prompt);
}
