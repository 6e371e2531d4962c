import type { ChatEvent } from '../../client/events.ts';
import { undiciNetwork } from '../../client/http/undici/undici-network.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-format.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';
import { deferNotices } from '../../output/notices.ts';
import { Failure } from '../../failure.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { printJson } from '../print/print-data.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { planRequest } from '../prompt/chat-request.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';
import { openSecretGuard, type SecretGuard } from '../prompt/guard/secret-guard.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import { nameUsage } from '../service/metered-service.ts';
import { openService, type Service } from '../service/service.ts';
import { openComparisonJournal, type ComparisonJournal } from './journal.ts';
import { readComparedModels, type ComparedModel } from './models.ts';
import { reportComparison } from './report.ts';
import { openView, showAnswer, showsColumns, type CompareViewOptions } from './view.ts';

/** Options of `natter compare`. */
export interface CompareOptions extends GlobalOptions, PromptOptions, ConversationOptions {
  /** Comma-separated lists. */
  readonly models?: readonly string[];
  readonly diff?: boolean;
  readonly stacked?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly dryRun?: boolean;
}

interface Comparison {
  readonly context: Context;
  readonly options: CompareOptions;
  readonly presentation: Presentation;
  readonly models: readonly ComparedModel[];
  readonly prompt: string;
  /** Undefined if nothing in the prompt is checked for secrets. */
  readonly guard: SecretGuard | undefined;
}

interface Services {
  /** @param profile undefined for the current one */
  of(profile: string | undefined): Service | undefined;
  close(): Promise<void>;
}

/** Opens one service per profile. @throws Failure */
async function openServices({
  context,
  options,
  presentation,
  models,
}: Comparison): Promise<Services> {
  const services = new Map<string | undefined, Service>();
  const close = async () => {
    for (const service of services.values()) await service.close();
  };
  try {
    for (const { profile, settings } of models) {
      if (services.has(profile)) continue;
      const service = await openService(context, presentation, options, settings, {
        network: undiciNetwork,
      });
      services.set(profile, service);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { of: (profile) => services.get(profile), close };
}

function openJournal(comparison: Comparison): Promise<ComparisonJournal> {
  const { presentation, models, options } = comparison;
  // Answers of a profile that saves no conversations must not be in a conversation of a different profile.
  const allSave = models.every(({ settings }) => settings.values.save);
  const save = allSave && options.dryRun !== true;
  return openComparisonJournal({ ...comparison, notices: presentation.notices, save });
}

/** Plans the request here, so that a request that cannot be made fails for this model only. */
async function* chatWith(
  { options, presentation }: Comparison,
  { label, settings }: ComparedModel,
  journal: ComparisonJournal,
  service: Service | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const { request, warning } = planRequest(settings, journal.messages(settings), options.stream);
  if (warning !== undefined) presentation.notices.warning(`${label}: ${warning}`);
  if (service !== undefined) yield* service.client.chat(request, { signal });
}

/** Sends the prompt to all models at the same time. @throws errors that are not a Failure */
async function sendAll(
  comparison: Comparison,
  services: Services,
  view: ComparisonView,
  journal: ComparisonJournal,
): Promise<readonly ComparedAnswer[]> {
  const { context, models, guard } = comparison;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const send = async (model: ComparedModel, index: number): Promise<ComparedAnswer> => {
    const { label, profile, settings } = model;
    const service = services.of(profile);
    const recorded = journal.record(index, chatWith(comparison, model, journal, service, signal));
    const events = guard?.restore(recorded) ?? recorded;
    const clock = service?.clock ?? context.clock;
    try {
      return await showAnswer(events, {
        index,
        label,
        model: settings.values.model,
        view,
        clock,
        signal,
      });
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  };
  const pending = models.map(send);
  // After an error the caller closes the view and the journal: no answer may still write to them.
  await Promise.allSettled(pending);
  const answers = await Promise.all(pending);
  journal.choose(answers);
  return answers;
}

async function showAnswers(
  comparison: Comparison,
  services: Services,
  journal: ComparisonJournal,
  viewOptions: CompareViewOptions,
) {
  const view = await openView(viewOptions);
  try {
    return { answers: await sendAll(comparison, services, view, journal), removed: view.removed() };
  } finally {
    await view.close();
  }
}

/** Shows and records the answers. Notices that would break the columns are printed afterwards. */
async function recordAnswers(
  comparison: Comparison,
  services: Services,
  format: AnswerFormat,
  onOpened: (journal: ComparisonJournal) => void,
) {
  const { models, options, presentation } = comparison;
  const stacked = options.stacked === true;
  const labels = models.map(({ label }) => label);
  const viewOptions = { ...comparison, stacked, format, labels };
  const notices = deferNotices(presentation.notices);
  if (!showsColumns(viewOptions)) notices.release();
  const withHeldNotices = { ...comparison, presentation: { ...presentation, notices } };
  try {
    const journal = await openJournal(withHeldNotices);
    onOpened(journal);
    try {
      return await showAnswers(withHeldNotices, services, journal, viewOptions);
    } finally {
      await journal.close();
    }
  } finally {
    notices.release();
  }
}

/** Prints `{requests: [{asked, …}]}`: the label of each model, and the fields of a dry run of `natter chat`. */
async function printRequests(comparison: Comparison): Promise<void> {
  const { context, options, models } = comparison;
  const { dryRunDocument } = await import('../prompt/dry-run.ts');
  const journal = await openJournal(comparison);
  try {
    const requests: object[] = [];
    for (const { label, settings } of models) {
      const planned = planRequest(settings, journal.messages(settings), options.stream);
      const document = await dryRunDocument(context, options, settings, planned);
      requests.push({ asked: label, ...document });
    }
    await printJson(context, { requests });
  } finally {
    await journal.close();
  }
}

/** @throws the Failure of the first model that failed, in the order of the options; the reason of `context.signal` */
export async function compare(
  context: Context,
  options: CompareOptions,
  words: readonly string[],
): Promise<void> {
  const presentation = await present(context, options);
  const { notices } = presentation;
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  if (options.diff === true && format.startsWith('json')) {
    throw new Failure('usage', `--diff and --${format} cannot be used together`, {
      hint: 'use a different tool to compare the answers in the JSON',
    });
  }
  const withoutSystem = readComparedModels(context, notices, options);
  const guards = withoutSystem.map(({ settings }) => openSecretGuard(context, options, settings));
  const guard = (await Promise.all(guards)).find((opened) => opened !== undefined);
  const read = await readPrompt(context, notices, words, options, {
    command: 'natter compare',
    guard,
  });
  const { prompt } = read;
  const models = withoutSystem.map((model) => ({
    ...model,
    settings: withSystem(model.settings, read),
  }));
  const comparison: Comparison = { context, options, presentation, models, prompt, guard };
  if (options.dryRun === true) return printRequests(comparison);
  let conversation: string | undefined;
  nameUsage(context, { command: 'compare', conversation: () => conversation });
  const services = await openServices(comparison);
  try {
    const shown = await recordAnswers(comparison, services, format, ({ id }) => {
      conversation = id;
    });
    context.signal.throwIfAborted();
    await reportComparison({ ...comparison, format, ...shown });
  } finally {
    await services.close();
  }
}
