import type { ParameterChanges } from '../../conversation/tree.ts';
import type { Action, AnswerOutcome, FailureText } from '../state/action.ts';
import type { Effect } from '../state/effect.ts';
import { withFile } from '../state/attachments.ts';
import { addressDialog, keyDialog, keyHint, serversDialog, type Dialog } from '../state/dialog.ts';
import { clearBuffer, replaceContent } from '../composer/text-buffer.ts';
import { type Entry, failureEntry, notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';
import { onAnswerEnded, onChatEvent, reportQueue, withConversation } from './answering.ts';
import { withCompaction } from './compacting.ts';
import { onCandidates } from './completing.ts';
import { answerDialog } from './dialog-answers.ts';
import {
  onListChanged,
  onListOpened,
  onListUnread,
  answerQuestion,
} from '../conversation-list/answer-list.ts';
import { onPathsRecognised } from './dropping.ts';
import { reviewSummary } from './full-window.ts';
import { onFilesPicked } from './picking.ts';
import { interrupt, onKey, releaseKeys } from './pressing.ts';
import { refuseMissing } from '../slash-commands/table.ts';
import { onPromptOpened } from './sending-files.ts';
import { andThen, quit, printing, printNotice, refuse, step, type Step, openList } from './step.ts';
import { advance, submitLine } from './submitting.ts';

function withoutParameters(
  changes: ParameterChanges | undefined,
  names: readonly string[],
): ParameterChanges | undefined {
  if (changes === undefined) return undefined;
  const isOther = (name: string) => !names.includes(name);
  return {
    set: Object.fromEntries(Object.entries(changes.set).filter(([name]) => isOther(name))),
    removed: changes.removed.filter(isOther),
  };
}

/** The dialog that started the current task. */
function dialogOf({ activity }: ReplState): Dialog | undefined {
  return activity?.type === 'task' ? activity.dialog : undefined;
}

/** As after a stopped answer: what is queued may depend on what was stopped. */
function pauseQueue(state: ReplState): Step {
  return reportQueue({ ...state, isQueuePaused: true });
}

function onTaskEnded(state: ReplState, entries: readonly Entry[]): Step {
  const { activity } = state;
  const isTask = activity?.type === 'task';
  // A conversation chosen from a list does not answer the dialog that waited for it.
  const isUnanswered = isTask && (activity.isStopping || activity.effect.type === 'resume');
  const dialog = state.dialog ?? (isUnanswered ? activity.dialog : undefined);
  const next = isTask ? { ...state, activity: undefined, dialog } : state;
  const shown = entries.length === 0 ? step(next) : step(next, printing(...entries));
  return andThen(shown, isTask && activity.isStopping ? pauseQueue : advance);
}

function onConnected(
  state: ReplState,
  { service, model }: Action & { type: 'service-connected' },
): Step {
  const settings = model === undefined ? state.settings : { ...state.settings, model };
  return printNotice({ ...state, service, settings }, `the service is now ${service.address}`);
}

/** Asks again for the key if that was wrong, else for the address. */
function onConnectionFailed(
  state: ReplState,
  { failure, address, hasKey }: Action & { type: 'connection-failed' },
): Step {
  const isKey = failure.kind === 'unauthorized';
  const answered = dialogOf(state);
  const isKeyDialog = answered?.type === 'entry' && answered.asks === 'key';
  const previous = isKeyDialog ? answered.previous : answered;
  const addressEntry = previous?.type === 'entry' ? previous : addressDialog(previous, address);
  const dialog = isKey ? keyDialog(address, previous) : addressEntry;
  const hint = isKey ? keyHint(hasKey) : failure.hint;
  return refuse({ ...state, dialog }, failure.message, hint);
}

function onCompactionEnded(state: ReplState, action: Action & { type: 'compaction-ended' }): Step {
  const next = withConversation(withCompaction(state, action), action.conversation);
  const printed = step(next, printing(...action.entries));
  return andThen(
    action.result === 'compacted' ? andThen(printed, reviewSummary) : printed,
    advance,
  );
}

function onLine(state: ReplState, text: string): Step {
  const { dialog, list } = state;
  if (dialog !== undefined) return answerDialog(state, dialog, text);
  return list === undefined ? submitLine(state, text) : answerQuestion(state, list, text);
}

function onUndecided(state: ReplState, undecided: string): Step {
  const { activity } = state;
  return step(activity === undefined ? state : { ...state, activity: { ...activity, undecided } });
}

/** If stopping fails, the activity continues and can be stopped again. */
function resumeActivity(state: ReplState): Step {
  const { activity } = state;
  if (activity === undefined) return step(state);
  return step({ ...state, activity: { ...activity, isStopping: false } });
}

/** How the state recovers when an effect of this type fails. */
const recoveries: Partial<Record<Effect['type'], (state: ReplState) => Step>> = {
  quit: (state) => step({ ...state, hasQuit: false }),
  stop: resumeActivity,
  'edit-externally': releaseKeys,
  'find-candidates': releaseKeys,
  'open-list': releaseKeys,
  'read-list': onListUnread,
  'search-list': onListUnread,
};

function outcomeOf(failure: FailureText | 'stopped'): AnswerOutcome {
  return failure === 'stopped'
    ? { type: 'stopped', hasText: false }
    : { type: 'failed', hasText: false, failure };
}

function reportOf(failure: FailureText | 'stopped'): Effect {
  const entry =
    failure === 'stopped' ? notice('stopped') : failureEntry(failure.message, failure.hint);
  return { type: 'print', entries: [entry], isReport: true };
}

/** Reports a failed effect and ends its activity; typed text is kept. */
function onEffectFailed(
  state: ReplState,
  { effect, failure }: Action & { type: 'effect-failed' },
): Step {
  const { activity } = state;
  if (effect.type === 'send' && activity?.type === 'answer') {
    return onAnswerEnded(state, outcomeOf(failure), state.conversation);
  }
  const report = reportOf(failure);
  if (effect.type === 'compact' && activity?.type === 'answer') {
    return step(withCompaction(state, { result: 'failed', usage: undefined }), report);
  }
  if (activity?.type === 'task' && activity.effect === effect) {
    const dialog = state.dialog ?? activity.dialog;
    const ended = step({ ...state, activity: undefined, dialog }, report);
    const recovered = andThen(ended, recoveries[effect.type] ?? step);
    return andThen(recovered, failure === 'stopped' ? pauseQueue : advance);
  }
  return andThen(step(state, report), recoveries[effect.type] ?? step);
}

type Handlers = {
  readonly [Type in Action['type']]: (
    state: ReplState,
    action: Extract<Action, { readonly type: Type }>,
  ) => Step;
};

const handlers: Handlers = {
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
  'page-awaited': (state, { host }) => step({ ...state, host }),
  'answer-ended': (state, { outcome, conversation, now }) =>
    onAnswerEnded({ ...state, now }, outcome, conversation),
  'compaction-ended': (state, action) => onCompactionEnded({ ...state, now: action.now }, action),
  'conversation-changed': (state, { conversation, settings = {} }) => {
    const { parameters: kept = [], ...values } = settings;
    const next = withConversation(state, conversation);
    const parameters = withoutParameters(next.settings.parameters, kept);
    return step({ ...next, settings: { ...next.settings, ...values, parameters } });
  },
  'dialog-opened': (state, { dialog }) => step({ ...state, dialog }),
  'list-requested': (state, { options, query, dialog, now }) =>
    openList({ ...state, dialog, now }, options, query),
  'list-opened': (state, { list }) => andThen(onListOpened(state, list), releaseKeys),
  'list-changed': (state, { event }) => onListChanged(state, event),
  'task-ended': (state, { entries, now }) => onTaskEnded({ ...state, now }, entries),
  'effect-failed': (state, action) => onEffectFailed({ ...state, now: action.now }, action),
  'parameters-changed': (state, { parameters }) =>
    step({ ...state, settings: { ...state.settings, parameters } }),
  'role-chosen': (state, { role, system }) =>
    step({ ...state, settings: { ...state.settings, role, system } }),
  'prompts-listed': (state, { promptFiles }) => step({ ...state, promptFiles }),
  'prompt-opened': (state, { prompt, typed }) => onPromptOpened(state, prompt, typed),
  'prompt-missing': (state, { name }) => refuseMissing(state, name),
  'file-attached': (state, { file }) =>
    step({ ...state, attachments: withFile(state.attachments, file) }),
  'models-listed': (state, { ids, windows }) =>
    step({ ...state, knownModels: ids, service: { ...state.service, windows } }),
  'candidates-found': (state, { request, candidates }) =>
    andThen(onCandidates(state, request, candidates), releaseKeys),
  'paths-recognised': (state, { from, inserted, mentions }) =>
    onPathsRecognised(state, from, inserted, mentions),
  'files-picked': (state, { request, candidates, isPartial }) =>
    onFilesPicked(state, request, candidates, isPartial),
  'editor-closed': (state, { text }) =>
    text === undefined
      ? andThen(printNotice(state, 'edit cancelled; the text is unchanged'), releaseKeys)
      : releaseKeys({ ...state, composer: replaceContent(state.composer, text) }),
  'notice-received': (state, { text }) => printNotice(state, text),
  'service-connected': onConnected,
  'connection-failed': onConnectionFailed,
  'servers-found': (state, { servers }) =>
    step({ ...state, dialog: serversDialog(servers, dialogOf(state)) }),
};

export function reduce(state: ReplState, action: Action): Step {
  // The table gives each type its own handler, which indexing by a union cannot express.
  const handle = handlers[action.type] as (state: ReplState, action: Action) => Step;
  return handle(state, action);
}
