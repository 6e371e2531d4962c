// How the answers of several models are asked for, recorded and shown, and what is reported at the end.
import { createAnswerColumns, columnWidth } from '../../output/answer-columns.ts';
import {
  createComparisonLines,
  createComparisonDocument,
  createStackedAnswers,
  type ComparisonView,
  endReasonOf,
  type ComparedAnswer,
  heading,
  isOfAnswer,
} from '../../output/comparison.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import {
  createTextPrinter,
  answerStyle,
  unchanged,
  chooseAnswerFormat,
  refuseClosedOutput,
} from '../../output/answer-printer.ts';
import { terminalTraits } from '../../terminal/device/terminal-kind.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { Failure } from '../../failure.ts';
import {
  filteredNotice,
  finishNotice,
  refusalNotice,
  truncationFailure,
  truncationWarning,
  type Notices,
} from '../../output/notices.ts';
import { figuresText, count } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import {
  type Comparison,
  type CompareOptions,
  defaultModels,
  readComparedModels,
} from './models.ts';
import { type Answer, ask, type Sink } from '../../ask/ask.ts';
import { chainClients } from '../../ask/fallback.ts';
import {
  askUntilConforming,
  checkedFields,
  failureOf,
  metadataOf,
  openCheck,
  valueText,
} from '../../ask/check.ts';
import { withRequestHint } from '../../cli/report.ts';
import type { Message } from '../../client/contract.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../clock.ts';
import { promptMessages, planRequest } from '../../ask/plan-request.ts';
import { openService } from '../../ask/service.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { createJournal } from '../../conversation/journal/open-journal.ts';
import { createPromptRecord, type PromptRecord } from '../../conversation/journal/record-answer.ts';
import type { Context } from '../../run.ts';
import { startRun } from '../../settings/read-settings.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import {
  journalOptions,
  nextTurns,
  openNamedJournal,
  type NextTurn,
} from '../../ask/open-conversation.ts';
import { printJson } from '../../output/print-data.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import { dryRunDocument } from '../../ask/dry-run.ts';
import { readPrompt, withSystem } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';

/** Two columns of this width fit into 80 columns of a terminal. */
const minColumnWidth = 38;

/** Whether the answers are shown side by side: on a terminal that is wide enough and can redraw rows. */
function showsColumns(comparison: Comparison): boolean {
  const { context, presentation, options, format, models } = comparison;
  const isShown = format === 'markdown' || format === 'plain';
  if (!isShown || !presentation.drawsOutput || options.stacked === true) return false;
  return columnWidth(context.streams.stdout.columns(), models.length) >= minColumnWidth;
}

const labelsOf = ({ models }: Comparison) => models.map(({ label }) => label);

async function openColumns(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, format, models } = comparison;
  const { clock, device, streams, environment } = context;
  const { style: own, unicode } = presentation;
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  const wrap = models[0]?.settings.values.wrap ?? 'words';
  const style = answerStyle(presentation, models[0]?.settings);
  return createAnswerColumns({
    traits: terminalTraits(environment),
    output: streams.stdout,
    clock,
    device,
    style: own,
    unicode,
    labels: labelsOf(comparison).map(sanitizeLine),
    // The end of a row would cut links.
    transform: (width) =>
      format === 'plain'
        ? unchanged
        : createMarkdownStream({ style, width, hyperlinks: false, unicode, wrap }),
  });
}

async function openView(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, format, models } = comparison;
  const { stdout } = context.streams;
  if (format === 'json') return createComparisonDocument(context);
  if (format === 'jsonl') return createComparisonLines(context, labelsOf(comparison));
  if (showsColumns(comparison)) return openColumns(comparison);
  const open = () => createTextPrinter(comparison, models[0]?.settings);
  const printers = await Promise.all(models.map(open));
  const labels = labelsOf(comparison).map(sanitizeLine);
  return createStackedAnswers(stdout, presentation.style, labels, printers);
}

interface FinishedComparison extends Comparison {
  readonly answers: readonly ComparedAnswer[];
  /** Characters of the answers that were not shown. */
  readonly removed: number;
}

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

