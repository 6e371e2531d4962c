// How the answers of several models are asked for, recorded and shown, and what is reported at the end.
import {
  columnWidth,
  createAnswerColumns,
  createComparisonLines,
  createComparisonDocument,
  createStackedAnswers,
  type ComparisonView,
  endReasonOf,
  type ComparedAnswer,
  isOfAnswer,
} from '../../output/comparison.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import {
  type AnswerFormat,
  createTextPrinter,
  heading,
  answerStyle,
  type FormatOptions,
  unchanged,
  chooseAnswerFormat,
  refuseClosedOutput,
} from '../../output/answer-printer.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { Failure } from '../../failure.ts';
import {
  filteredNotice,
  finishNotice,
  refusalNotice,
  truncationFailure,
  truncationWarning,
  type Notices,
  silentNotices,
} from '../../output/notices.ts';
import { figuresText, count } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { ask, type Sink } from '../../ask/ask.ts';
import {
  type AnswerCheck,
  askUntilConforming,
  type CheckOptions,
  openCheck,
  resultOf,
} from '../../ask/check.ts';
import { withRequestHint } from '../../cli/report.ts';
import { catalogue } from '../../client/contract.ts';
import { promptMessages, planRequest } from '../../ask/plan-request.ts';
import { openService, type Service } from '../../ask/service.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { createPromptRecord } from '../../conversation/journal/record-answer.ts';
import type { Action, Run } from '../../run.ts';
import {
  type NamedModel,
  parseModel,
  settingsOf,
  withSettings,
} from '../../settings/read-settings.ts';
import { knownProfiles } from '../../settings/profiles.ts';
import { readStored } from '../../settings/settings-file.ts';
import { type ResolvedSettings, withValues } from '../../settings/resolved-settings.ts';
import { type ConversationOptions, openConversation } from '../../ask/open-conversation.ts';
import { printJson } from '../../output/print-data.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import { dryRunDocument } from '../../ask/dry-run.ts';
import { type PromptOptions, readPrompt, withSystem } from '../../input/read-prompt.ts';
import { openSecretGuard, type SecretGuard } from '../../input/secret-guard.ts';

export interface CompareOptions
  extends PromptOptions, ConversationOptions, CheckOptions, FormatOptions {
  /** Comma-separated lists. */
  readonly models?: readonly string[];
  readonly diff?: boolean;
  readonly stacked?: boolean;
}

interface Comparison extends Run<CompareOptions> {
  readonly models: readonly (NamedModel & { readonly settings: ResolvedSettings })[];
  readonly prompt: string;
  readonly format: AnswerFormat;
  readonly check: AnswerCheck | undefined;
  readonly guard: SecretGuard | undefined;
}

/** The label of a repeated model has a number. @throws Failure `usage` for fewer than two models, or an unknown profile */
export function parseModels(
  lists: readonly string[],
  profiles: readonly string[] | undefined,
): readonly NamedModel[] {
  const names = lists
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length < 2) {
    throw new Failure('usage', 'a comparison needs at least two models', {
      hint: 'separate them by commas, as in: ‹natter compare -m origin,nextgen …›',
    });
  }
  return names.map((name, index) => {
    const repeats = names.slice(0, index).filter((other) => other === name).length;
    const label = repeats === 0 ? name : `${name} (${repeats + 1})`;
    return { ...parseModel(name, profiles, 'usage'), label };
  });
}

/**
 * With `--sandbox`, profiles are ignored.
 * @param usual the models without `--models`
 * @throws Failure for fewer than two models, an invalid value or an unreadable file
 */
export function readComparedModels(
  { context, options }: Run<CompareOptions>,
  usual: readonly NamedModel[],
) {
  const stored = options.sandbox === true ? undefined : readStored(context, silentNotices);
  const profiles = stored && knownProfiles(stored);
  const models = options.models === undefined ? usual : parseModels(options.models, profiles);
  return models.map((one) => ({ ...one, settings: settingsOf(context, options, one, stored) }));
}

/** The ids of the service's models; the published ones if it has no list, and the model in use is one of them. @throws Failure */
async function listModels(run: Run<CompareOptions>): Promise<readonly string[]> {
  const published = catalogue.map(({ id }) => id);
  if (run.options.dryRun === true) return published;
  const service = await openService(run, { command: 'compare' });
  try {
    const records = await service.client.listModels({ signal: run.context.signal });
    return records.map(({ id }) => id);
  } catch (error) {
    if (error instanceof Failure && published.includes(run.settings.values.model)) return published;
    throw error;
  } finally {
    await service.close();
  }
}

/**
 * The model in use and another one of the service's list. If nobody chose a model, and the service does not have the
 * default one: the first two of the list.
 * @throws Failure `usage` if the service lists no other model
 */
