import { type Answer, ask, type Sink } from '../../ask/ask.ts';
import { planCompaction, type CompactionPlan } from '../../conversation/compaction.ts';
import { contextWindow } from '../../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../../conversation/token-estimate.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { Failure, type RemedyCode } from '../../failure.ts';
import { sentSummary } from '../../conversation/tree.ts';
import { count, tokenText } from '../../output/figures.ts';
import { refusalNotice } from '../../output/notices.ts';
import { failureText, type SessionCore } from '../session/session-core.ts';
import type { Action } from '../state/action.ts';
import type { Effect } from '../state/effect.ts';
import { failureEntry, notice, type Entry } from '../state/entry.ts';
import { conversationOf } from '../state/position.ts';
import { renewKey } from './send-prompt.ts';
import { cleanLine } from '../../secrets/secrets.ts';

type CompactEffect = Effect & { readonly type: 'compact' };

const unchanged = 'the conversation is unchanged';

/** Shows the summary while it arrives. */
async function receive(
  core: SessionCore,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { transcript } = core;
  const { service, guard, context } = core;
  const { clock } = context;
  let isOpen = false;
  const sink: Sink = {
    async event(event) {
      core.dispatch({ type: 'chat-event', event, now: clock.monotonic() });
      if (event.type !== 'text-received') return;
      if (!isOpen) await transcript.openAnswer('summary');
      isOpen = true;
      await transcript.answerText(event.text);
      core.dispatch({ type: 'undecided-changed', text: transcript.undecided() });
    },
  };
  const send = () => service.client().chat(request, { signal });
  const answer = await renewKey(core, signal, () => ask({ send, clock, signal, guard }, sink));
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
function keep(core: SessionCore, plan: CompactionPlan, answer: Answer, model: string): Entry[] {
  const { turn, after } = plan;
  const { usage } = answer.metadata;
  const content = answer.received.trim();
  core.journal().setSummary({ turn, after, content, model, ...(usage !== undefined && { usage }) });
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

type Outcome = Pick<Action & { readonly type: 'compaction-ended' }, 'result' | 'entries'>;

const failed = (entry: Entry): Outcome => ({ result: 'failed', entries: [entry] });

/** Whose hints are about the text of an answer, or about a prompt. */
const answerRemedies: ReadonlySet<RemedyCode | undefined> = new Set<RemedyCode>([
  'send-again',
  'rephrase-prompt',
  'ask-for-text',
]);

function failureOutcome(core: SessionCore, error: unknown): Outcome {
  const { message, hint } = failureText(error, core.context);
  const isAboutAnswer = error instanceof Failure && answerRemedies.has(error.remedy?.code);
  const help = isAboutAnswer ? '/compact asks again' : hint;
  const hints = [unchanged, help].filter((text) => text !== undefined).join('; ');
  return failed(failureEntry(message, hints));
}

/** @returns also the tokens of the request; undefined if nothing was answered */
async function askForSummary(
  core: SessionCore,
  plan: CompactionPlan,
  { settings }: CompactEffect,
): Promise<Outcome & { readonly usage: ReturnType<typeof tokensOf> }> {
  const signal = core.begin();
  core.print([notice(`asking for a summary of ${promptsText(plan.prompts)}`)]);
  try {
    // The limit is that of answers, and would cut the summary.
    const own = { ...settings, maxTokens: undefined };
    const { request } = core.service.plan(plan.messages, own);
    const answer = await receive(core, request, signal);
    const usage = tokensOf(plan, answer);
    if (answer.isStopped) return { ...failed(notice(`stopped; ${unchanged}`)), usage };
    if (answer.error !== undefined) return { ...failureOutcome(core, answer.error), usage };
    const problem = problemOf(plan, answer);
    if (problem === undefined) {
      return { result: 'compacted', entries: keep(core, plan, answer, request.model), usage };
    }
    return { ...failed(failureEntry(cleanLine(core.context, problem), unchanged)), usage };
  } catch (error) {
    return { ...failureOutcome(core, error), usage: undefined };
  }
}

function planOf(core: SessionCore, { wanted, settings }: CompactEffect) {
  const { service, branch } = core.state();
  const window = contextWindow(settings.model, service.windows);
  const conversation = conversationOf({ conversation: core.journal().conversation(), branch });
  return planCompaction(conversation, { window, wanted });
}

function nothingToDo({ conversation, branch }: ReturnType<SessionCore['state']>): Entry {
  const isSummarized = conversationOf({ conversation, branch }).summaries !== undefined;
  return isSummarized
    ? failureEntry('nothing was sent since the last summary', '/undo removes it')
    : failureEntry('there is no answer to summarize yet', 'type a prompt and press Enter');
}

/** Replaces the older turns by a summary of the model. Always dispatches `compaction-ended`. */
export async function runCompact(core: SessionCore, effect: CompactEffect): Promise<void> {
  const plan = planOf(core, effect);
  const outcome =
    plan === undefined
      ? { result: 'refused' as const, entries: [nothingToDo(core.state())], usage: undefined }
      : await askForSummary(core, plan, effect);
  core.dispatch({
    type: 'compaction-ended',
    ...outcome,
    conversation: core.journal().conversation(),
    now: core.context.clock.monotonic(),
  });
}