function printFigures({ context, presentation, answers }: FinishedComparison): void {
  const { stderr } = context.streams;
  const measured = answers.map((answer) => {
    const { label, content, metadata } = answer;
    const { usage, timing } = metadata;
    return { label, content, usage, timing, endReason: endReasonOf(answer) };
  });
  const { isTerminal } = stderr;
  const layout = { isTerminal, width: stderr.columns(), style: presentation.noticeStyle };
  const text = maskMessage(context.secrets, figuresText(measured, layout));
  void stderr.write(isTerminal ? `\n${text}` : text);
}

function printNotices({
  presentation: { notices },
  options,
  answers,
  removed,
}: FinishedComparison): void {
  for (const { label, metadata, failure } of answers) {
    const truncation = options.strict === true ? undefined : truncationWarning(metadata);
    if (truncation !== undefined) notices.warning(`${label}: ${truncation}`);
    const { refusal } = metadata;
    if (refusal !== undefined) notices.warning(`${label}: ${refusalNotice(refusal)}`);
    const isComplete = metadata.complete && failure === undefined;
    const notice = isComplete ? finishNotice(metadata) : undefined;
    if (notice !== undefined) notices.notice(`${label}: ${notice}`);
  }
  const filtered = filteredNotice(removed);
  if (filtered !== undefined) notices.notice(filtered);
}

/** Warns if a service reports one model for answers of several: it may ignore the model of a request. */
function warnSameModel({ presentation, models, answers }: FinishedComparison): void {
  const answered = answers.map(({ label, metadata }, index) => {
    const { model, baseUrl } = models[index]?.settings.values ?? {};
    return { label, asked: model, service: baseUrl, reported: metadata.model };
  });
  for (const [index, { label, asked, service, reported }] of answered.entries()) {
    if (reported === undefined) continue;
    const other = answered
      .slice(0, index)
      .find((one) => one.service === service && one.reported === reported);
    if (other === undefined || other.asked === asked) continue;
    presentation.notices.warning(
      `${other.label} and ${label} were both answered by ${reported}, as the service reports`,
    );
  }
}

/** @throws the first failure; prints the others as warnings */
async function reportComparison(comparison: FinishedComparison): Promise<void> {
  const { options, format, presentation, answers } = comparison;
  if (options.diff === true) await printDiffs(comparison);
  if (options.quiet !== true && !format.startsWith('json')) printFigures(comparison);
  printNotices(comparison);
  warnSameModel(comparison);
  const [first, ...others] = answers.flatMap(({ label, failure: own, metadata }) => {
    const failure = own ?? (options.strict === true ? truncationFailure(metadata) : undefined);
    if (failure === undefined) return [];
    return [rephrase(failure, { message: `${label}: ${failure.message}`, cause: failure })];
  });
  for (const { message } of others) presentation.notices.warning(message);
  if (first !== undefined) throw first;
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
    /** Selects the answer to continue with: the first complete one with text, else the first with text. */
    choose(answers: readonly ComparedAnswer[]): void {
      const withText = answers.filter(({ content }) => content !== '');
      const complete = withText.find((one) => one.metadata.complete && one.failure === undefined);
      const best = complete ?? withText[0];
      select(best === undefined ? 0 : answers.indexOf(best));
    },
    close: async () => journal?.close(),
  };
}

type ComparisonJournal = Awaited<ReturnType<typeof openComparisonJournal>>;

/** One model of a comparison, with what answers, shows and records it. */
interface AskedModel {
  readonly comparison: Comparison;
  readonly model: Comparison['models'][number];
  readonly index: number;
  readonly client: Client;
  readonly clock: Clock;
  readonly view: ComparisonView;
  /** Undefined if nothing is saved. */
  readonly record: PromptRecord | undefined;
}