async function defaultModels(run: Run<CompareOptions>): Promise<readonly NamedModel[]> {
  const { values, sources } = run.settings;
  const { model } = values;
  const listed = await listModels(run);
  const isDefault = sources.model.kind === 'default' && !listed.includes(model);
  const first = model === 'auto' || isDefault ? listed[0] : model;
  const other = listed.find((id) => id !== first);
  if (first !== undefined && other !== undefined) {
    return [first, other].map((id) => ({ label: id, profile: undefined, model: id }));
  }
  const known = first ?? model;
  throw new Failure('usage', `there is no second model to compare ${known} with`, {
    hint: `name both: ‹natter compare -m ${known},OTHER …›`,
  });
}

/** Two columns of this width fit into 80 columns of a terminal. */
const minColumnWidth = 38;

/** Whether the answers are shown side by side: on a terminal that is wide enough and can redraw rows. */
function showsColumns(comparison: Comparison): boolean {
  const { context, presentation, options, format, models } = comparison;
  const isShown = format === 'markdown' || format === 'plain';
  if (!isShown || !presentation.drawsOutput || options.stacked === true) return false;
  return columnWidth(context.streams.stdout.columns(), models.length) >= minColumnWidth;
}

async function openView(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, format, models, settings } = comparison;
  const { style, unicode } = presentation;
  const names = models.map(({ label }) => label);
  const labels = names.map(sanitizeLine);
  if (format === 'json') return createComparisonDocument(context);
  if (format === 'jsonl') return createComparisonLines(context, names);
  if (!showsColumns(comparison)) {
    const answers = labels.map(async (label) => {
      return { label, printer: await createTextPrinter(comparison, settings) };
    });
    return createStackedAnswers(context.streams.stdout, style, await Promise.all(answers));
  }
  const { ScreenMarkdown } = await import('../../terminal/markdown/markdown-stream.ts');
  // The end of a row would cut links.
  const { wrap } = settings.values;
  const looks = { style: answerStyle(presentation, settings), hyperlinks: false, unicode, wrap };
  const transform = (width: () => number) =>
    format === 'plain' ? unchanged : new ScreenMarkdown({ ...looks, width });
  return createAnswerColumns(context, presentation, labels, transform);
}

type FinishedComparison = Comparison & Awaited<ReturnType<typeof showAnswers>>;

/** Compares each answer that has text with the first one. */
async function printDiffs({ context, presentation, answers }: FinishedComparison): Promise<void> {
  const { diffWords, formatDiff, maxChanges } = await import('../../output/word-diff.ts');
  const { stdout } = context.streams;
  const clean = (text: string) => (stdout.isTerminal ? sanitize(text) : text);
  const [first, ...others] = answers.filter(({ content }) => content !== '');
  if (first === undefined || others.length === 0) {
    presentation.notices.notice('fewer than two answers to compare');
    return;
  }
  for (const other of others) {
    const parts = diffWords(clean(first.content), clean(other.content));
    const labels = sanitizeLine(`${first.label} and ${other.label}`);
    if (parts === undefined) {
      presentation.notices.notice(
        `${labels} differ in more than ${count(maxChanges)} words; no diff is shown`,
      );
    } else {
      const isSame = parts.every(({ kind }) => kind === 'both');
      const text = isSame ? 'no differences' : formatDiff(parts, presentation.style);
      const title = heading(`differences between ${labels}`, presentation.style);
      const end = text.endsWith('\n') ? '' : '\n';
      await stdout.write(`\n${title}${text}${end}`);
    }
  }
}

/** @throws the first failure; prints the others as warnings */
async function reportComparison(comparison: FinishedComparison): Promise<void> {
  const { context, options, format, models, presentation, answers } = comparison;
  const { notices } = presentation;
  if (options.diff === true) await printDiffs(comparison);
  if (options.quiet !== true && !format.startsWith('json')) {
    const { stderr } = context.streams;
    const { isTerminal } = stderr;
    const layout = { isTerminal, width: stderr.columns(), style: presentation.noticeStyle };
    const measured = answers.map((answer) => {
      return { ...answer, ...answer.metadata, endReason: endReasonOf(answer) };
    });
    const text = maskMessage(context.secrets, figuresText(measured, layout));
    void stderr.write(isTerminal ? `\n${text}` : text);
  }
  for (const { label, metadata, failure } of answers) {
    const truncation = options.strict === true ? undefined : truncationWarning(metadata);
    if (truncation !== undefined) notices.warning(`${label}: ${truncation}`);
    const { refusal } = metadata;
    if (refusal !== undefined) notices.warning(`${label}: ${refusalNotice(refusal)}`);
    const isComplete = metadata.complete && failure === undefined;
    const notice = isComplete ? finishNotice(metadata) : undefined;
    if (notice !== undefined) notices.notice(`${label}: ${notice}`);
  }
  const filtered = filteredNotice(comparison.removed);
  if (filtered !== undefined) notices.notice(filtered);
  // A service that reports one model for answers of several may ignore the model of a request.
  const firsts = new Map<string, ComparedAnswer>();
  for (const [index, answer] of answers.entries()) {
    const { model: reported } = answer.metadata;
    if (reported === undefined) continue;
    const key = JSON.stringify([models[index]?.settings.values.baseUrl, reported]);
    const other = firsts.get(key);
    if (other === undefined) firsts.set(key, answer);
    else if (other.model !== answer.model) {
      notices.warning(
        `${other.label} and ${answer.label} were both answered by ${reported}, as the service reports`,
      );
    }
  }
  const [first, ...others] = answers.flatMap(({ label, failure: own, metadata }) => {
    const failure = own ?? (options.strict === true ? truncationFailure(metadata) : undefined);
    if (failure === undefined) return [];
    return [rephrase(failure, { message: `${label}: ${failure.message}`, cause: failure })];
  });
  for (const { message } of others) notices.warning(message);
  if (first !== undefined) throw first;
}

