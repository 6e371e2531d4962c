import { openCheck } from '../../ask/check.ts';
import { compareModels } from '../../ask/compare.ts';
import { promptMessages, planRequest } from '../../ask/plan-request.ts';
import { openService, type Service } from '../../ask/service.ts';
import type { Message } from '../../client/contract.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import { createJournal } from '../../conversation/journal/open-journal.ts';
import { createPromptRecord, type PromptRecord } from '../../conversation/journal/record-answer.ts';
import { Failure } from '../../failure.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-printer.ts';
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

/** The conversation of a comparison. The answers are versions of the same turn. */
interface ComparisonJournal {
  /** The messages for a model with these settings. */
  messages(settings: ResolvedSettings): readonly Message[];
  /** What records the answer of each model; empty if nothing is saved. */
  readonly records: readonly PromptRecord[];
  /** The id of the conversation; undefined if it is not saved. */
  readonly id: string | undefined;
  /** Selects the answer to continue with: the first complete one with text, else the first with text. */
  choose(answers: readonly ComparedAnswer[]): void;
  close(): Promise<void>;
}

type MessagesFor = ComparisonJournal['messages'];

function unsavedJournal(messages: MessagesFor): ComparisonJournal {
  return {
    messages,
    id: undefined,
    records: [],
    choose: () => undefined,
    close: async () => undefined,
  };
}

const hasText = ({ content }: ComparedAnswer) => content !== '';
const isComplete = ({ metadata, failure }: ComparedAnswer) =>
  metadata.complete && failure === undefined;

/** The index of the first complete answer with text, else of the first with text. */
function bestOf(answers: readonly ComparedAnswer[]): number {
  const complete = answers.findIndex((answer) => isComplete(answer) && hasText(answer));
  return [complete, answers.findIndex(hasText)].find((index) => index >= 0) ?? 0;
}

/** Writes the prompt and starts an answer for each model, in order. */
function begin(
  journal: Journal,
  turns: readonly NextTurn[],
  models: readonly string[],
  messages: MessagesFor,
): ComparisonJournal {
  const [parent] = turns.map((turn) => journal.addTurn(turn).id).slice(-1);
  const records = models
    .map((model) => journal.startAnswer({ model, parent }).id)
    .map((id) => createPromptRecord(journal, parent, id));
  const select = (index: number) => {
    const id = records[index]?.turn();
    if (id !== undefined) journal.select(id);
  };
  select(0);
  return {
    messages,
    id: journal.conversation().id,
    records,
    choose: (answers) => select(bestOf(answers)),
    close: () => journal.close(),
  };
}

/**
 * Opens the conversation that the options name, or a new one with the system prompt of the first model.
 * @throws Failure if the named one cannot be found or opened
 */
async function openComparisonJournal(comparison: Comparison): Promise<ComparisonJournal> {
  const { context, options, presentation, models, prompt } = comparison;
  // Answers of a profile that saves no conversations must not be in a conversation of a different profile.
  const save = models.every(({ settings }) => settings.values.save) && options.dryRun !== true;
  const ids = models.map(({ settings }) => settings.values.model);
  const [first] = models;
  const promptOnly: MessagesFor = ({ values }) => promptMessages(values.system, prompt);
  if (first === undefined) return unsavedJournal(promptOnly);
  const { settings } = first;
  const journal = journalOptions(context, presentation.notices, save);
  const named = await openNamedJournal(comparison, journal);
  if (named !== undefined) {
    const { turns, messages } = nextTurns({ ...comparison, settings }, named, prompt);
    return begin(named, turns, ids, () => messages);
  }
  if (!save) return unsavedJournal(promptOnly);
  return begin(createJournal(journal), promptOnly(settings) as NextTurn[], ids, promptOnly);
}

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
