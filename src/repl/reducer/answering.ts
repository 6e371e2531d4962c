import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { estimateTokens, tokensOfPiece } from '../../conversation/token-estimate.ts';
import {
  modelOf,
  systemOf,
  textOf,
  type Conversation,
  type Turn,
} from '../../conversation/tree.ts';
import type { ChatEvent } from '../../client/events.ts';
import { expectedDelay } from '../../output/activity.ts';
import type { AnswerOutcome } from '../state/action.ts';
import { withFile } from '../state/attachments.ts';
import { keyDialog, keyHint, secretsDialog } from '../state/dialog.ts';
import { contentOf } from '../composer/paste.ts';
import { isEmpty, withDraft } from '../composer/text-buffer.ts';
import { failureEntry, notice } from '../state/entry.ts';
import { contextUse, currentPath, withBranch, lastPrompt } from '../state/position.ts';
import type { AnswerActivity, AnswerUsage, ReplState } from '../state/state.ts';
import { correctionOf, learnCorrection } from '../state/token-correction.ts';
import { compactIfNeeded } from './compacting.ts';
import { isNearlyFull, offerRemedies } from './full-window.ts';
import { andThen, printing, printNotice, step, type Step } from './step.ts';
import { advance } from './submitting.ts';
import { reportFigures } from './versions.ts';
import { closingOf } from '../text/closing.ts';

function withEvent(
  activity: AnswerActivity,
  event: ChatEvent,
  { now, tokensOf }: { readonly now: number; readonly tokensOf: (text: string) => number },
): AnswerActivity {
  const { retry: _retry, ...others } = activity;
  const rest = { ...others, lastAt: now };
  switch (event.type) {
    case 'retry-scheduled': {
      const { retry, retries, cause } = event;
      const at = now + expectedDelay(event);
      const scheduled = { cause: cause.message, retry, retries, at };
      return { ...rest, phase: 'retrying', retry: scheduled };
    }
    case 'answer-started':
      return { ...rest, phase: 'waiting' };
    case 'text-received':
    case 'refusal-received': {
      const tokens = activity.tokens + tokensOf(event.text);
      return { ...rest, phase: 'streaming', tokens };
    }
    case 'answer-named':
    case 'reasoning-received':
    case 'answer-finished':
      return { ...activity, lastAt: now };
  }
}

export function onChatEvent(state: ReplState, event: ChatEvent, now: number): ReplState {
  const { activity, usage } = state;
  if (activity?.type !== 'answer') return { ...state, now };
  const { model } = activity;
  const tokensOf = (text: string) => tokensOfPiece(text) * correctionOf(usage.corrections, model);
  return { ...state, now, activity: withEvent(activity, event, { now, tokensOf }) };
}

/** A different conversation brings its system prompt and its model. */
export function withConversation(state: ReplState, conversation: Conversation): ReplState {
  if (conversation.id === state.conversation.id) {
    const context = contextUse(conversation, state.branch);
    const next = { ...state, conversation, context };
    return { ...next, hasOfferedModel: state.hasOfferedModel && isNearlyFull(next) };
  }
  const { settings } = state;
  const system = systemOf(conversation) ?? settings.system;
  const model = modelOf(conversation) ?? settings.model;
  // A new one keeps them.
  const isNew = conversation.turns.size === 0;
  const parameters = isNew ? settings.parameters : conversation.parameters;
  const role = system === settings.system ? settings.role : undefined;
  const used = { ...state, settings: { ...settings, system, role, model, parameters } };
  return {
    ...used,
    conversation,
    branch: undefined,
    context: contextUse(conversation, undefined),
    hasOfferedModel: false,
    compaction: { ...state.compaction, hasFailed: false },
  };
}

function usageOf(answer: Turn, context: number, isEstimate: boolean): AnswerUsage {
  const completion = answer.usage?.completion_tokens ?? estimateTokens(textOf(answer));
  const prompt = answer.usage?.prompt_tokens ?? Math.max(0, context - completion);
  return { promptTokens: prompt, completionTokens: completion, isEstimate };
}

function addUsage(state: ReplState, asked = state.settings.model): ReplState {
  const answer = currentPath(state.conversation, state.branch).at(-1);
  if (answer?.role !== 'assistant') return state;
  const isEstimate = answer.usage?.prompt_tokens === undefined;
  const lastUsage = usageOf(answer, state.context.tokens, isEstimate);
  const { usage } = state;
  return {
    ...state,
    usage: {
      corrections: learnCorrection(usage.corrections, answer, asked),
      answers: usage.answers + 1,
      promptTokens: usage.promptTokens + lastUsage.promptTokens,
      completionTokens: usage.completionTokens + lastUsage.completionTokens,
      estimated: usage.estimated + (isEstimate ? 1 : 0),
    },
  };
}

/** Restores an unanswered prompt and its files to the composer, if that is empty. */
function restorePrompt(state: ReplState, { draft, files }: EndedAnswer): ReplState {
  if (draft === undefined || !isEmpty(state.composer)) return state;
  return {
    ...state,
    composer: withDraft(state.composer, { ...draft, cursor: draft.text.length }),
    restoredText: draft.text,
    attachments: files.reduce(withFile, state.attachments),
    restoredFiles: files,
  };
}

/** In line mode the queue is not visible otherwise. */
export function reportQueue(state: ReplState): Step {
  const { length } = state.queue;
  if (!state.isLineMode || length === 0) return step(state);
  const enter = neededKeyOf('send', state.keyMap);
  return printNotice(
    state,
    length === 1
      ? `1 line is queued; ${enter} sends it`
      : `${length} lines are queued; ${enter} sends them`,
  );
}

