import { undiciNetwork } from '../../client/http/undici-network.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-format.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';
import type { Notices } from '../../output/notices.ts';
import { Failure } from '../../failure.ts';
import { loadCheck } from '../check/load-check.ts';
import { present } from '../print/presentation.ts';
import { printJson } from '../print/print-data.ts';
import { openWindowStatus } from '../print/window-status.ts';
import type { Context } from '../program/context.ts';
import { planRequest } from '../prompt/chat-request.ts';
import { openSecretGuard } from '../prompt/guard/secret-guard.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import type { UsageSource } from '../../usage/budget.ts';
import { openService, type Service } from '../service/service.ts';
import { askModel } from './ask-model.ts';
import type { CompareOptions, Comparison } from './comparison.ts';
import { openComparisonJournal, type ComparisonJournal } from './journal.ts';
import { readComparedModels, type ComparedModel } from './models.ts';
import { reportComparison } from './report.ts';
import { openView, showsColumns, type CompareViewOptions } from './view.ts';

interface Services {
  /** @param profile undefined for the current one */
  of(profile: string | undefined): Service | undefined;
  close(): Promise<void>;
}

/** Opens one service per profile. @throws Failure */
async function openServices(
  { context, options, presentation, models }: Comparison,
  source: UsageSource,
): Promise<Services> {
  const services = new Map<string | undefined, Service>();
  const close = async () => {
    for (const service of services.values()) await service.close();
  };
  try {
    for (const { profile, settings } of models) {
      if (services.has(profile)) continue;
      const service = await openService(context, presentation, options, settings, source, {
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

/** Sends the prompt to all models at the same time. @throws errors that are not a Failure */
async function sendAll(
  comparison: Comparison,
  services: Services,
  view: ComparisonView,
  journal: ComparisonJournal,
): Promise<readonly ComparedAnswer[]> {
  const { context, models } = comparison;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const asking = { comparison, view, journal, signal };
  const send = async (model: ComparedModel, index: number): Promise<ComparedAnswer> => {
    try {
      return await askModel(asking, model, index, services.of(model.profile));
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

/** Shows how many answers have ended in the title of the window. */
function watchAnswers({ context, presentation, models }: Comparison, view: ComparisonView) {
  const [first] = models;
  const { animated } = presentation;
  const status = first && openWindowStatus(context, animated, first.settings.values);
  let ended = 0;
  const show = () => {
    const share = (ended / models.length) * 100;
    status?.show(`${ended} of ${models.length} - natter compare`, ended === 0 ? 'busy' : share);
  };
  show();
  const counted: ComparisonView = {
    ...view,
    ended(...words) {
      ended += 1;
      show();
      return view.ended(...words);
    },
  };
  return { view: counted, end: () => status?.end() };
}

async function showAnswers(
  comparison: Comparison,
  services: Services,
  journal: ComparisonJournal,
  viewOptions: CompareViewOptions,
) {
  const view = await openView(viewOptions);
  const window = watchAnswers(comparison, view);
  try {
    const answers = await sendAll(comparison, services, window.view, journal);
    return { answers, removed: view.removed() };
  } finally {
    await view.close();
    window.end();
  }
}

/** Queues notices while something else is drawn; `release` writes them and ends the queueing. */
function deferNotices(notices: Notices): Notices & { release(): void } {
  let waiting: (() => void)[] | undefined = [];
  const hold = (write: () => void) => {
    if (waiting === undefined) write();
    else waiting.push(write);
  };
  return {
    notice: (text) => hold(() => notices.notice(text)),
    warning: (text) => hold(() => notices.warning(text)),
    release() {
      const held = waiting ?? [];
      waiting = undefined;
      for (const write of held) write();
    },
  };
}

/** Shows and records the answers. Notices that would break the columns are printed afterwards. */
async function recordAnswers(
  comparison: Comparison,
  services: Services,
  onOpened: (journal: ComparisonJournal) => void,
) {
  const { models, options, presentation } = comparison;
  const stacked = options.stacked === true;
  const labels = models.map(({ label }) => label);
  const { values, colors: ownColors = {} } = models[0]?.settings ?? {};
  const { wrap = 'words', theme = 'color' } = values ?? {};
  const viewOptions = { ...comparison, stacked, labels, wrap, theme, ownColors };
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

/** @throws Failure `usage` */
function refuseDiffInJson({ diff }: CompareOptions, format: AnswerFormat): void {
  if (diff !== true || !format.startsWith('json')) return;
  throw new Failure('usage', `--diff and --${format} cannot be used together`, {
    hint: 'use a different tool to compare the answers in the JSON',
  });
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
  refuseDiffInJson(options, format);
  const withoutSystem = readComparedModels(context, notices, options);
  const guards = withoutSystem.map(({ settings }) => openSecretGuard(context, options, settings));
  const guard = (await Promise.all(guards)).find((opened) => opened !== undefined);
  const read = await readPrompt(context, notices, words, options, {
    command: 'natter compare',
    guard,
  });
  const check = await loadCheck(notices, options);
  const prompt = check?.prompt(read.prompt) ?? read.prompt;
  const models = withoutSystem.map((model) => {
    const settings = withSystem(model.settings, read);
    return { ...model, settings: check?.settings(settings) ?? settings };
  });
  const own = { context, options, presentation, format };
  const comparison: Comparison = { ...own, models, prompt, check, guard };
  if (options.dryRun === true) return printRequests(comparison);
  let conversation: string | undefined;
  const source = { command: 'compare', conversation: () => conversation };
  const services = await openServices(comparison, source);
  try {
    const shown = await recordAnswers(comparison, services, ({ id }) => {
      conversation = id;
    });
    context.signal.throwIfAborted();
    await reportComparison({ ...comparison, ...shown });
  } finally {
    await services.close();
  }
}
