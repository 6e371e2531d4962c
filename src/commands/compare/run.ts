import { openCheck } from '../../ask/check.ts';
import { compareModels } from '../../ask/compare.ts';
import { planRequest } from '../../ask/plan-request.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { Failure } from '../../failure.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-format.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';
import type { Notices } from '../../output/notices.ts';
import { dryRunDocument } from '../prompt/dry-run.ts';
import { printJson } from '../print/print-data.ts';
import { openWindowStatus } from '../print/window-status.ts';
import type { Context } from '../../run.ts';
import { startRun } from '../../settings/read-settings.ts';
import { withRequestHint } from '../program/report.ts';
import { openSecretGuard } from '../prompt/secret-guard.ts';
import { readPrompt, withSystem } from '../prompt/read-prompt.ts';
import type { UsageSource } from '../../usage/budget.ts';
import { openService, type Service } from '../../ask/service.ts';
import { openComparisonJournal, type ComparisonJournal } from './journal.ts';
import {
  type CompareOptions,
  type Comparison,
  defaultModels,
  readComparedModels,
} from './models.ts';
import { reportComparison } from './report.ts';
import { openView, showsColumns } from './view.ts';

interface Services {
  /** @param profile undefined for the current one */
  of(profile: string | undefined): Service | undefined;
  close(): Promise<void>;
}

/** Opens one service per profile. @throws Failure */
async function openServices(comparison: Comparison, source: UsageSource): Promise<Services> {
  const services = new Map<string | undefined, Service>();
  const close = async () => {
    for (const service of services.values()) await service.close();
  };
  try {
    for (const { profile, settings } of comparison.models) {
      if (services.has(profile)) continue;
      const use = { network: undiciNetwork };
      const service = await openService({ ...comparison, settings }, source, use);
      services.set(profile, service);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { of: (profile) => services.get(profile), close };
}

/** Sends the prompt to all models at the same time. */
async function sendAll(
  comparison: Comparison,
  services: Services,
  view: ComparisonView,
  journal: ComparisonJournal,
): Promise<readonly ComparedAnswer[]> {
  const { context, models, check, guard, options, presentation, format } = comparison;
  const comparing = {
    view,
    showsEvents: format === 'jsonl',
    check,
    stream: options.stream,
    notices: presentation.notices,
    explain: withRequestHint,
    signal: context.signal,
    guard,
  };
  const asked = models.flatMap(({ label, profile, settings }, index) => {
    const service = services.of(profile);
    if (service === undefined) return [];
    const { client, clock } = service;
    const messages = journal.messages(settings);
    return [{ label, settings, client, clock, messages, record: journal.records[index] }];
  });
  const answers = await compareModels(comparing, asked);
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

async function showAnswers(comparison: Comparison, services: Services, journal: ComparisonJournal) {
  const view = await openView(comparison);
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
  const { presentation } = comparison;
  const notices = deferNotices(presentation.notices);
  if (!showsColumns(comparison)) notices.release();
  const withHeldNotices = { ...comparison, presentation: { ...presentation, notices } };
  try {
    const journal = await openComparisonJournal(withHeldNotices);
    onOpened(journal);
    try {
      return await showAnswers(withHeldNotices, services, journal);
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
  const journal = await openComparisonJournal(comparison);
  try {
    const requests: object[] = [];
    for (const { label, settings } of models) {
      const planned = planRequest(settings, journal.messages(settings), options.stream);
      const document = dryRunDocument({ ...comparison, settings }, planned);
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
  let conversation: string | undefined;
  const run = await startRun(context, options);
  const { notices } = run.presentation;
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  refuseDiffInJson(options, format);
  const usual = options.models === undefined ? await defaultModels(run) : [];
  const withoutSystem = readComparedModels(run, usual);
  const guard = withoutSystem
    .map(({ settings }) => openSecretGuard({ ...run, settings }))
    .find((opened) => opened !== undefined);
  const read = await readPrompt(run, words, guard, 'natter compare');
  const check = await openCheck(notices, options);
  const prompt = check?.prompt(read.prompt) ?? read.prompt;
  const models = withoutSystem.map((model) => {
    const settings = withSystem(model.settings, read);
    return { ...model, settings: check?.settings(settings) ?? settings };
  });
  const comparison: Comparison = { ...run, format, models, prompt, check, guard };
  if (options.dryRun === true) return printRequests(comparison);
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
