// What fills the window of the model, and the summary that makes room in it.
import type { Answer } from '../ask/ask.ts';
import { planRequest } from '../ask/plan-request.ts';
import { contextParts, planCompaction, type CompactionPlan } from '../conversation/compaction.ts';
import { contextWindow, largerModel } from '../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../conversation/token-estimate.ts';
import {
  pathOf,
  sentSummary,
  summarizedTurns,
  summaryOf,
  type Turn,
} from '../conversation/tree.ts';
import { Failure } from '../failure.ts';
import { cachedText, count, countOf, percent, shortCount, tokenText } from '../output/figures.ts';
import { refusalNotice } from '../output/notices.ts';
import { bar, type Column, formatTable } from '../output/table.ts';
import type { Context } from '../run.ts';
import { plainStyle } from '../terminal/style.ts';
import { askShown, countTokens, createView } from './answers/send-prompt.ts';
import {
  changeJournal,
  conversationOf,
  currentPath,
  isNearlyFull,
  messagesFor,
  promptsOf,
  withConversation,
} from './conversations/position.ts';
import { failureText, type Session } from './session.ts';
import type { SlashCommand } from './slash-command.ts';
import type { FailureText, ReplState, Update } from './state.ts';
import { andThen, newAnswer, printing, printNotice, refuse, showNow, step, task } from './step.ts';
import { failureEntry, notice } from './transcript/transcript.ts';

function showContext(state: ReplState, argument: string): Update {
  if (argument === '') {
    const { answers, estimated, promptTokens, cachedTokens, completionTokens } = state.usage;
    const estimates = estimated === 0 ? '' : `, ${estimated} of them estimated`;
    const tokens = `${tokenText(promptTokens)} in${cachedText(cachedTokens)}, ${count(completionTokens)} out`;
    const usage = `${countOf(answers, 'answer')} in this session${estimates}: ${tokens}`;
    return showNow(state, `${contextText(state)}\n${usage}`);
  }
  if (argument !== 'summary') {
    return refuse(state, '/context takes only the word summary', '/context summary');
  }
  const summary = summaryOf(conversationOf(state));
  return summary === undefined
    ? refuse(state, 'there is no summary', '/compact asks for one')
    : step(state, printing({ type: 'answer', text: summary.content, model: 'summary' }));
}

/** What fills the window, which may be unknown, in estimated tokens. The turns share those that the service counted. */
function partsOf(state: ReplState, window: number | undefined) {
  const { settings, context, attachments } = state;
  const { role, maxTokens = 0 } = settings;
  const conversation = conversationOf(state);
  const path = pathOf(conversation);
  const summarized = summarizedTurns(conversation);
  // The messages of the next request, without its prompt.
  const next = messagesFor(conversation, [{ role: 'system', content: settings.system ?? '' }]);
  const { system, summary, files, turns, names } = contextParts(conversation, next);
  const estimate = system + summary + files + turns;
  const share = (tokens: number) =>
    estimate === 0 ? tokens : Math.round((tokens * context.tokens) / estimate);
  const attached = attachments.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const left = Math.max(0, (window ?? 0) - context.tokens - attached);
  const answer = Math.min(left, maxTokens);
  const prompts = (part: readonly Turn[]) => countOf(promptsOf(part).length, 'prompt');
  const ofNext = `${countOf(attachments.length, 'file')} of the next prompt`;
  const free = maxTokens === 0 ? 'including room for the answer' : '';
  const parts = [
    { name: 'system prompt', tokens: share(system), note: role && `role ${role}` },
    { name: 'summary', tokens: share(summary), note: `of ${prompts(path.slice(0, summarized))}` },
    { name: 'files', tokens: share(files), note: countOf(names.length, 'file') },
    { name: 'turns', tokens: share(turns), note: prompts(path.slice(summarized)), isShown: true },
    { name: 'attached', tokens: attached, note: ofNext },
    { name: 'answer room', tokens: answer },
    { name: 'free', tokens: left - answer, note: free, isShown: window !== undefined },
  ];
  return parts.filter(({ tokens, isShown = false }) => tokens > 0 || isShown);
}

function headText({ settings: { model }, context }: ReplState, window: number | undefined): string {
  const { tokens, isEstimate } = context;
  const used = `${isEstimate ? '~' : ''}${count(tokens)}`;
  return window === undefined
    ? `the conversation has ${tokenText(tokens, isEstimate)}; the window of ${model} is not known`
    : `${percent(tokens, window)} of the window of ${model}: ${used} of ${tokenText(window)}`;
}