/** What to do after an incomplete or missing answer; undefined if the prompt must be typed again. */
function continueHint(
  state: ReplState,
  { hasText, isRecorded = true }: { readonly hasText: boolean; readonly isRecorded?: boolean },
  { comparedWith }: EndedAnswer,
): string | undefined {
  if (comparedWith !== undefined)
    return hasText ? '/version switches back' : '/compare tries again';
  if (hasText) return '/continue resumes it';
  const isRestored = state.restoredText !== undefined && state.composer.text === state.restoredText;
  if (isRestored && !state.isLineMode) return `${neededKeyOf('send', state.keyMap)} sends it again`;
  return isRecorded ? '/retry sends it again' : undefined;
}

function onFailure(
  state: ReplState,
  outcome: AnswerOutcome & { type: 'failed' },
  answer: EndedAnswer,
): Step {
  const { failure, hasText, isRecorded = true } = outcome;
  const restored = hasText ? state : restorePrompt(state, answer);
  const next = isRecorded ? restored : withBranch(restored, answer.branch);
  const { message, hint, kind } = failure;
  const paused = { ...next, isQueuePaused: true };
  if (kind === 'unauthorized') {
    const dialog = keyDialog(state.service.address);
    return step(
      { ...paused, dialog },
      printing(failureEntry(message, keyHint(state.service.hasKey))),
    );
  }
  const hints = [hint, continueHint(next, outcome, answer)]
    .filter((text) => text !== undefined)
    .join('; ');
  return step(paused, printing(failureEntry(message, hints || undefined)));
}

function onStop(state: ReplState, hasText: boolean, answer: EndedAnswer): Step {
  const next = hasText ? state : restorePrompt(state, answer);
  const hint = continueHint(next, { hasText }, answer);
  const text = hasText ? `stopped; ${hint}` : 'stopped before any text arrived';
  return step({ ...next, isQueuePaused: true }, printing(notice(text)));
}

function confirmationHint(isRestored: boolean, isLineMode: boolean): string {
  if (!isRestored) return 'the prompt is the latest one in the history';
  return `${isLineMode ? 'an empty line' : 'Enter'} sends these words without the file`;
}

/** Restores a prompt that needs confirmation to the composer. */
function onUnconfirmed(
  state: ReplState,
  { problem, hasSecrets }: AnswerOutcome & { type: 'unconfirmed' },
  answer: EndedAnswer,
): Step {
  const next = restorePrompt(state, answer);
  const isRestored = next !== state && answer.draft !== undefined;
  const unconfirmed = isRestored ? contentOf(next.composer) : undefined;
  const dialog = isRestored && hasSecrets ? secretsDialog(state.service.address) : state.dialog;
  const hint = dialog === undefined ? confirmationHint(isRestored, state.isLineMode) : undefined;
  const paused = { ...next, dialog, unconfirmed, isQueuePaused: state.queue.length > 0 };
  return step(withBranch(paused, answer.branch), printing(failureEntry(problem, hint)));
}

function compactOrAdvance(state: ReplState): Step {
  const compacted = compactIfNeeded(state);
  return compacted.state.activity === undefined ? advance(state) : compacted;
}

/** `conversation` includes the received part of the answer. */
export function onAnswerEnded(
  state: ReplState,
  outcome: AnswerOutcome,
  conversation: Conversation,
): Step {
  const answer: EndedAnswer =
    state.activity?.type === 'answer' ? state.activity : { draft: undefined, files: [] };
  const next = withConversation({ ...state, activity: undefined }, conversation);
  const closed = 'hasText' in outcome && outcome.hasText ? closeAnswer(next, answer) : step(next);
  if (outcome.type === 'failed') {
    const failed = andThen(closed, (ended) => onFailure(ended, outcome, answer));
    return andThen(failed, reportQueue);
  }
  if (outcome.type === 'unconfirmed') {
    return andThen(onUnconfirmed(next, outcome, answer), reportQueue);
  }
  if (outcome.type === 'stopped') {
    const stopped = andThen(closed, (ended) => onStop(ended, outcome.hasText, answer));
    return andThen(stopped, reportQueue);
  }
  const { comparedWith } = answer;
  // The figures of a comparison have the model, the time and the tokens.
  const close = (ended: ReplState) => closeAnswer(ended, answer, comparedWith !== undefined);
  // The service works again, so a paused queue continues.
  const counted = addUsage({ ...next, isQueuePaused: false }, answer.model);
  const reported =
    comparedWith === undefined ? step(counted) : reportFigures(counted, comparedWith);
  return andThen(andThen(andThen(reported, close), offerRemedies), compactOrAdvance);
}

type EndedAnswer = Pick<AnswerActivity, 'draft' | 'files' | 'branch' | 'comparedWith'> & {
  readonly model?: string;
  /** Monotonic milliseconds; undefined if the answer was not in progress. */
  readonly since?: number;
};

/** Prints the row below an answer; `hasNoFacts`: only its version. */
function closeAnswer(state: ReplState, { since }: EndedAnswer, hasNoFacts = false): Step {
  const { conversation, now } = state;
  const pair = lastPrompt(currentPath(conversation, state.branch));
  if (pair?.answer === undefined) return step(state);
  const measured = since === undefined ? {} : { measured: now - since };
  const entries = closingOf(conversation, pair, { ...measured, hasNoFacts });
  return entries.length === 0 ? step(state) : step(state, printing(...entries));
}
