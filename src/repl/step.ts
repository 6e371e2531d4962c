import { keyOf } from './composer/keys/key-bindings.ts';
import { type Entry, failureEntry, notice } from './transcript/transcript.ts';
import type { Session } from './session.ts';
import type {
  AnswerActivity,
  Dialog,
  DialogChoice,
  ReplState,
  ServiceFacts,
  Task,
  Update,
} from './state.ts';

export function step(state: ReplState, ...tasks: readonly Task[]): Update {
  return { state, tasks };
}

/** A task that calls `run` after the update. */
export function task<Input>(
  run: (session: Session, input: Input) => Promise<unknown> | void,
  input: Input,
  recover?: Task['recover'],
): Task {
  return { run, input, recover };
}

/** Makes further changes after an update; their tasks follow its own. */
export function andThen(first: Update, ...changes: readonly ((state: ReplState) => Update)[]) {
  return changes.reduce(({ state, tasks }, change) => {
    const next = change(state);
    return { state: next.state, tasks: [...tasks, ...next.tasks] };
  }, first);
}

export const print = (
  { transcript }: Session,
  { entries }: { readonly entries: readonly Entry[] },
): Promise<void> => transcript.print(entries);

/** Prints about a failed task: if that fails too, the session ends. */
export const printReport: typeof print = (session, printed) => print(session, printed);

export const printing = (...entries: readonly Entry[]): Task => task(print, { entries });

export function printNotice(state: ReplState, text: string): Update {
  return step(state, printing(notice(text)));
}

/** Whether the text of an answer is being written, which a notice has to wait for. Line mode has no other place for one. */
export const isWriting = ({ activity, isLineMode }: ReplState): boolean =>
  activity?.type === 'answer' && activity.phase === 'streaming' && !isLineMode;

/** Prints a text; while an answer is being written, it is below the composer until the next key. */
export function showNow(state: ReplState, text: string): Update {
  return isWriting(state) ? step({ ...state, panel: text }) : printNotice(state, text);
}

/** Says why something is not done; while an answer is being written, below the composer. */
export function refuse(state: ReplState, message: string, hint?: string): Update {
  return isWriting(state)
    ? showNow(state, hint === undefined ? message : `${message}; ${hint}`)
    : step(state, printing(failureEntry(message, hint)));
}

/** The session ends when the state says so. */
export const quit = (state: ReplState): Update => step({ ...state, hasQuit: true });

/** Starts an activity: work that the user can stop. Its entries are printed when it ends. */
export function startActivity<Input>(
  state: ReplState,
  name: string,
  run: (session: Session, input: Input, signal: AbortSignal) => Promise<readonly Entry[]>,
  input: Input,
  recover?: Task['recover'],
): Update {
  const { now: since, dialog } = state;
  const started: Task = { run, input, isActivity: true, recover };
  const activity = { type: 'task', name, task: started, since, isStopping: false, dialog } as const;
  return step({ ...state, activity, dialog: undefined }, started);
}

/** Presses the keys that were typed while the composer was not available. */
export const withKeysReleased = (state: ReplState): ReplState =>
  state.typeAhead === undefined
    ? state
    : { ...state, typeAhead: { ...state.typeAhead, isOver: true } };

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

/** Shows the end of a text that is being received, which is not in the transcript yet. */
export function withUndecided(state: ReplState, undecided: string): Update {
  const { activity } = state;
  return step(activity === undefined ? state : { ...state, activity: { ...activity, undecided } });
}

export const closeDialog = (state: ReplState): Update => step({ ...state, dialog: undefined });

/** Shows a dialog in the composer's place. */
export function openDialog(session: Session, dialog: Dialog): void {
  session.update((state) => step({ ...state, dialog }));
}

/** Offers what a slash command can choose: in a dialog, in line mode as lines with the numbers to type. */
export function offerChoices(
  state: ReplState,
  title: string,
  command: string,
  choices: readonly DialogChoice[],
): Update {
  if (state.isLineMode) {
    const lines = choices.map(({ label }, index) => `${index + 1} ${label}`);
    const text = [title, ...lines, `/${command} 1 chooses the first`].join('\n');
    return printNotice(state, text);
  }
  const frame = { title, cancel: closeDialog, cancels: 'returns' };
  return step({ ...state, dialog: { type: 'choice', choices, filtersTyped: true, ...frame } });
}

/** The key that stops; in line mode no key is bound to `stop`. */
export function stopKey({ isLineMode, keyMap }: ReplState): string {
  return (isLineMode ? undefined : keyOf('stop', keyMap)) ?? keyOf('interrupt', keyMap);
}

/** What Esc does in the open dialog; in line mode Ctrl+C. */
export function cancelHint(state: ReplState, { cancels = 'cancels' }: Dialog): string {
  return `${stopKey(state)} ${cancels}`;
}

/** Ctrl+C cancels like Esc. After it has cancelled the choice of a service, the next Ctrl+C quits. */
export function interruptDialog(state: ReplState, dialog: Dialog): Update {
  const { state: next, tasks } = dialog.cancel(state);
  const isFirst = dialog.type === 'choice' && dialog.takesPrompt !== undefined;
  const armed = isFirst && next.dialog === undefined ? 'interrupt' : undefined;
  return { state: { ...next, armed }, tasks };
}

/** Line mode does not show the queue otherwise. */
export function reportQueue(state: ReplState): Update {
  const { length } = state.queue;
  if (!state.isLineMode || length === 0) return step(state);
  const enter = keyOf('send', state.keyMap);
  const [lines, them] = length === 1 ? ['1 line is', 'it'] : [`${length} lines are`, 'them'];
  return printNotice(state, `${lines} queued; ${enter} sends ${them}`);
}

/** The source of answers if it is not the service. */
export function sourceName({ isSandbox, isReplay }: ServiceFacts): string | undefined {
  if (isReplay === true) return 'replay';
  return isSandbox ? 'sandbox' : undefined;
}

/** Seconds without data after which an answer counts as stalled. */
const stallLength = 5;

/** Whole seconds since the last data of a started answer; undefined while it is not stalled. */
export function stalledSeconds({ phase, lastAt }: AnswerActivity, now: number): number | undefined {
  const seconds = Math.floor((now - lastAt) / 1000);
  return phase === 'streaming' && seconds >= stallLength ? seconds : undefined;
}
