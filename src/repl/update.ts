import type { Action, AnswerOutcome, FailureText, ReplState, Step } from './state.ts';
import { onAnswerEnded, onChatEvent } from './answers/answering.ts';
import { sendPrompt } from './answers/send-prompt.ts';
import { refuseMissing } from './commands.ts';
import { withFailedSummary, makeSummary } from './context/compaction.ts';
import { clearBuffer } from './composer/text-buffer.ts';
import { answerList } from './line-mode/questions.ts';
import { answerDialog } from './dialog.ts';
import { type Entry, failureEntry, notice } from './transcript/transcript.ts';
import { interrupt, onKey, releaseKeys } from './keys.ts';
import { advance, submitLine } from './queue.ts';
import { reportQueue, andThen, quit, printing, step, task, printReport } from './step.ts';

/** As after a stopped answer: what is queued may depend on what was stopped. */
function pauseQueue(state: ReplState): Step {
  return reportQueue({ ...state, isQueuePaused: true });
}

function onTaskEnded(state: ReplState, entries: readonly Entry[]): Step {
  const { activity } = state;
  const isTask = activity?.type === 'task';
  const dialog = state.dialog ?? (isTask && activity.isStopping ? activity.dialog : undefined);
  const next = isTask ? { ...state, activity: undefined, dialog } : state;
  const shown = entries.length === 0 ? step(next) : step(next, printing(...entries));
  return isTask && activity.isStopping ? andThen(shown, pauseQueue) : shown;
}

function onLine(state: ReplState, text: string): Step {
  const { dialog, list } = state;
  if (dialog !== undefined) return answerDialog(state, dialog, text);
  return list === undefined ? submitLine(state, text) : answerList(state, list, text);
}

function onUndecided(state: ReplState, undecided: string): Step {
  const { activity } = state;
  return step(activity === undefined ? state : { ...state, activity: { ...activity, undecided } });
}

function outcomeOf(failure: FailureText | 'stopped'): AnswerOutcome {
  return failure === 'stopped'
    ? { type: 'stopped', hasText: false }
    : { type: 'failed', hasText: false, failure };
}

/** Reports a failed task and ends its activity; typed text is kept. */
function onTaskFailed(
  state: ReplState,
  { task: failed, failure }: Action & { type: 'task-failed' },
): Step {
  const { activity } = state;
  if (failed.run === sendPrompt && activity?.type === 'answer') {
    return onAnswerEnded(state, outcomeOf(failure), state.conversation);
  }
  const entry =
    failure === 'stopped' ? notice('stopped') : failureEntry(failure.message, failure.hint);
  const report = task(printReport, { entries: [entry] });
  if (failed.run === makeSummary && activity?.type === 'answer') {
    return step(withFailedSummary(state), report);
  }
  const recovered = failed.recover?.(state) ?? state;
  if (activity?.type !== 'task' || activity.task !== failed) return step(recovered, report);
  const dialog = recovered.dialog ?? activity.dialog;
  const ended = step({ ...recovered, activity: undefined, dialog }, report);
  return failure === 'stopped' ? andThen(ended, pauseQueue) : ended;
}

const handlers: {
  readonly [Type in Action['type']]: (
    state: ReplState,
    action: Extract<Action, { readonly type: Type }>,
  ) => Step;
} = {
  'key-pressed': (state, { event, now }) => onKey({ ...state, now }, event),
  'line-entered': (state, { text, now }) => onLine({ ...state, now, isQuitArmed: false }, text),
  // The terminal has discarded its line; a restored prompt is in the history.
  interrupted: (state, { now }) =>
    interrupt({ ...state, now, composer: clearBuffer(state.composer) }),
  'input-ended': quit,
  resized: (state, { columns, rows }) => step({ ...state, columns, rows }),
  ticked: (state, { now }) => step({ ...state, now }),
  'chat-event': (state, { event, now }) => step(onChatEvent(state, event, now)),
  'undecided-changed': (state, { text }) => onUndecided(state, text),
  'answer-ended': (state, { outcome, conversation, now }) =>
    onAnswerEnded({ ...state, now }, outcome, conversation),
  'task-ended': (state, { entries, now }) => onTaskEnded({ ...state, now }, entries),
  'task-failed': (state, action) => onTaskFailed({ ...state, now: action.now }, action),
  'prompt-missing': (state, { name, argument }) => refuseMissing(state, name, argument),
};

/** A change of the state. Then the keys that waited for it are pressed, and the queue goes on. */
export function updated(state: ReplState, change: (state: ReplState) => Step): Step {
  const changed = change(state);
  const isOver = changed.state.typeAhead?.isOver === true;
  return andThen(isOver ? andThen(changed, releaseKeys) : changed, advance);
}

/** The next state after an action, and the tasks that it asks for. Pure. */
export function update(state: ReplState, action: Action): Step {
  // The table gives each type its own handler, which indexing by a union cannot express.
  const handle = handlers[action.type] as (state: ReplState, action: Action) => Step;
  return updated(state, (current) => handle(current, action));
}