/**
 * Opens the conversation that the options name, or a new one with the system prompt of the first model; writes the
 * prompt, and starts an answer for each model, in order. The answers are versions of the same turn.
 * @throws Failure if the named one cannot be found or opened
 */
async function openComparisonJournal(comparison: Comparison) {
  const { options, models, prompt, settings } = comparison;
  // Answers of a profile that saves no conversations must not be in a conversation of a different profile.
  const save = models.every((model) => model.settings.values.save);
  const run = { ...comparison, settings: withValues(settings, { save }) };
  const conversation = await openConversation(run, prompt);
  const isContinued = conversation.saved() !== undefined;
  const begun = options.dryRun === true ? undefined : conversation.record();
  const records = models.map(({ settings: { values } }) => {
    if (begun === undefined) return undefined;
    const { journal, parent } = begun;
    const { id } = journal.startAnswer({ model: values.model, parent });
    return createPromptRecord(journal, parent, id);
  });
  const select = (index: number) => {
    const id = records[index]?.turn();
    if (id !== undefined) begun?.journal.select(id);
  };
  select(0);
  return {
    messages: ({ values }: ResolvedSettings) =>
      isContinued ? conversation.messages : promptMessages(values.system, prompt),
    /** What records the answer of each model; undefined if nothing is saved. */
    records,
    id: conversation.saved()?.id,
    /** Selects the answer to continue with: the first complete one with text, else the first with text. */
    choose(answers: readonly ComparedAnswer[]): void {
      const withText = answers.filter(({ content }) => content !== '');
      const complete = withText.find((one) => one.metadata.complete && one.failure === undefined);
      const best = complete ?? withText[0];
      select(best === undefined ? 0 : answers.indexOf(best));
    },
    close: () => conversation.close(),
  };
}

type ComparisonJournal = Awaited<ReturnType<typeof openComparisonJournal>>;

/** Asks one model until its answer conforms, and shows the answer. A failed or stopped answer is a result, too. */
async function askModel(
  { check, context, format, guard, models, options, presentation }: Comparison,
  index: number,
  service: Service,
  journal: ComparisonJournal,
  view: ComparisonView,
): Promise<ComparedAnswer> {
  const { label, settings } = models[index] as Comparison['models'][number];
  const { model } = settings.values;
  const { notices } = presentation;
  const { signal } = context;
  const client = await service.clientOf(settings);
  const record = journal.records[index];
  // The view of `--jsonl` shows all events of all answers; the others show a checked answer at its end.
  const showsText = check === undefined || format === 'jsonl';
  const sink: Sink = {
    event: (event) => (showsText || !isOfAnswer(event) ? view.event(index, event) : undefined),
  };
  const answers = await askUntilConforming({
    check,
    messages: journal.messages(settings),
    async send(messages, correction) {
      if (correction !== undefined) record?.addPrompt(correction);
      const recorder = record?.begin({ model });
      // Here, so that a request that cannot be made fails for this model only.
      const send = () => {
        const { request, warning } = planRequest(settings, messages, options.stream);
        if (warning !== undefined) notices.warning(`${label}: ${warning}`);
        return client.chat(request, { signal });
      };
      const answer = await ask({ send, clock: service.clock, signal, recorder, guard }, sink);
      const { error, failure, isStopped } = answer;
      recorder?.end(error instanceof Failure ? error.kind : undefined);
      if (failure === undefined) return answer;
      // What the user stopped has no failure.
      const isOwn = isStopped && !(error instanceof Failure);
      return { ...answer, failure: isOwn ? undefined : withRequestHint(failure, settings) };
    },
    onMismatch(notice) {
      if (signal.aborted) return false;
      notices.notice(`${label}: ${notice}`);
      return true;
    },
  });
  const { answer, checked } = answers.last;
  const { content } = answer;
  const { value: text = content, ...found } = resultOf(check, answers, model);
  if (!showsText && text !== '') {
    await view.event(index, { type: 'text-received', text, deltas: [text] });
  }
  const wasStopped = answer.failure === undefined && !answer.metadata.complete;
  const wasChecked = checked !== undefined || answers.earlier.length > 0;
  const failure = wasStopped ? undefined : found.failure;
  const more = wasChecked && { checked: found.checked };
  const ended = { label, model, content, metadata: found.metadata, failure, ...more };
  await view.ended(index, ended);
  return ended;
}

