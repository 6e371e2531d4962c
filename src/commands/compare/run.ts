import { openCheck } from '../../ask/check.ts';
import { compareModels } from '../../ask/compare.ts';
import { promptMessages, planRequest } from '../../ask/plan-request.ts';
import { openService, type Service } from '../../ask/service.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { createJournal } from '../../conversation/journal/open-journal.ts';
import { createPromptRecord } from '../../conversation/journal/record-answer.ts';
import { Failure } from '../../failure.ts';
import { chooseAnswerFormat, refuseClosedOutput } from '../../output/answer-printer.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison.ts';
import type { Notices } from '../../output/notices.ts';
import type { Context } from '../../run.ts';
import { startRun } from '../../settings/read-settings.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { UsageSource } from '../../usage/budget.ts';
import {
  journalOptions,
  nextTurns,
  openNamedJournal,
  type NextTurn,
} from '../../ask/open-conversation.ts';
import { printJson } from '../../output/print-data.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import { withRequestHint } from '../../cli/report.ts';
import { dryRunDocument } from '../../ask/dry-run.ts';
import { readPrompt, withSystem } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import {
  type Comparison,
  type CompareOptions,
  defaultModels,
  readComparedModels,
} from './models.ts';
import { reportComparison, openView, showsColumns } from './report.ts';

/** The index of the first complete answer with text, else of the first with text. */
function bestOf(answers: readonly ComparedAnswer[]): number {
  const hasText = ({ content }: ComparedAnswer) => content !== '';
  const isComplete = (answer: ComparedAnswer) =>
    hasText(answer) && answer.metadata.complete && answer.failure === undefined;
  const found = [answers.findIndex(isComplete), answers.findIndex(hasText)];
  return found.find((index) => index >= 0) ?? 0;
}

/**
 * Opens the conversation that the options name, or a new one with the system prompt of the first model; writes the
 * prompt, and starts an answer for each model, in order. The answers are versions of the same turn.
 * @throws Failure if the named one cannot be found or opened
 */
async function openComparisonJournal(comparison: Comparison) {
  const { context, options, presentation, models, prompt } = comparison;
  // Answers of a profile that saves no conversations must not be in a conversation of a different profile.
  const save = models.every(({ settings }) => settings.values.save) && options.dryRun !== true;
  const promptOnly = ({ values }: ResolvedSettings) => promptMessages(values.system, prompt);
  const settings = models[0]?.settings ?? comparison.settings;
  const opening = journalOptions(context, presentation.notices, save);
  const named = await openNamedJournal(comparison, opening);
  const next = named && nextTurns({ ...comparison, settings }, named, prompt);
  const journal = named ?? (save ? createJournal(opening) : undefined);
  const turns = next?.turns ?? (promptOnly(settings) as readonly NextTurn[]);
  const parent = journal && turns.map((turn) => journal.addTurn(turn).id).at(-1);
  const records = models.flatMap((model) => {
    if (journal === undefined) return [];
    const { id } = journal.startAnswer({ model: model.settings.values.model, parent });
    return [createPromptRecord(journal, parent, id)];
  });
  const select = (index: number) => {
    const id = records[index]?.turn();
    if (id !== undefined) journal?.select(id);
  };
  select(0);
  return {
    messages: (own: ResolvedSettings) => next?.messages ?? promptOnly(own),
    /** What records the answer of each model; empty if nothing is saved. */
    records,
    id: journal?.conversation().id,
    /** Selects the answer to continue with. */
    choose: (answers: readonly ComparedAnswer[]) => select(bestOf(answers)),
    close: async () => journal?.close(),
  };
}

type ComparisonJournal = Awaited<ReturnType<typeof openComparisonJournal>>;

/** Opens one service per profile. @throws Failure */
async function openServices({ models, ...run }: Comparison, source: UsageSource) {
  const services = new Map<string | undefined, Service>();
  const close = async () => {
    for (const service of services.values()) await service.close();
  };
  try {
    for (const { profile, settings } of models) {
      if (services.has(profile)) continue;
      const use = { network: undiciNetwork };
      services.set(profile, await openService({ ...run, settings }, source, use));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { services, close };
}

/** Sends the prompt to all models at the same time, and shows the answers; the window's title has their number. */
async function showAnswers(
  comparison: Comparison,
  services: ReadonlyMap<string | undefined, Service>,
  journal: ComparisonJournal,
) {
  const { context, models, check, guard, options, presentation, format } = comparison;
  const asked = models.flatMap(({ label, profile, settings }, index) => {
    const service = services.get(profile);
    if (service === undefined) return [];
    const { client, clock } = service;
    const messages = journal.messages(settings);
    return [{ label, settings, client, clock, messages, record: journal.records[index] }];
  });
  const view = await openView(comparison);
  const window = openWindowStatus(context, presentation.animated, comparison.settings.values);
  let ended = 0;
  const showState = () => {
    const share = (ended / models.length) * 100;
    window.show(`${ended} of ${models.length} - natter compare`, ended === 0 ? 'busy' : share);
  };
  const counted: ComparisonView = {
    ...view,
    ended(...words) {
      ended += 1;
      showState();
      return view.ended(...words);
    },
  };
  const comparing = {
    view: counted,
    showsEvents: format === 'jsonl',
    check,
    stream: options.stream,
    notices: presentation.notices,
    explain: withRequestHint,
    signal: context.signal,
    guard,
  };
  showState();
  try {
    const answers = await compareModels(comparing, asked);
    journal.choose(answers);
    return { answers, removed: view.removed() };
  } finally {
    await view.close();
    window.end();
  }
}

/** Shows and records the answers. Notices that would break the columns are printed afterwards. */
async function recordAnswers(comparison: Comparison) {
  const { presentation } = comparison;
  const held: (() => void)[] = [];
  const deferred: Notices = {
    notice: (...words) => void held.push(() => presentation.notices.notice(...words)),
    warning: (...words) => void held.push(() => presentation.notices.warning(...words)),
  };
  const notices = showsColumns(comparison) ? deferred : presentation.notices;
  const shown = { ...comparison, presentation: { ...presentation, notices } };
  let journal: ComparisonJournal | undefined;
  const source = { command: 'compare', conversation: () => journal?.id };
  const { services, close } = await openServices(comparison, source);
  try {
    journal = await openComparisonJournal(shown);
    return await showAnswers(shown, services, journal);
  } finally {
    await journal?.close();
    for (const write of held) write();
    await close();
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

/** @throws the Failure of the first model that failed, in the order of the options; the reason of `context.signal` */
export async function compare(
  context: Context,
  options: CompareOptions,
  words: readonly string[],
): Promise<void> {
  const run = await startRun(context, options);
  const { notices } = run.presentation;
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  refuseClosedOutput(context.streams.stdout);
  if (options.diff === true && format.startsWith('json')) {
    throw new Failure('usage', `--diff and --${format} cannot be used together`, {
      hint: 'use a different tool to compare the answers in the JSON',
    });
  }
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
  const shown = await recordAnswers(comparison);
  context.signal.throwIfAborted();
  await reportComparison({ ...comparison, ...shown });
}