const barColumns = 16;

const columnsOfParts: readonly Column[] = [
  { heading: 'part' },
  { heading: '', isSpare: true },
  { heading: 'tokens', align: 'right' },
  { heading: 'share', align: 'right' },
  { heading: '', isSpare: true },
];

/** A table with a row for each part; in line mode, sentences. */
function contextText(state: ReplState): string {
  const { settings, service, isLineMode, columns, unicode } = state;
  const window = contextWindow(settings.model, service.windows);
  const parts = partsOf(state, window);
  const conversation = conversationOf(state);
  const lines = isLineMode
    ? parts.map(({ name, tokens, note = '' }) => {
        const text = `${name}: about ${tokenText(tokens)}`;
        return note === '' ? text : `${text}, ${note}`;
      })
    : [
        formatTable(
          columnsOfParts,
          parts.map(({ name, tokens, note = '' }) => {
            const drawn = window === undefined ? '' : bar(tokens, window, barColumns, unicode);
            const share = window === undefined ? '' : percent(tokens, window);
            return [name, drawn, `~${count(tokens)}`, share, note];
          }),
          { isTerminal: true, width: columns - 1, style: plainStyle },
        ).trimEnd(),
      ];
  const originals = `/context summary shows the summary; natter conversations show ${conversation.id} shows the turns that it replaces`;
  const hasSummary = summarizedTurns(conversation) > 0;
  return [headText(state, window), ...lines, ...(hasSummary ? [originals] : [])].join('\n');
}

const unchanged = 'the conversation is unchanged';

/** Why a received text cannot replace the turns; undefined if it can. */
function problemOf(plan: CompactionPlan, { received, metadata }: Answer): string | undefined {
  const { refusal, finishReason } = metadata;
  if (refusal !== undefined) return refusalNotice(refusal);
  if (finishReason === 'length') return 'the summary reached the token limit';
  if (finishReason !== undefined && finishReason !== 'stop') {
    return `the summary ended with ${finishReason}`;
  }
  const content = received.trim();
  if (content === '') return 'the summary is empty';
  const size = estimateTokens(sentSummary({ content }));
  return size < plan.tokens
    ? undefined
    : `the summary (~${tokenText(size)}) is not shorter than the turns (~${count(plan.tokens)})`;
}

const answered = (prompts: number) => countOf(prompts, 'answered prompt');

/** The failure of a command that asks beside the conversation. A hint about an answer's text or about a prompt does not apply there, and is replaced. */
export function failureBeside(error: unknown, context: Context, command: string): FailureText {
  const text = failureText(error, context);
  const code = error instanceof Failure ? error.remedy?.code : undefined;
  const isAboutAnswer = /^(?:send-again|rephrase-prompt|ask-for-text)$/.test(code ?? '');
  return isAboutAnswer ? { ...text, hint: `/${command} asks again` } : text;
}

