import { type Answer, ask, type Sink } from '../../ask/ask.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { planCompaction, type CompactionPlan } from '../../conversation/compaction.ts';
import { contextWindow, largerModel } from '../../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../../conversation/token-estimate.ts';
import {
  sentSummary,
  summaryOf,
  type Summary,
  type Conversation,
} from '../../conversation/tree.ts';
import { Failure, type RemedyCode } from '../../failure.ts';
import { count, tokenText, percent } from '../../output/figures.ts';
import { refusalNotice } from '../../output/notices.ts';
import { renewKey } from '../answers/send-prompt.ts';
import {
  conversationOf,
  currentPath,
  isNearlyFull,
  withConversation,
} from '../conversations/position.ts';
import { failureEntry, notice, type Entry } from '../transcript/entry.ts';
import { failureText, type Session, dispatchConversation } from '../session.ts';
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
  const { transcript } = session;
  const { service, guard, context } = session;
  const { clock } = context;
  let isOpen = false;
  const sink: Sink = {
    async event(event) {
      session.dispatch({ type: 'chat-event', event, now: clock.monotonic() });
      if (event.type !== 'text-received') return;
      if (!isOpen) await transcript.openAnswer('summary');
      isOpen = true;
      await transcript.answerText(event.text);
      session.dispatch({ type: 'undecided-changed', text: transcript.undecided() });
    },
  };
  const send = () => service.client().chat(request, { signal });
  const answer = await renewKey(session, signal, () => ask({ send, clock, signal, guard }, sink));
  await transcript.closeAnswer();
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

/** @returns what to print */
function keep(session: Session, plan: CompactionPlan, answer: Answer, model: string): Entry[] {
  const { turn, after } = plan;
  const { usage } = answer.metadata;
  const content = answer.received.trim();
  session
    .journal()
    .setSummary({ turn, after, content, model, ...(usage !== undefined && { usage }) });
  return [notice(doneText(plan))];
}

/** Undefined if nothing was answered. */
function tokensOf(plan: CompactionPlan, { received, metadata: { usage } }: Answer) {
  if (received === '') return undefined;
  return {
    promptTokens: usage?.prompt_tokens ?? estimateMessages(plan.messages),
    completionTokens: usage?.completion_tokens ?? estimateTokens(received),
  };
}

interface Outcome {
  /** `refused` if there was nothing to summarize. */
  readonly result: 'compacted' | 'failed' | 'refused';
  readonly entries: readonly Entry[];
}

interface Ended extends Outcome {
  /** The tokens of the request for the summary; undefined if it was not answered. */
  readonly usage: ReturnType<typeof tokensOf>;
}

interface Wanted {
  /** What to keep; may be empty. */
  readonly wanted: string;
  readonly settings: SessionSettings;
}

const failed = (entry: Entry): Outcome => ({ result: 'failed', entries: [entry] });

/** Whose hints are about the text of an answer, or about a prompt. */
const answerRemedies: ReadonlySet<RemedyCode | undefined> = new Set<RemedyCode>([
  'send-again',
  'rephrase-prompt',
  'ask-for-text',
]);

function failureOutcome(session: Session, error: unknown): Outcome {
  const { message, hint } = failureText(error, session.context);
  const isAboutAnswer = error instanceof Failure && answerRemedies.has(error.remedy?.code);
  const help = isAboutAnswer ? '/compact asks again' : hint;
  const hints = [unchanged, help].filter((text) => text !== undefined).join('; ');
  return failed(failureEntry(message, hints));
}

/** @returns also the tokens of the request; undefined if nothing was answered */
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
    const usage = tokensOf(plan, answer);
    if (answer.isStopped) return { ...failed(notice(`stopped; ${unchanged}`)), usage };
    if (answer.error !== undefined) return { ...failureOutcome(session, answer.error), usage };
    const problem = problemOf(plan, answer);
    if (problem === undefined) {
      return { result: 'compacted', entries: keep(session, plan, answer, request.model), usage };
    }
    return { ...failed(failureEntry(cleanLine(session.context, problem), unchanged)), usage };
  } catch (error) {
    return { ...failureOutcome(session, error), usage: undefined };
  }
}

function planOf(session: Session, { wanted, settings }: Wanted) {
  const { service, branch } = session.state();
  const window = contextWindow(settings.model, service.windows);
  const conversation = conversationOf({ conversation: session.journal().conversation(), branch });
  return planCompaction(conversation, { window, wanted });
}

function nothingToDo({ conversation, branch }: ReturnType<Session['state']>): Entry {
  const isSummarized = conversationOf({ conversation, branch }).summaries !== undefined;
  return isSummarized
    ? failureEntry('nothing was sent since the last summary', '/undo removes it')
    : failureEntry('there is no answer to summarize yet', 'type a prompt and press Enter');
}

/** Replaces the older turns by a summary of the model. */
export async function makeSummary(session: Session, wanted: Wanted): Promise<void> {
  const plan = planOf(session, wanted);
  const ended: Ended =
    plan === undefined
      ? { result: 'refused', entries: [nothingToDo(session.state())], usage: undefined }
      : await askForSummary(session, plan, wanted);
  const conversation = session.journal().conversation();
  const now = session.context.clock.monotonic();
  session.update((state) => onCompactionEnded({ ...state, now }, ended, conversation));
}

function onCompactionEnded(state: ReplState, ended: Ended, conversation: Conversation): Step {
  const next = withConversation(withCompaction(state, ended), conversation);
  const printed = step(next, printing(...ended.entries));
  return ended.result === 'compacted' ? andThen(printed, reviewSummary) : printed;
}

export function removeSummary(session: Session, { turnId }: { readonly turnId: string }): void {
  session.journal().removeSummary(turnId);
  dispatchConversation(session);
}

/** Asks for a summary of the older turns; the `compaction-ended` action ends it. */
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
  { result, usage }: Pick<Ended, 'result' | 'usage'>,
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
  return step(state, task(removeSummary, { turnId: summary.turn }), printing(notice(removed)));
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
