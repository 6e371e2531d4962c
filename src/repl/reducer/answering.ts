import { estimateTokens } from '../../conversation/token-estimate.ts';
import { contextFit, contextWindow, largerModel } from '../../conversation/context-fit.ts';
import {
  modelOf,
  pathOf,
  systemOf,
  textOf,
  type Conversation,
  type Turn,
} from '../../conversation/tree.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { AnswerOutcome } from '../state/action.ts';
import { keyDialog } from '../state/dialogs.ts';
import { withFile } from '../state/attachments.ts';
import { contentOf } from '../editing/paste.ts';
import { isEmpty, withDraft } from '../editing/text-buffer.ts';
import { failureEntry, notice } from '../state/entry.ts';
import { contextUse, currentPath, lastPrompt, withBranch } from '../state/position.ts';
import type { AnswerActivity, AnswerUsage, ReplState } from '../state/state.ts';
import { versionText } from '../state/versions.ts';
import { shortCount } from '../text/status-text.ts';
import { reportFigures } from './comparing.ts';
import { andThen, printing, printNotice, step, type Step } from './step.ts';
import { advance } from './submitting.ts';

function withEvent(activity: AnswerActivity, event: ChatEvent, now: number): AnswerActivity {
  const { retry: _retry, ...before } = activity;
  const rest = { ...before, lastAt: now };
  switch (event.type) {
    case 'retry-scheduled': {
      const { retry, retries, delay, cause } = event;
      const scheduled = { cause: cause.message, retry, retries, at: now + delay };
      return { ...rest, phase: 'retrying', retry: scheduled };
    }
    case 'answer-started':
      return { ...rest, phase: 'waiting' };
    case 'text-received':
    case 'refusal-received': {
      const tokens = activity.tokens + estimateTokens(event.text);
      return { ...rest, phase: 'streaming', tokens };
    }
    case 'answer-named':
    case 'reasoning-received':
    case 'answer-finished':
      return { ...activity, lastAt: now };
  }
}

export function onChatEvent(state: ReplState, event: ChatEvent, now: number): ReplState {
  if (state.activity?.type !== 'answer') return { ...state, now };
  return { ...state, now, activity: withEvent(state.activity, event, now) };
}

/** Opening a conversation restores its system prompt and its model. */
function settingsOf({ choices }: ReplState, conversation: Conversation): Partial<ReplState> {
  const system = systemOf(conversation) ?? choices.system;
  const model = modelOf(pathOf(conversation));
  return {
    hasOfferedModel: false,
    lastUsage: undefined,
    choices: { ...choices, system, model: model ?? choices.model },
  };
}

export function withConversation(state: ReplState, conversation: Conversation): ReplState {
  const isOther = conversation.id !== state.conversation.id;
  const branch = isOther ? undefined : state.branch;
  return {
    ...state,
    conversation,
    branch,
    context: contextUse(conversation, branch),
    ...(isOther ? settingsOf(state, conversation) : {}),
  };
}

function usageOf(answer: Turn, context: number, isEstimate: boolean): AnswerUsage {
  const completion = answer.usage?.completion_tokens ?? estimateTokens(textOf(answer));
  const prompt = answer.usage?.prompt_tokens ?? Math.max(0, context - completion);
  return { promptTokens: prompt, completionTokens: completion, isEstimate };
}

/** Adds an answer's tokens to the session's usage. */
function addUsage(state: ReplState): ReplState {
  const answer = currentPath(state.conversation, state.branch).at(-1);
  if (answer?.role !== 'assistant') return state;
  const isEstimate = answer.usage?.prompt_tokens === undefined;
  const lastUsage = usageOf(answer, state.context.tokens, isEstimate);
  const { usage } = state;
  return {
    ...state,
    lastUsage,
    usage: {
      answers: usage.answers + 1,
      promptTokens: usage.promptTokens + lastUsage.promptTokens,
      completionTokens: usage.completionTokens + lastUsage.completionTokens,
      estimated: usage.estimated + (isEstimate ? 1 : 0),
    },
  };
}

/** Once per conversation, at 80 % of the window: offers a larger model. */
function offerModel(state: ReplState): Step {
  const { choices, context } = state;
  const { windows } = state.service;
  const fit = contextFit(choices.model, context.tokens, windows);
  if (state.hasOfferedModel || fit.state === 'fits' || fit.window === undefined) return step(state);
  const window = fit.window;
  const larger = largerModel(window, windows);
  const way =
    larger === undefined
      ? '/new starts an empty conversation'
      : `/model ${larger} has a window of ${shortCount(contextWindow(larger, windows) ?? 0)}`;
  const share = Math.round((context.tokens / window) * 100);
  const text = `${share} % of ${choices.model}'s window is used (${shortCount(context.tokens)} of ${shortCount(window)}); ${way}`;
  return step({ ...state, hasOfferedModel: true }, printing(notice(text)));
}

