import { editEarlier, hasVersions, switchVersion, type VersionChoice } from './answers/versions.ts';
import { commandIn, panelOf } from './commands.ts';
import { breakAtBackslash, editActions, isEditAction } from './composer/edit-actions.ts';
import { entryBeside } from './composer/history.ts';
import { type KeyAction, actionOf } from './composer/keys/key-bindings.ts';
import { type KeyEvent, splitBurst } from './composer/keys/key-event.ts';
import { moveVertically, composerColumns, pageRows } from './composer/layout.ts';
import { contentOf } from './composer/paste.ts';
import {
  clearBuffer,
  insert,
  insertPaste,
  isEmpty,
  replaceContent,
  type TextBuffer,
  withDraft,
} from './composer/text-buffer.ts';
import { onListKey } from './conversation-list/list-keys.ts';
import { closeList } from './conversation-list/list.ts';
import { currentPath, lastPrompt } from './conversations/position.ts';
import { discardRestored } from './files/attachments.ts';
import { dropCheck } from './files/dropped-files.ts';
import {
  isForMenu,
  onMenuAction,
  opensPicker,
  pickAgain,
  refreshCompletion,
  startCompletion,
  withMenuClosed,
} from './menu.ts';
import { clearDraft, submit, unqueue, unsentDraft, withStashedDraft } from './queue.ts';
import type { Session, Work } from './session.ts';
import { callScreen } from './slash-command.ts';
import type { ReplState, TypeAhead, Update } from './state.ts';
import {
  andThen,
  interruptDialog,
  quit,
  printNotice,
  step,
  task,
  withKeysReleased,
} from './step.ts';
import { editText } from './shell/external-editor.ts';
import { isComposing, pressVi } from './composer/vi/vi-keys.ts';

export const stopWork = (session: Session, work: Work): void => session.stop(work);

/** Whether something runs that is not being stopped. */
const canStop = ({ activity, aside }: ReplState) =>
  [activity, aside].some((running) => running?.isStopping === false);

/** Stops an answer first, then a side question. */
function stop(state: ReplState): Update {
  const { activity, aside, branch } = state;
  if (activity?.isStopping !== false && aside?.isStopping === false) {
    return step({ ...state, aside: { ...aside, isStopping: true } }, task(stopWork, 'btw'));
  }
  if (activity === undefined && branch?.reason === 'edit')
    return isEmpty(state.composer) ? cancelEdit(state) : andThen(clearDraft(state), cancelEdit);
  if (activity === undefined) return isEmpty(state.composer) ? pressEscape(state) : step(state);
  const stopping = { ...state, activity: { ...activity, isStopping: true } };
  return step(stopping, task(stopWork, 'activity'));
}

/** Pressed twice, it lists the earlier prompts. */
function pressEscape(state: ReplState): Update {
  if (state.armed === 'stop') return editEarlier({ ...state, armed: undefined });
  const hasPrompts = lastPrompt(currentPath(state)) !== undefined;
  return step({ ...state, armed: hasPrompts ? 'stop' : undefined });
}

function cancelEdit(state: ReplState): Update {
  return printNotice(discardRestored(state), 'edit cancelled; the prompt is unchanged');
}

/** Ctrl+C: cancels what is open, else stops what is running, else clears the draft, else quits at the second press. */
function interrupt(state: ReplState): Update {
  if (state.dialog !== undefined) return interruptDialog(state, state.dialog);
  if (state.list !== undefined) return step(closeList(state));
  if (state.completion !== undefined && state.completion.source !== 'commands') {
    return step(withMenuClosed(state));
  }
  if (canStop(state)) return stop(state);
  if (!isEmpty(state.composer)) {
    const cleared = clearDraft(state);
    // The choice of a service was cancelled.
    return andThen(cleared, (next) =>
      state.armed === 'interrupt' ? quit(next) : step({ ...next, armed: 'interrupt' }),
    );
  }
  if (state.branch?.reason === 'edit') return cancelEdit(state);
  return state.armed === 'interrupt' ? quit(state) : step({ ...state, armed: 'interrupt' });
}

/** Ctrl+C in line mode. The terminal has discarded its line; a restored prompt is in the history. */
export const interruptLine = (state: ReplState): Update =>
  interrupt({ ...state, composer: clearBuffer(state.composer) });

