import { type Answer, ask } from '../../ask/ask.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { planCompaction, type CompactionPlan } from '../../conversation/compaction.ts';
import { contextWindow, largerModel } from '../../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../../conversation/token-estimate.ts';
import { sentSummary, summaryOf, type Summary } from '../../conversation/tree.ts';
import { Failure, type RemedyCode } from '../../failure.ts';
import { count, tokenText, percent } from '../../output/figures.ts';
import { refusalNotice } from '../../output/notices.ts';
import { renewKey } from '../answers/send-prompt.ts';
import { createView } from '../answers/show-answer.ts';
import {
  conversationOf,
  currentPath,
  isNearlyFull,
  withConversation,
  updateConversation,
} from '../conversations/position.ts';
import { failureEntry, notice, type Entry } from '../transcript/entry.ts';
import { failureText, type Session } from '../session.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, Step, SessionSettings } from '../state.ts';
import { newAnswer, printing, step, andThen, task } from '../step.ts';
import { shortCount } from '../status-text.ts';

const unchanged = 'the conversation is unchanged';

/** Shows the summary while it arrives. */
async function receive(
  session: Session,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { service, guard, context } = session;
  const { clock } = context;
  const view = createView(session, 'summary');
  const send = () => service.client().chat(request, { signal });
  const question = { send, clock, signal, guard };
  const answer = await renewKey(session, signal, () => ask(question, view.sink));
  await view.shown();
  await session.transcript.closeAnswer();
  return answer;
}

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

const promptsText = (prompts: number) =>
  prompts === 1 ? '1 prompt and its answer' : `${prompts} prompts and their answers`;

function doneText({ prompts, kept }: CompactionPlan): string {
  const last = kept === 1 ? 'prompt and its answer are' : `${kept} prompts and their answers are`;
  const rest = kept === 0 ? '' : `; the last ${last} kept`;
  return `the summary is sent instead of ${promptsText(prompts)}${rest}; /undo removes it, /context shows the window`;
}