type RequestedAnswer = Pick<AnswerActivity, 'prompt' | 'files' | 'branch' | 'comparedWith'>;

/** Restores an unanswered prompt and its files to the composer, if that is empty. */
function restorePrompt(state: ReplState, { prompt, files }: RequestedAnswer): ReplState {
  if (prompt === undefined || !isEmpty(state.composer)) return state;
  const draft = { ...prompt, cursor: prompt.text.length };
  return {
    ...state,
    composer: withDraft(state.composer, draft),
    restoredText: draft.text,
    attachments: files.reduce(withFile, state.attachments),
    returnedFiles: files,
  };
}

/** Line mode has no view of the queue. */
function reportQueue(state: ReplState): Step {
  const { length } = state.queue;
  if (!state.isLineMode || length === 0) return step(state);
  return printNotice(
    state,
    length === 1
      ? '1 line is queued; Enter sends it'
      : `${length} lines are queued; Enter sends them`,
  );
}

/** How to continue after a cut or missing answer; undefined if the prompt must be typed again. */
function continueHint(
  state: ReplState,
  { hasText, isRecorded = true }: { readonly hasText: boolean; readonly isRecorded?: boolean },
  { comparedWith }: RequestedAnswer,
): string | undefined {
  if (comparedWith !== undefined)
    return hasText ? '/version switches back' : '/compare tries again';
  if (hasText) return '/continue resumes it';
  const isRestored = state.restoredText !== undefined && state.composer.text === state.restoredText;
  if (isRestored && !state.isLineMode) return 'Enter sends it again';
  return isRecorded ? '/retry sends it again' : undefined;
}

function onFailure(
  state: ReplState,
  outcome: AnswerOutcome & { type: 'failed' },
  requested: RequestedAnswer,
): Step {
  const { failure, hasText, isRecorded = true } = outcome;
  const returned = hasText ? state : restorePrompt(state, requested);
  const next = isRecorded ? returned : withBranch(returned, requested.branch);
  const way = continueHint(next, outcome, requested);
  const { message, hint, kind } = failure;
  const paused = { ...next, isQueuePaused: true };
  if (kind === 'unauthorized') {
    const dialog = keyDialog(state.service.address);
    return step(
      { ...paused, dialog },
      printing(failureEntry(message, 'enter a different key here')),
    );
  }
  const hints = [hint, way].filter((text) => text !== undefined).join('; ');
  return step(paused, printing(failureEntry(message, hints || undefined)));
}

function onStop(state: ReplState, hasText: boolean, requested: RequestedAnswer): Step {
  const next = hasText ? state : restorePrompt(state, requested);
  const way = continueHint(next, { hasText }, requested);
  const text = hasText ? `stopped; ${way}` : 'stopped before any text arrived';
  return step({ ...next, isQueuePaused: true }, printing(notice(text)));
}

function confirmationHint(isRestored: boolean, isLineMode: boolean): string {
  if (!isRestored) return 'the prompt is the latest one in the history';
  return `${isLineMode ? 'an empty line' : 'Enter'} sends it as it is`;
}

/** Restores a prompt that needs confirmation to the composer. */
function onUnconfirmed(state: ReplState, doubt: string, requested: RequestedAnswer): Step {
  const next = restorePrompt(state, requested);
  const isRestored = next !== state && requested.prompt !== undefined;
  const unconfirmed = isRestored ? contentOf(next.composer) : undefined;
  const way = confirmationHint(isRestored, state.isLineMode);
  const paused = { ...next, unconfirmed, isQueuePaused: state.queue.length > 0 };
  return step(withBranch(paused, requested.branch), printing(failureEntry(doubt, way)));
}

function reportVersion(state: ReplState): Step {
  const { conversation } = state;
  const pair = lastPrompt(currentPath(conversation, state.branch));
  const text = pair?.answer && versionText(conversation, pair);
  return text === undefined ? step(state) : printNotice(state, text);
}

/** `conversation` includes the received part of the answer. */
export function onAnswerEnded(
  state: ReplState,
  outcome: AnswerOutcome,
  conversation: Conversation,
): Step {
  const requested: RequestedAnswer =
    state.activity?.type === 'answer' ? state.activity : { prompt: undefined, files: [] };
  const next = withConversation({ ...state, activity: undefined }, conversation);
  if (outcome.type === 'failed') return andThen(onFailure(next, outcome, requested), reportQueue);
  if (outcome.type === 'unconfirmed') {
    return andThen(onUnconfirmed(next, outcome.doubt, requested), reportQueue);
  }
  if (outcome.type === 'stopped')
    return andThen(onStop(next, outcome.hasText, requested), reportQueue);
  const { comparedWith } = requested;
  // The service works again, so a paused queue continues.
  const counted = addUsage({ ...next, isQueuePaused: false });
  const reported =
    comparedWith === undefined ? step(counted) : reportFigures(counted, comparedWith);
  return andThen(andThen(andThen(reported, reportVersion), offerModel), advance);
}