/** Sends the prompt to all models at the same time, and shows the answers; the window's title has their number. */
async function showAnswers(comparison: Comparison, service: Service, journal: ComparisonJournal) {
  const { context, models, presentation, settings } = comparison;
  const view = await openView(comparison);
  const window = openWindowStatus(context, presentation.animated, settings.values);
  let ended = 0;
  const showState = () => {
    const share = ended === 0 ? 'busy' : (ended / models.length) * 100;
    window.show(`${ended} of ${models.length} - natter compare`, share);
  };
  showState();
  try {
    const pending = models.map(async (_, index) => {
      const answer = await askModel(comparison, index, service, journal, view);
      ended += 1;
      showState();
      return answer;
    });
    // After an error the view and the journal are closed: no answer may still write to them.
    await Promise.allSettled(pending);
    const answers = await Promise.all(pending);
    journal.choose(answers);
    return { answers, removed: view.removed?.() ?? 0 };
  } finally {
    await view.close?.();
    window.end();
  }
}

/** Shows and records the answers. Notices that would break the columns are printed afterwards. */
async function recordAnswers(comparison: Comparison) {
  const { models, presentation } = comparison;
  const held: (() => void)[] = [];
  const deferred: Notices = {
    notice: (...words) => void held.push(() => presentation.notices.notice(...words)),
    warning: (...words) => void held.push(() => presentation.notices.warning(...words)),
  };
  const notices = showsColumns(comparison) ? deferred : presentation.notices;
  const shown = { ...comparison, presentation: { ...presentation, notices } };
  let journal: ComparisonJournal | undefined;
  const source = { command: 'compare', conversation: () => journal?.id };
  const service = await openService(comparison, source, { network: undiciNetwork });
  try {
    // All services have to be available before anything is written or sent.
    for (const { settings } of models) await service.clientOf(settings);
    journal = await openComparisonJournal(shown);
    return await showAnswers(shown, service, journal);
  } finally {
    await journal?.close();
    for (const write of held) write();
    await service.close();
  }
}

/** Prints `{requests: [{asked, …}]}`: the label of each model, and the fields of a dry run of `natter chat`. */
async function printRequests(comparison: Comparison): Promise<void> {
  const { context, options, models } = comparison;
  const journal = await openComparisonJournal(comparison);
  try {
    const requests = models.map(({ label, settings }) => {
      const planned = planRequest(settings, journal.messages(settings), options.stream);
      return { asked: label, ...dryRunDocument({ ...comparison, settings }, planned) };
    });
    await printJson(context, { requests });
  } finally {
    await journal.close();
  }
}

/** @throws the Failure of the first model that failed, in the order of the options; the reason of `context.signal` */
export const compare: Action<CompareOptions, [words: readonly string[]]> = async (
  started,
  words,
) => {
  const run = withSettings(started);
  const { context, options, presentation } = run;
  const { notices } = presentation;
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  refuseClosedOutput(context.streams.stdout, run.settings.values.save);
  const usual = options.models === undefined ? await defaultModels(run) : [];
  const withoutSystem = readComparedModels(run, usual);
  const guard = withoutSystem
    .map(({ settings }) => openSecretGuard({ ...run, settings }))
    .find((opened) => opened !== undefined);
  const read = await readPrompt({ ...run, guard }, words, 'natter compare');
  const check = await openCheck(notices, options);
  const prompt = check?.prompt(read.prompt) ?? read.prompt;
  const models = withoutSystem.map((model) => {
    const settings = withSystem(model.settings, read);
    return { ...model, settings: check?.settings(settings) ?? settings };
  });
  // The settings of the first model decide how answers look and where they are saved.
  const settings = models[0]?.settings ?? run.settings;
  const comparison: Comparison = { ...run, settings, format, models, prompt, check, guard };
  if (options.dryRun === true) return printRequests(comparison);
  const shown = await recordAnswers(comparison);
  context.signal.throwIfAborted();
  await reportComparison({ ...comparison, ...shown });
};
