import type { Draft } from '../composer/text-buffer.ts';
import type { Effect, PromptToSend, SessionSettings, ListOptions } from '../state/effect.ts';
import { type Entry, failureEntry, notice } from '../state/entry.ts';
import type { AnswerActivity, ReplState } from '../state/state.ts';

/** The new state and the effects to run, in order. */
export interface Step {
  readonly state: ReplState;
  readonly effects: readonly Effect[];
}

export function step(state: ReplState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

export function andThen(first: Step, next: (state: ReplState) => Step): Step {
  const second = next(first.state);
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

export function printing(...entries: readonly Entry[]): Effect {
  return { type: 'print', entries };
}

export function printNotice(state: ReplState, text: string): Step {
  return step(state, printing(notice(text)));
}

export function refuse(state: ReplState, message: string, hint?: string): Step {
  return step(state, printing(failureEntry(message, hint)));
}

export function quit(state: ReplState): Step {
  return step({ ...state, hasQuit: true }, { type: 'quit' });
}

/** Starts a task, which the `task-ended` action ends. */
export function startTask(state: ReplState, name: string, effect: Effect): Step {
  const { now: since, dialog } = state;
  const activity = { type: 'task', name, effect, since, isStopping: false, dialog } as const;
  return step({ ...state, activity, dialog: undefined }, effect);
}

interface AnswerOptions {
  /** For this answer only. */
  readonly settings: SessionSettings;
  /** The id of the answer to compare with. */
  readonly comparedWith?: string;
}

/** The activity of an answer that begins now. */
export function newAnswer({ now, branch }: ReplState, model: string): AnswerActivity {
  return {
    type: 'answer',
    phase: 'waiting',
    model,
    since: now,
    lastAt: now,
    tokens: 0,
    undecided: '',
    isStopping: false,
    draft: undefined,
    files: [],
    branch,
  };
}

/** Sends a prompt; the `answer-ended` action ends it. `draft` is restored to the composer if there is no answer. */
export function startAnswer(
  state: ReplState,
  prompt: PromptToSend,
  draft: Draft | undefined,
  options?: AnswerOptions,
): Step {
  const { attachments, restoredFiles } = state;
  const settings = options?.settings ?? state.settings;
  const isNew = prompt.type === 'new';
  const next: ReplState = {
    ...state,
    attachments: isNew ? [] : attachments.filter((file) => !restoredFiles.includes(file)),
    restoredFiles: [],
    activity: {
      ...newAnswer(state, settings.model),
      draft,
      files: isNew ? prompt.files : [],
      comparedWith: options?.comparedWith,
    },
  };
  const nextModel = options === undefined ? {} : { nextModel: state.settings.model };
  return step(next, { type: 'send', prompt, settings, ...nextModel });
}

/** Opens the list of conversations; keys typed meanwhile are for the list. */
export function openList(state: ReplState, options: ListOptions = {}, query = ''): Step {
  const { state: next, effects } = startTask(state, 'reading conversations', {
    type: 'open-list',
    options,
    query,
  });
  if (state.isLineMode) return { state: next, effects };
  return { state: { ...next, typeAhead: { until: 'list', keys: [] } }, effects };
}