/** Asks once. An answer that the user stopped has no failure. */
async function askOnce(
  { comparison, model, client, clock, record }: AskedModel,
  messages: readonly Message[],
  sink: Sink,
): Promise<Answer> {
  const { context, options, presentation, guard } = comparison;
  const { label, settings } = model;
  const { signal } = context;
  const recorder = record?.begin({ model: settings.values.model });
  // Here, so that a request that cannot be made fails for this model only.
  const send = () => {
    const { request, warning } = planRequest(settings, messages, options.stream);
    if (warning !== undefined) presentation.notices.warning(`${label}: ${warning}`);
    return client.chat(request, { signal });
  };
  const answer = await ask({ send, clock, signal, recorder, guard }, sink);
  const { error, failure, isStopped } = answer;
  recorder?.end(error instanceof Failure ? error.kind : undefined);
  if (failure === undefined) return answer;
  if (isStopped && !(error instanceof Failure)) return { ...answer, failure: undefined };
  return { ...answer, failure: withRequestHint(failure, settings) };
}

/** Asks one model until its answer conforms, and shows the answer. A failed or stopped answer is a result, too. */
async function askModel(asked: AskedModel, messages: readonly Message[]): Promise<ComparedAnswer> {
  const { comparison, model, index, view, record } = asked;
  const { check, context, format, presentation } = comparison;
  const requested = model.settings.values.model;
  // The view of `--jsonl` shows all events of all answers; the others show a checked answer at its end.
  const showsText = check === undefined || format === 'jsonl';
  const sink: Sink = {
    event: (event) => (showsText || !isOfAnswer(event) ? view.event(index, event) : undefined),
  };
  const answers = await askUntilConforming({
    check,
    messages,
    send(next, correction) {
      if (correction !== undefined) record?.addPrompt(correction);
      return askOnce(asked, next, sink);
    },
    onMismatch(notice) {
      if (context.signal.aborted) return false;
      presentation.notices.notice(`${model.label}: ${notice}`);
      return true;
    },
  });
  const { answer, checked } = answers.last;
  const text = valueText(answers) ?? answer.content;
  if (!showsText && text !== '') {
    await view.event(index, { type: 'text-received', text, deltas: [text] });
  }
  const wasStopped = answer.failure === undefined && !answer.metadata.complete;
  const wasChecked = checked !== undefined || answers.earlier.length > 0;
  const result = {
    label: model.label,
    model: requested,
    content: answer.content,
    metadata: metadataOf(answers),
    failure: wasStopped ? undefined : failureOf(check, answers),
    ...(wasChecked && { checked: checkedFields(answers, requested) }),
  };
  await view.ended(index, result);
  return result;
}

/** Sends the prompt to all models at the same time, and shows the answers; the window's title has their number. */
async function showAnswers(
  comparison: Comparison,
  clients: readonly Client[],
  clock: Clock,
  journal: ComparisonJournal,
) {
  const { context, models, presentation } = comparison;
  const view = await openView(comparison);
  const window = openWindowStatus(context, presentation.animated, comparison.settings.values);
  let ended = 0;
  const showState = () => {
    const share = (ended / models.length) * 100;
    window.show(`${ended} of ${models.length} - natter compare`, ended === 0 ? 'busy' : share);
  };
  showState();
  try {
    const pending = clients.map(async (client, index) => {
      const model = models[index] as AskedModel['model'];
      const record = journal.records[index];
      const asked = { comparison, model, index, client, clock, view, record };
      const answer = await askModel(asked, journal.messages(model.settings));
      ended += 1;
      showState();
      return answer;
    });
    // After an error the view and the journal are closed: no answer may still write to them.
    await Promise.allSettled(pending);
    const answers = await Promise.all(pending);
    journal.choose(answers);
    return { answers, removed: view.removed() };
  } finally {
    await view.close();
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
  const run = { ...comparison, settings: models[0]?.settings ?? comparison.settings };
  const use = { network: undiciNetwork };
  const service = await openService(run, source, use);
  const opened = chainClients(service, run, use);
  try {
    const clients: Client[] = [];
    for (const model of models) clients.push(await opened.of(model));
    journal = await openComparisonJournal(shown);
    return await showAnswers(shown, clients, service.clock, journal);
  } finally {
    await journal?.close();
    for (const write of held) write();
    await opened.close();
    await service.close();
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
  refuseClosedOutput(context.streams.stdout, run.settings.values.save);
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