function recall(state: ReplState, by: -1 | 1): Update {
  const found = entryBeside(state.history, by, unsentDraft(state));
  if (found === undefined) return step(state);
  const composer = withDraft(state.composer, found.draft);
  return step({ ...state, composer, history: found.history, isShellPasted: false });
}

function older(state: ReplState): Update {
  const waiting = unqueue(state);
  return waiting === undefined ? recall(state, -1) : step(waiting);
}

const newer = (state: ReplState): Update => recall(state, 1);

function moveRows(state: ReplState, rows: number): Update | undefined {
  const composer = moveVertically(state.composer, rows, composerColumns(state.columns));
  return composer && step({ ...state, composer });
}

function send(state: ReplState): Update {
  const broken = breakAtBackslash(state.composer);
  return broken === undefined ? submit(state) : step({ ...state, composer: broken });
}

/** Not during an answer, in the middle of which the version would be printed. */
function switchWhenIdle(state: ReplState, choice: VersionChoice): Update {
  if (state.activity !== undefined) return step(state);
  return hasVersions(state)
    ? switchVersion(state, choice)
    : step({ ...state, panel: 'no other version yet; /retry adds one' });
}

/** Keys typed while the editor is open wait until it closes. */
export async function editExternally(session: Session, text: string): Promise<void> {
  const edited = await session.screen.lend(() => editText(text, session.context));
  session.update((state) => {
    const ready = withKeysReleased(state);
    return edited === undefined
      ? printNotice(ready, 'edit cancelled; the text is unchanged')
      : step({ ...ready, composer: replaceContent(ready.composer, edited) });
  });
}

function openEditor(state: ReplState): Update {
  const next: ReplState = { ...state, typeAhead: { keys: [] } };
  const text = contentOf(state.composer);
  return step(next, task(editExternally, text, withKeysReleased));
}

const composerActions: Partial<Record<KeyAction, (state: ReplState) => Update>> = {
  send,
  stop,
  interrupt,
  'delete-right-or-quit': (state) =>
    isEmpty(state.composer)
      ? quit(state)
      : step({ ...state, composer: editActions['delete-right'](state.composer) }),
  'move-up': (state) => moveRows(state, -1) ?? older(state),
  'move-down': (state) => moveRows(state, 1) ?? newer(state),
  'move-page-up': (state) => moveRows(state, -pageRows(state.rows)) ?? step(state),
  'move-page-down': (state) => moveRows(state, pageRows(state.rows)) ?? step(state),
  'history-older': older,
  'history-newer': newer,
  complete: (state) =>
    state.isPicking === true ? pickAgain({ ...state, acceptsFound: true }) : startCompletion(state),
  'search-start': (state) => step({ ...state, isSearching: true }),
  'version-next': (state) => switchWhenIdle(state, 'next'),
  'version-previous': (state) => switchWhenIdle(state, 'previous'),
  'open-editor': openEditor,
  stash: stashDraft,
};

function boundAction(state: ReplState, event: KeyEvent): KeyAction | undefined {
  const context = state.completion === undefined ? 'composer' : 'completion';
  const action = actionOf(event, context, state.keyMap);
  const isForComposer = action !== undefined && !isForMenu(state, action);
  return isForComposer ? actionOf(event, 'composer', state.keyMap) : action;
}

function onAction(state: ReplState, action: KeyAction): Update {
  if (action === 'suspend' || action === 'redraw') return step(state, task(callScreen, action));
  // A dialog and a search handle their other keys themselves.
  if (!isComposing(state)) return step(state);
  const inMenu = onMenuAction(state, action);
  if (inMenu !== undefined) return inMenu;
  if (isEditAction(action)) {
    return refreshCompletion({ ...state, composer: editActions[action](state.composer) });
  }
  const closed = action === 'complete' ? state : withMenuClosed(state);
  return composerActions[action]?.(action === 'interrupt' ? state : closed) ?? step(state);
}

/** Milliseconds in which a person who types does not notice that an unanswered prompt came back. */
const unnoticed = 1000;

/**
 * A slash replaces a restored prompt, so that a command can be typed; undo brings the prompt back. Text that was meant
 * for an empty composer goes below it.
 */
function besideRestoredPrompt(state: ReplState, text: string): TextBuffer {
  const { composer, restoredText, restoredAt = Number.NEGATIVE_INFINITY, now } = state;
  const isUntouched = composer.text === restoredText && composer.cursor === restoredText.length;
  if (!isUntouched) return composer;
  if (text.startsWith('/')) return replaceContent(composer, '');
  return now - restoredAt < unnoticed ? insert(composer, '\n') : composer;
}