/** `refused`: there was nothing to summarize. */
interface Ended {
  readonly result: 'compacted' | 'failed' | 'refused';
  readonly entries: readonly Entry[];
  /** The tokens of the request for the summary; undefined if it was not answered. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

/** Whose hints are about the text of an answer, or about a prompt. */
const answerRemedies: ReadonlySet<RemedyCode | undefined> = new Set<RemedyCode>([
  'send-again',
  'rephrase-prompt',
  'ask-for-text',
]);

function failed(session: Session, error: unknown): Ended {
  const { message, hint } = failureText(error, session.context);
  const isAboutAnswer = error instanceof Failure && answerRemedies.has(error.remedy?.code);
  const help = isAboutAnswer ? '/compact asks again' : hint;
  const hints = [unchanged, help].filter((text) => text !== undefined).join('; ');
  return { result: 'failed', entries: [failureEntry(message, hints)] };
}

/** What an answer leads to: a summary in the journal, if it can replace the turns. */
function end(session: Session, plan: CompactionPlan, answer: Answer, model: string): Ended {
  const { received, metadata, isStopped, error } = answer;
  if (isStopped) return { result: 'failed', entries: [notice(`stopped; ${unchanged}`)] };
  if (error !== undefined) return failed(session, error);
  const problem = problemOf(plan, answer);
  if (problem !== undefined) {
    const text = cleanLine(session.context, problem);
    return { result: 'failed', entries: [failureEntry(text, unchanged)] };
  }
  const { turn, after } = plan;
  const { usage } = metadata;
  const content = received.trim();
  session
    .journal()
    .setSummary({ turn, after, content, model, ...(usage !== undefined && { usage }) });
  return { result: 'compacted', entries: [notice(doneText(plan))] };
}

/** What to keep, which may be empty, and the settings of the request. */
interface Wanted {
  readonly wanted: string;
  readonly settings: SessionSettings;
}

async function askForSummary(
  session: Session,
  plan: CompactionPlan,
  { settings }: Wanted,
): Promise<Ended> {
  const signal = session.begin();
  session.print([notice(`asking for a summary of ${promptsText(plan.prompts)}`)]);
  try {
    // The limit is that of answers, and would cut the summary.
    const own = { ...settings, maxTokens: undefined };
    const { request } = session.service.plan(plan.messages, own);
    const answer = await receive(session, request, signal);
    const ended = end(session, plan, answer, request.model);
    const { received, metadata } = answer;
    if (received === '') return ended;
    const { prompt_tokens: prompt, completion_tokens: completion } = metadata.usage ?? {};
    const usage = {
      promptTokens: prompt ?? estimateMessages(plan.messages),
      completionTokens: completion ?? estimateTokens(received),
    };
    return { ...ended, usage };
  } catch (error) {
    return failed(session, error);
  }
}

/** Replaces the older turns by a summary of the model. */
export async function makeSummary(session: Session, wanted: Wanted): Promise<void> {
  const { service, branch } = session.state();
  const window = contextWindow(wanted.settings.model, service.windows);
  const before = conversationOf({ conversation: session.journal().conversation(), branch });
  const plan = planCompaction(before, { window, wanted: wanted.wanted });
  const nothing =
    before.summaries === undefined
      ? failureEntry('there is no answer to summarize yet', 'type a prompt and press Enter')
      : failureEntry('nothing was sent since the last summary', '/undo removes it');
  const ended: Ended =
    plan === undefined
      ? { result: 'refused', entries: [nothing] }
      : await askForSummary(session, plan, wanted);
  const conversation = session.journal().conversation();
  const now = session.context.clock.monotonic();
  session.update((state) => {
    const next = withConversation(withCompaction({ ...state, now }, ended), conversation);
    const printed = step(next, printing(...ended.entries));
    return ended.result === 'compacted' ? andThen(printed, reviewSummary) : printed;
  });
}
export function removeSummary(session: Session, turnId: string): void {
  session.journal().removeSummary(turnId);
  updateConversation(session);
}

/** Asks for a summary of the older turns. */
function compact(state: ReplState, wanted: string): Step {
  const { settings } = state;
  const activity = { ...newAnswer(state, settings.model), isSummary: true };
  return step({ ...state, activity }, task(makeSummary, { wanted, settings }));
}

/** Compacts after an answer, if the setting asks for it and the last attempt did not fail. */
export function compactIfNeeded(state: ReplState): Step {
  const { isAutomatic, hasFailed } = state.compaction;
  if (!isAutomatic || hasFailed || !isNearlyFull(state)) return step(state);
  if (currentPath(state.conversation, state.branch).length === 0) return step(state);
  return compact(state, '');
}

/** `conversation` has the new summary, if there is one; a compaction without one changed nothing. */
export function withCompaction(
  state: ReplState,
  { result, usage }: Omit<Ended, 'entries'>,
): ReplState {
  if (result === 'refused') return { ...state, activity: undefined };
  const used = state.usage;
  const hasFailed = result === 'failed';
  return {
    ...state,
    activity: undefined,
    isQueuePaused: hasFailed ? state.queue.length > 0 : state.isQueuePaused,
    compaction: { ...state.compaction, hasFailed },
    usage: {
      ...used,
      promptTokens: used.promptTokens + (usage?.promptTokens ?? 0),
      completionTokens: used.completionTokens + (usage?.completionTokens ?? 0),
    },
  };
}

/** The summary in force if nothing was sent since it was made. */
function lastSummary(state: ReplState): Summary | undefined {
  const summary = summaryOf(conversationOf(state));
  const last = currentPath(state.conversation, state.branch).at(-1);
  return summary !== undefined && summary.after === last?.id ? summary : undefined;
}

const removed = 'the summary is removed; the earlier turns are sent again';

/** Removes the summary, if that was the last change of the conversation. */
export function undoSummary(state: ReplState): Step | undefined {
  const summary = lastSummary(state);
  if (summary === undefined) return undefined;
  return step(state, task(removeSummary, summary.turn), printing(notice(removed)));
}

function otherRemedy({ settings, service: { windows } }: ReplState): string {
  const larger = largerModel(contextWindow(settings.model, windows) ?? 0, windows);
  return larger === undefined
    ? '/new starts an empty conversation'
    : `/model ${larger} has a window of ${shortCount(contextWindow(larger, windows) ?? 0)}`;
}

function report(state: ReplState, isStillFull: boolean, remedy: string): Step {
  const { settings, context, service } = state;
  const window = contextWindow(settings.model, service.windows) ?? 0;
  const verb = isStillFull ? 'is still used' : 'is used';
  const text = `${percent(context.tokens, window)} of ${settings.model}'s window ${verb} (${shortCount(context.tokens)} of ${shortCount(window)}); ${remedy}`;
  return step({ ...state, hasOfferedModel: true }, printing(notice(text)));
}

/** Reports at 80% of the window what helps, and again if the use falls below that and rises again. */
export function offerRemedies(state: ReplState): Step {
  if (!isNearlyFull(state)) return step({ ...state, hasOfferedModel: false });
  const { isAutomatic, hasFailed } = state.compaction;
  const isHandled = isAutomatic && !hasFailed;
  if (state.hasOfferedModel || isHandled) return step(state);
  const remedy = `/compact replaces the older turns with a summary, ${otherRemedy(state)}`;
  return report(state, false, remedy);
}

/** Reports that a summary did not help enough; the next one is made only on request. */
function reviewSummary(state: ReplState): Step {
  if (!isNearlyFull(state)) return step(state);
  const compaction = { ...state.compaction, hasFailed: true };
  return report({ ...state, compaction }, true, otherRemedy(state));
}

export const compactCommand: SlashCommand = {
  name: 'compact',
  argument: '[text]',
  summary: 'send a summary instead of the older turns',
  group: 'conversations',
  example: '/compact keep the names and the numbers',
  takesLines: true,
  run: compact,
};