/** Replaces the older turns by a summary of the model. What to keep, `wanted`, may be empty. */
export async function makeSummary(session: Session, wanted: string): Promise<void> {
  const { context } = session;
  const { service, branch, settings } = session.state();
  const window = contextWindow(settings.model, service.windows);
  const before = conversationOf({ conversation: session.journal().conversation(), branch });
  const plan = planCompaction(before, { window, wanted });
  if (plan === undefined) {
    const nothing =
      before.summaries === undefined
        ? failureEntry('there is no answer to summarize yet', 'type a prompt and press Enter')
        : failureEntry('nothing was sent since the last summary', '/undo removes it');
    return session.update((state) => step({ ...state, activity: undefined }, printing(nothing)));
  }
  const signal = session.begin();
  try {
    session.print([notice(`asking for a summary of ${answered(plan.prompts)}`)]);
    // The limit is that of answers, and would cut the summary.
    const unlimited = session.service.settingsOf({ ...settings, maxTokens: undefined });
    const { request } = planRequest(unlimited, plan.messages, session.options.stream);
    const view = createView(session, 'summary');
    const send = () => session.service.current().clientFor('compact').chat(request, { signal });
    const question = { send, signal, guard: session.service, clock: context.clock };
    const answer = await askShown(session, view, question);
    await session.transcript.closeAnswer();
    countTokens(session, estimateMessages(plan.messages), answer);
    if (answer.error !== undefined) throw answer.error;
    const problem = problemOf(plan, answer);
    if (problem !== undefined) throw new Failure('no_answer', problem);
    const { usage } = answer.metadata;
    const { turn, after } = plan;
    const summary = { turn, after, content: answer.received.trim(), model: request.model };
    session.journal().setSummary({ ...summary, ...(usage !== undefined && { usage }) });
  } catch (error) {
    const { message, hint } = failureBeside(error, context, 'compact');
    const entry = signal.aborted
      ? notice(`stopped; ${unchanged}`)
      : failureEntry(message, hint === undefined ? unchanged : `${unchanged}; ${hint}`);
    return session.update((state) => step(withFailedSummary(state), printing(entry)));
  }
  const kept = plan.kept === 0 ? '' : `, and ${countOf(plan.kept, 'later one')} as before`;
  const said = `the summary is sent instead of ${answered(plan.prompts)}${kept}; /undo removes it, /context shows the window`;
  session.update((state) => {
    const ended = { ...state, activity: undefined, hasOfferedModel: false };
    const next = withConversation(ended, session.journal().conversation());
    // After one that did not help enough, the next one is made only on request.
    const compaction = { ...state.compaction, hasFailed: isNearlyFull(next) };
    return andThen(printNotice({ ...next, compaction }, said), offerRemedies);
  });
}

/** The state after a summary failed: the next one is made only on request, and the queue waits. */
const withFailedSummary = (state: ReplState): ReplState => ({
  ...state,
  activity: undefined,
  isQueuePaused: state.queue.length > 0,
  compaction: { ...state.compaction, hasFailed: true },
});

function compact(state: ReplState, wanted: string): Update {
  const activity = newAnswer(state, state.settings.model);
  return step({ ...state, activity }, task(makeSummary, wanted, withFailedSummary));
}

/** Compacts after an answer, if the setting asks for it and the last attempt did not fail. */
export function compactIfNeeded(state: ReplState): Update {
  const { isAutomatic, hasFailed } = state.compaction;
  if (!isAutomatic || hasFailed || !isNearlyFull(state)) return step(state);
  if (currentPath(state).length === 0) return step(state);
  return compact(state, '');
}

/** The summary, if nothing was sent since it was made. */
function newSummary(state: ReplState) {
  const summary = summaryOf(conversationOf(state));
  return summary?.after === currentPath(state).at(-1)?.id ? summary : undefined;
}

export function undoSummary(state: ReplState): Update | undefined {
  const summary = newSummary(state);
  if (summary === undefined) return undefined;
  const removed = notice('the summary is removed; the earlier turns are sent again');
  return step(state, task(changeJournal, { removeSummary: summary.turn }), printing(removed));
}

/** Reports at 80% of the window what helps, and again if the use falls below that and rises again. */
export function offerRemedies(state: ReplState): Update {
  if (!isNearlyFull(state)) return step({ ...state, hasOfferedModel: false });
  const { settings, context, service, compaction } = state;
  if (state.hasOfferedModel || (compaction.isAutomatic && !compaction.hasFailed)) {
    return step(state);
  }
  const window = contextWindow(settings.model, service.windows) ?? 0;
  const used = `${percent(context.tokens, window)} of ${settings.model}'s window`;
  const figures = `(${shortCount(context.tokens)} of ${shortCount(window)})`;
  const head =
    newSummary(state) === undefined
      ? `${used} is used ${figures}; /compact replaces the older turns with a summary, `
      : `${used} is still used ${figures}; `;
  const larger = largerModel(window, service.windows);
  const remedy =
    larger === undefined
      ? '/new starts an empty conversation'
      : `/model ${larger} has a window of ${shortCount(contextWindow(larger, service.windows) ?? 0)}`;
  return printNotice({ ...state, hasOfferedModel: true }, head + remedy);
}

export const contextCommands: readonly SlashCommand[] = [
  {
    name: 'context',
    argument: '[summary]',
    summary: "show what fills the model's window, and the tokens used",
    isImmediate: true,
    showsNow: true,
    example: '/context summary',
    run: showContext,
  },
  {
    name: 'compact',
    argument: '[text]',
    summary: 'send a summary instead of the older turns',
    example: '/compact keep the names and the numbers',
    takesLines: true,
    run: compact,
  },
];
