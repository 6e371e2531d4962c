import { planCompaction, type CompactionPlan } from '../../conversation/compaction.ts';
import { contextWindow } from '../../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../../conversation/token-estimate.ts';
import type { CompletionRequest, Usage } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { Failure, type RemedyCode } from '../../failure.ts';
import { sentSummary } from '../../conversation/tree.ts';
import { count, tokenText } from '../../output/figures.ts';
import { refusalNotice } from '../../output/notices.ts';
import { failureText, type SessionCore } from '../session/session-core.ts';
import type { Action } from '../state/action.ts';
import type { Effect } from '../state/effect.ts';
import { failureEntry, notice, type Entry } from '../state/entry.ts';
import { conversationOf } from '../state/position.ts';
import { renewKey } from './renew-key.ts';

type CompactEffect = Effect & { readonly type: 'compact' };

/** A summary while it is received; `text` is as the service sent it, with placeholders for secrets. */
interface Received {
  text: string;
  shown: boolean;
  refusal: string;
  finishReason: string | undefined;
  usage: Usage | undefined;
}

const unchanged = 'the conversation is unchanged';

async function* collected(
  core: SessionCore,
  request: CompletionRequest,
  received: Received,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  for await (const event of core.ports.service.client().chat(request, { signal })) {
    if (event.type === 'text-received') received.text += event.text;
    yield event;
  }
}

async function show(core: SessionCore, event: ChatEvent, received: Received): Promise<void> {
  core.dispatch({ type: 'chat-event', event, now: core.ports.clock.monotonic() });
  if (event.type === 'text-received') {
    if (!received.shown) await core.transcript.openAnswer('summary');
    received.shown = true;
    await core.transcript.answerText(event.text);
    core.dispatch({ type: 'undecided-changed', text: core.transcript.undecided() });
  } else if (event.type === 'refusal-received') received.refusal += event.text;
  else if (event.type === 'answer-finished') {
    received.finishReason = event.finishReason;
    received.usage = event.usage;
  }
}

/** Shows the summary while it arrives. @throws Failure, or the reason of `signal` */
async function receive(
  core: SessionCore,
  request: CompletionRequest,
  received: Received,
  signal: AbortSignal,
): Promise<void> {
  const once = async () => {
    const events = core.ports.guard.restore(collected(core, request, received, signal));
    for await (const event of events) await show(core, event, received);
  };
  await renewKey(core, signal, once);
}

/** Why a received text cannot replace the turns; undefined if it can. */
function problemOf(
  plan: CompactionPlan,
  { text, refusal, finishReason }: Received,
): string | undefined {
  if (refusal !== '') return refusalNotice(refusal);
  if (finishReason === 'length') return 'the summary reached the token limit';
  if (finishReason !== undefined && finishReason !== 'stop') {
    return `the summary ended with ${finishReason}`;
  }
  const content = text.trim();
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
function keep(core: SessionCore, plan: CompactionPlan, received: Received, model: string): Entry[] {
  const { turn, after } = plan;
  const { usage } = received;
  const content = received.text.trim();
  core.journal().setSummary({ turn, after, content, model, ...(usage !== undefined && { usage }) });
  return [notice(doneText(plan))];
}

function tokensOf(plan: CompactionPlan, { text, usage }: Received) {
  return {
    promptTokens: usage?.prompt_tokens ?? estimateMessages(plan.messages),
    completionTokens: usage?.completion_tokens ?? estimateTokens(text),
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
  const { message, hint } = failureText(error, core.ports.clean);
  const isAboutAnswer = error instanceof Failure && answerRemedies.has(error.remedy?.code);
  const help = isAboutAnswer ? '/compact asks again' : hint;
  const hints = [unchanged, help].filter((text) => text !== undefined).join('; ');
  return failed(failureEntry(message, hints));
}

async function askForSummary(
  core: SessionCore,
  plan: CompactionPlan,
  { settings }: CompactEffect,
  received: Received,
): Promise<Outcome> {
  const signal = core.begin();
  const { prompts } = plan;
  core.print([notice(`asking for a summary of ${promptsText(prompts)}`)]);
  try {
    // The limit is that of answers, and would cut the summary.
    const { request } = core.ports.service.plan(plan.messages, {
      ...settings,
      maxTokens: undefined,
    });
    await receive(core, request, received, signal);
    await core.transcript.closeAnswer();
    const problem = problemOf(plan, received);
    if (problem !== undefined) {
      return failed(failureEntry(core.ports.clean(problem), unchanged));
    }
    return { result: 'compacted', entries: keep(core, plan, received, request.model) };
  } catch (error) {
    await core.transcript.closeAnswer();
    if (signal.aborted) return failed(notice(`stopped; ${unchanged}`));
    return failureOutcome(core, error);
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
  const received: Received = {
    text: '',
    shown: false,
    refusal: '',
    finishReason: undefined,
    usage: undefined,
  };
  const plan = planOf(core, effect);
  const outcome: Outcome =
    plan === undefined
      ? { result: 'refused', entries: [nothingToDo(core.state())] }
      : await askForSummary(core, plan, effect, received);
  const isAnswered = plan !== undefined && received.text !== '';
  core.dispatch({
    type: 'compaction-ended',
    ...outcome,
    conversation: core.journal().conversation(),
    usage: isAnswered ? tokensOf(plan, received) : undefined,
    now: core.ports.clock.monotonic(),
  });
}
