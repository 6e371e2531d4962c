import type { ChatEvent } from '../../client/events.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-format.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';
import { holdNotices } from '../../output/notices.ts';
import { Failure } from '../../failure.ts';
import { planRequest } from '../prompt/chat-request.ts';
import { openComparisonJournal, type ComparisonJournal } from './journal.ts';
import { concludeComparison } from './report.ts';
import { openView, showsColumns, type CompareViewOptions } from './view.ts';
import { readComparedModels, type ComparedModel } from './models.ts';
import type { CompareOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { printJson } from '../print/print-data.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import { openService, type Service } from '../service/service.ts';
import { showComparedAnswer } from './show-compared-answer.ts';

/** What is decided before anything is sent. */
interface Run {
  readonly context: Context;
  readonly options: CompareOptions;
  readonly presentation: Presentation;
  readonly models: readonly ComparedModel[];
  readonly prompt: string;
}

/** By the profile that was named, which may be none. */
interface Services {
  of(profile: string | undefined): Service | undefined;
  close(): Promise<void>;
}

/** One service for all models of a profile. @throws Failure where one cannot be opened */
async function openServices({ context, options, presentation, models }: Run): Promise<Services> {
  const services = new Map<string | undefined, Service>();
  const close = async () => {
    for (const service of services.values()) await service.close();
  };
  try {
    for (const { profile, settings } of models) {
      if (services.has(profile)) continue;
      services.set(profile, await openService(context, presentation, options, settings));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { of: (profile: string | undefined) => services.get(profile), close };
}

function openJournal(run: Run): Promise<ComparisonJournal> {
  const { presentation, models, options } = run;
  // A profile that keeps nothing is not to be found in a conversation of another.
  const isKept = models.every(({ settings }) => settings.values.save);
  const save = isKept && options.dryRun !== true;
  return openComparisonJournal({ ...run, notices: presentation.notices, save });
}

/** The request is planned when it is sent, so that one that cannot be made is this model's failure alone. */
async function* askModel(
  { options, presentation }: Run,
  { label, settings }: ComparedModel,
  journal: ComparisonJournal,
  service: Service | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const { request, warning } = planRequest(settings, journal.messages(settings), options.stream);
  if (warning !== undefined) presentation.notices.warning(`${label}: ${warning}`);
  if (service !== undefined) yield* service.client.chat(request, { signal });
}

/** Asks all models at the same time. @throws what is no failure of a service's */
async function askAll(
  run: Run,
  services: Services,
  view: ComparisonView,
  journal: ComparisonJournal,
): Promise<readonly ComparedAnswer[]> {
  const { context, models } = run;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const ask = async (model: ComparedModel, index: number): Promise<ComparedAnswer> => {
    const { label, profile, settings } = model;
    const events = journal.keep(index, askModel(run, model, journal, services.of(profile), signal));
    const clock = services.of(profile)?.clock ?? context.clock;
    const shown = { index, label, model: settings.values.model, view, clock, signal };
    try {
      return await showComparedAnswer(events, shown);
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  };
  const asked = models.map(ask);
  // What failed closes the view and the journal next: no other may still write to them.
  await Promise.allSettled(asked);
  const answers = await Promise.all(asked);
  journal.choose(answers);
  return answers;
}

async function showAnswers(
  run: Run,
  services: Services,
  journal: ComparisonJournal,
  viewOptions: CompareViewOptions,
) {
  const view = await openView(viewOptions);
  try {
    return { answers: await askAll(run, services, view, journal), removed: view.removed() };
  } finally {
    await view.close();
  }
}

/** Shows the answers while they come; what is told meanwhile waits where it would tear the columns. */
async function keepAnswers(run: Run, services: Services, format: AnswerFormat) {
  const { models, presentation } = run;
  const viewOptions = { ...run, format, labels: models.map(({ label }) => label) };
  const notices = holdNotices(presentation.notices);
  if (!showsColumns(viewOptions)) notices.release();
  const held = { ...run, presentation: { ...presentation, notices } };
  try {
    const journal = await openJournal(held);
    try {
      return await showAnswers(held, services, journal, viewOptions);
    } finally {
      await journal.close();
    }
  } finally {
    notices.release();
  }
}

/** Prints what would be sent: `{requests: [{asked, …}]}`, each as a dry run of one prompt has it. */
async function printRequests(run: Run): Promise<void> {
  const { context, options, models } = run;
  const { dryRunDocument } = await import('../prompt/dry-run.ts');
  const journal = await openJournal(run);
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

/**
 * Runs `natter compare [prompt...]`.
 * @throws Failure: of the first model that failed, in the order they were named; or the reason
 * `context.signal` was aborted with
 */
export async function compare(
  context: Context,
  options: CompareOptions,
  words: readonly string[],
): Promise<void> {
  const presentation = await present(context, options);
  const { notices } = presentation;
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  if (options.diff === true && format.startsWith('json')) {
    throw new Failure('usage', `--diff and --${format} exclude each other`, {
      hint: 'use another tool to compare the answers in the JSON',
    });
  }
  const named = readComparedModels(context, notices, options);
  const read = await readPrompt(context, notices, words, options, 'natter compare');
  const { prompt } = read;
  const models = named.map((model) => ({ ...model, settings: withSystem(model.settings, read) }));
  const run: Run = { context, options, presentation, models, prompt };
  if (options.dryRun === true) return printRequests(run);
  const services = await openServices(run);
  try {
    const shown = await keepAnswers(run, services, format);
    context.signal.throwIfAborted();
    await concludeComparison({ ...run, format, ...shown });
  } finally {
    await services.close();
  }
}
