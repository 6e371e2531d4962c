import type { AnswerOutcome, Dialog, FailureText, ReplState, Update, Task } from './state.ts';
import { onAnswerEnded } from './answers/answering.ts';
import { sendPrompt } from './answers/send-prompt.ts';
import { answerList } from './line-mode/questions.ts';
import { type Entry, failureEntry, notice } from './transcript/transcript.ts';
import { releaseKeys } from './keys.ts';
import { advance, submitLine } from './queue.ts';
import { reportQueue, andThen, refuse, printing, step, task, printReport } from './step.ts';

/** The queue waits as after a stopped answer: what is queued may depend on what was stopped. */
function pauseQueue(state: ReplState): Update {
  return reportQueue({ ...state, isQueuePaused: true });
}

/** Ends an activity with its entries, or an answer. @param result what the task returned */
export function onTaskEnded(state: ReplState, ended: Task, result: unknown): Update {
  const { activity } = state;
  if (ended.run === sendPrompt) return onAnswerEnded(state, result as AnswerOutcome);
  const entries = result as readonly Entry[];
  const isTask = activity?.type === 'task';
  const dialog = state.dialog ?? (isTask && activity.isStopping ? activity.dialog : undefined);
  const next = isTask ? { ...state, activity: undefined, dialog } : state;
  const shown = entries.length === 0 ? step(next) : step(next, printing(...entries));
  return isTask && activity.isStopping ? andThen(shown, pauseQueue) : shown;
}

/** `text` is the number or the label of a choice, or the entered text; empty, it is the choice at `selected`. */
export function answerDialog(state: ReplState, dialog: Dialog, text: string, selected?: number) {
  const typed = text.trim();
  if (dialog.type === 'entry') return dialog.enter(state, typed);
  const { choices, takesPrompt, selected: first = 0 } = dialog;
  if (takesPrompt !== undefined && Number.isNaN(Number(typed))) {
    return andThen(takesPrompt(state), (next) => submitLine(next, text));
  }
  const named = choices.find(({ label }) => label === typed) ?? choices[Number(typed) - 1];
  const choice = typed === '' ? choices[selected ?? first] : named;
  return choice?.choose(state) ?? refuse(state, `choose a number from 1 to ${choices.length}`);
}

/** Line mode: a line is a prompt, a command or the answer to a question. */
export function enterLine(before: ReplState, text: string): Update {
  const armed = before.armed === 'send' ? before.armed : undefined;
  const state = { ...before, armed };
  const { dialog, list } = state;
  if (dialog !== undefined) return answerDialog(state, dialog, text);
  return list === undefined ? submitLine(state, text) : answerList(state, list, text);
}

/** Reports a failed task and ends its activity; typed text is kept. */
export function onTaskFailed(state: ReplState, failed: Task, failure: FailureText | 'stopped') {
  const { activity } = state;
  if (failed.run === sendPrompt && activity?.type === 'answer') {
    if (failure === 'stopped') return onAnswerEnded(state, { type: failure, hasText: false });
    return onAnswerEnded(state, { type: 'failed', hasText: false, failure, isRecorded: false });
  }
  const entry =
    failure === 'stopped' ? notice('stopped') : failureEntry(failure.message, failure.hint);
  const report = task(printReport, { entries: [entry] });
  const recovered = failed.recover?.(state) ?? state;
  if (activity?.type !== 'task' || activity.task !== failed) return step(recovered, report);
  const dialog = recovered.dialog ?? activity.dialog;
  const ended = step({ ...recovered, activity: undefined, dialog }, report);
  return failure === 'stopped' ? andThen(ended, pauseQueue) : ended;
}

/** Prints answered side questions, unless an answer is written, in the middle of which they would be. */
function printAsides(state: ReplState): Update {
  const { asides = [], activity, reasoning } = state;
  const isOpen =
    activity?.type === 'answer' && (activity.phase === 'streaming' || reasoning === 'show');
  if (asides.length === 0 || isOpen) return step(state);
  return step({ ...state, asides: [] }, printing(...asides));
}

/** A change of the state. Then the keys that waited for it are pressed, side questions are printed, and the queue goes on. */
export function updated(state: ReplState, change: (state: ReplState) => Update): Update {
  const changed = change(state);
  const isOver = changed.state.typeAhead?.isOver === true;
  const done = isOver ? andThen(changed, releaseKeys) : changed;
  return andThen(andThen(done, printAsides), advance);
}