/** Whether the `!` at the start of the draft was pasted; a typed one replaces it. */
function isShellPasted({ composer, isShellPasted: wasPasted }: ReplState, isPaste: boolean) {
  return composer.cursor === 0 ? isPaste : wasPasted === true;
}

function typeText(state: ReplState, text: string, isPaste: boolean): Update {
  if (!isComposing(state)) return step(state);
  const composer = isPaste
    ? insertPaste(state.composer, text)
    : insert(besideRestoredPrompt(state, text), text);
  const isPasted = isShellPasted(state, isPaste);
  const typed = refreshCompletion({
    ...state,
    composer,
    restoredText: undefined,
    isShellPasted: isPasted,
    isPicking: state.isPicking === true || (!isPaste && opensPicker(composer, text)),
  });
  const checks = isPaste ? dropCheck(state.composer, composer, text) : [];
  return andThen(typed, (next) => step(next, ...checks));
}

/** The keys of a pasted command and the lines after it, to be handled as if typed. */
function burstOf(state: ReplState, event: KeyEvent): readonly KeyEvent[] {
  if (event.type !== 'paste' || event.keys === undefined) return [];
  const isFree = isComposing(state) && isEmpty(state.composer);
  const isCommand = isFree && commandIn(state, event.text) !== undefined;
  return isCommand ? splitBurst(event.keys) : [];
}

function onKeys(state: ReplState, events: readonly KeyEvent[]): Update {
  return events.reduce(
    (done, event) => andThen(done, (next) => (next.hasQuit ? step(next) : onKey(next, event))),
    step(state),
  );
}

/** Queues a key. That of the editor, which may be open, is dropped, so that it does not open twice. */
function queueKey(state: ReplState, typeAhead: TypeAhead, event: KeyEvent): ReplState {
  if (actionOf(event, 'composer', state.keyMap) === 'open-editor') return state;
  return { ...state, typeAhead: { ...typeAhead, keys: [...typeAhead.keys, event] } };
}

export function releaseKeys(state: ReplState): Update {
  const { typeAhead } = state;
  return onKeys({ ...state, typeAhead: undefined }, typeAhead?.keys ?? []);
}

/** Each key closes the panel; Esc does nothing else, and removes the question mark that opened it. */
export function onKey(given: ReplState, event: KeyEvent): Update {
  const { dialog, list } = given;
  if (list !== undefined && dialog === undefined && given.typeAhead === undefined) {
    const taken = onListKey({ ...given, armed: undefined }, list, event);
    if (taken !== undefined) return taken;
  }
  const action = boundAction(given, event);
  // In vi's normal mode, Enter confirms an exit even if it is not the key of `send`.
  const isEnter = given.vi !== undefined && event.type === 'key' && event.name === 'enter';
  const isSame = action === given.armed || (isEnter && given.armed === 'send');
  const armed = isSame ? given.armed : undefined;
  const state = { ...given, armed, panel: undefined };
  if (panelOf(given).length > 0 && action === 'stop') {
    return step(
      given.panel === undefined ? { ...state, composer: clearBuffer(state.composer) } : state,
    );
  }
  const { typeAhead, vi } = state;
  if (typeAhead !== undefined) return step(queueKey(state, typeAhead, event));
  return vi !== undefined && isComposing(state)
    ? pressVi(state, vi, event, { press: pressKey, act: onAction })
    : pressKey(state, event);
}

function pressKey(before: ReplState, event: KeyEvent): Update {
  const burst = burstOf(before, event);
  if (burst.length > 0) return onKeys(before, burst);
  const state = { ...before, acceptsFound: false };
  if (event.type !== 'key') return typeText(state, event.text, event.type === 'paste');
  const action = boundAction(state, event);
  return action === undefined ? step(state) : onAction(state, action);
}

/** Puts the draft aside; it is in the history, too, so that no crash loses it. On an empty composer, restores it. */
function stashDraft(state: ReplState): Update {
  if (isEmpty(state.composer)) return step(withStashedDraft(state));
  const draft = unsentDraft(state);
  const cleared = clearDraft(state);
  const { stash = [] } = state;
  return { ...cleared, state: { ...cleared.state, stash: [...stash, draft] } };
}
