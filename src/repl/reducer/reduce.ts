import type { Action } from '../state/action.ts';
import { withFile } from '../state/attachments.ts';
import type { Dialog } from '../state/dialog.ts';
import { addressDialog, keyDialog, serversDialog } from '../state/dialogs.ts';
import { clearBuffer, replaceContent } from '../editing/text-buffer.ts';
import { type Entry, failureEntry, notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';
import { onAnswerEnded, onChatEvent, withConversation } from './answering.ts';
import { onCandidates } from './completing.ts';
import { answerDialog } from './dialog-answers.ts';
import { onEffectFailed } from './effect-failing.ts';
import { interrupt } from './interrupting.ts';
import { onKey, releaseKeys } from './pressing.ts';
import { andThen, leave, printing, printNotice, step, type Step } from './step.ts';
import { advance, submitLine } from './submitting.ts';

/** The dialog that started the current task. */
function dialogOf({ activity }: ReplState): Dialog | undefined {
  return activity?.type === 'task' ? activity.dialog : undefined;
}

/** A stopped task reopens the dialog that started it. */
function endTask(state: ReplState): ReplState {
  if (state.activity?.type !== 'task') return state;
  const dialog = state.activity.isStopping ? dialogOf(state) : undefined;
  return { ...state, activity: undefined, dialog: state.dialog ?? dialog };
}

function onConnected(
  state: ReplState,
  { service, model }: Action & { type: 'service-connected' },
): Step {
  const choices = model === undefined ? state.choices : { ...state.choices, model };
  const text = `the service is now ${service.address}`;
  return step({ ...state, service, choices }, printing(notice(text)));
}

/** Reopens the dialog for the key if that was wrong, else for the address. */
function onConnectionFailed(
  state: ReplState,
  { failure, address }: Action & { type: 'connection-failed' },
): Step {
  const isKey = failure.kind === 'unauthorized';
  const asked = dialogOf(state);
  const before = asked?.type === 'entry' && asked.asks === 'key' ? asked.before : asked;
  const addressEntry = before?.type === 'entry' ? before : addressDialog(before, address);
  const dialog = isKey ? keyDialog(address, before) : addressEntry;
  const hint = isKey ? 'enter a different key here' : failure.hint;
  return step({ ...state, dialog }, printing(failureEntry(failure.message, hint)));
}

function onLine(state: ReplState, text: string): Step {
  const { dialog } = state;
  return dialog === undefined ? submitLine(state, text) : answerDialog(state, dialog, text);
}

function onTaskEnded(state: ReplState, entries: readonly Entry[]): Step {
  const next = endTask(state);
  const shown = entries.length === 0 ? step(next) : step(next, printing(...entries));
  return andThen(shown, advance);
}

function onUndecided(state: ReplState, undecided: string): Step {
  const { activity } = state;
  return step(
    activity?.type === 'answer' ? { ...state, activity: { ...activity, undecided } } : state,
  );
}

type Handlers = {
  readonly [Type in Action['type']]: (
    state: ReplState,
    action: Extract<Action, { readonly type: Type }>,
  ) => Step;
};

const handlers: Handlers = {
  'key-pressed': (state, { event, now }) => onKey({ ...state, now }, event),
  'line-entered': (state, { text, now }) => onLine({ ...state, now, isLeaveArmed: false }, text),
  // A cooked terminal has dropped its line already, and a restored prompt is in the history.
  interrupted: (state, { now }) =>
    interrupt({ ...state, now, composer: clearBuffer(state.composer) }),
  'input-ended': leave,
  resized: (state, { columns, rows }) => step({ ...state, columns, rows }),
  ticked: (state, { now }) => step({ ...state, now }),
  'chat-event': (state, { event, now }) => step(onChatEvent(state, event, now)),
  'undecided-changed': (state, { text }) => onUndecided(state, text),
  'answer-ended': (state, { outcome, conversation, now }) =>
    onAnswerEnded({ ...state, now }, outcome, conversation),
  'conversation-changed': (state, { conversation }) => step(withConversation(state, conversation)),
  'task-ended': (state, { entries, now }) => onTaskEnded({ ...state, now }, entries),
  'effect-failed': (state, action) => onEffectFailed({ ...state, now: action.now }, action),
  'file-attached': (state, { file }) =>
    step({ ...state, attachments: withFile(state.attachments, file) }),
  'models-listed': (state, { ids, windows }) =>
    step({ ...state, knownModels: ids, service: { ...state.service, windows } }),
  'candidates-found': (state, { request, candidates }) =>
    andThen(onCandidates(state, request, candidates), releaseKeys),
  'editor-closed': (state, { text }) =>
    text === undefined
      ? andThen(printNotice(state, 'edit cancelled; the text is unchanged'), releaseKeys)
      : releaseKeys({ ...state, composer: replaceContent(state.composer, text) }),
  remarked: (state, { text }) => printNotice(state, text),
  'service-connected': onConnected,
  'connection-failed': onConnectionFailed,
  'servers-found': (state, { servers }) =>
    step({ ...state, dialog: serversDialog(servers, dialogOf(state)) }),
};

/** The only place that changes the state. */
export function reduce(state: ReplState, action: Action): Step {
  // The table gives each type its own handler, which indexing by a union cannot express.
  const handle = handlers[action.type] as (state: ReplState, action: Action) => Step;
  return handle(state, action);
}
