import type { CaretShape } from '../terminal/region/paint.ts';
import { graphemes } from '../terminal/text/width.ts';
import type { KeyAction } from './composer/keys/key-bindings.ts';
import { keyPress, type KeyEvent, type KeyPress } from './composer/keys/key-event.ts';
import { type TextBuffer, isEmpty } from './composer/text-buffer.ts';
import {
  restartInsertion,
  typeOver,
  undoTypedOver,
  asOneEdit,
  leftInsertion,
} from './composer/vi/insertion.ts';
import { lineStart } from './composer/vi/text.ts';
import { pressCharacter, pressEscape, redoChange, settled } from './composer/vi/normal.ts';
import {
  type ViRequest,
  type ViResult,
  type ViMode,
  type ViState,
  firstViState,
  isInserting,
  isVisual,
} from './composer/vi/vi-state.ts';
import { selectionOf } from './composer/vi/visual.ts';
import { exitWord } from './queue.ts';
import type { ReplState, ViSession, Step } from './state.ts';
import { andThen, quit, refuse, step } from './step.ts';

function isPlain({ ctrl, alt, shift }: KeyPress): boolean {
  return !ctrl && !alt && !shift;
}

function onInsertKey(pressed: Pressed, event: KeyEvent): Step {
  const { state, vi } = pressed;
  const { editing } = vi;
  const { composer } = state;
  if (event.type === 'key' && event.name === 'escape' && state.completion === undefined) {
    return afterRun(pressed, pressEscape(editing, composer) ?? { vi: editing, buffer: composer });
  }
  if (editing.mode === 'replace' && event.type === 'text') {
    return afterRun(pressed, typeOver(editing, composer, event.text));
  }
  if (editing.mode === 'replace' && event.type === 'key' && event.name === 'backspace') {
    return afterRun(pressed, undoTypedOver(editing, composer));
  }
  return pass(pressed, event);
}

/** Keys of normal and visual mode that are not characters, as the characters that do the same. */
const characterKeys: ReadonlyMap<string, string> = new Map([
  ['left', 'h'],
  ['right', 'l'],
  ['up', 'k'],
  ['down', 'j'],
  ['home', '0'],
  ['end', '$'],
  ['backspace', 'h'],
  ['delete', 'x'],
]);

/** Keys with Ctrl, as the keys that do the same. */
const controlKeys: ReadonlyMap<string, KeyEvent> = new Map<string, KeyEvent>([
  ['j', { type: 'text', text: 'j' }],
  ['h', { type: 'text', text: 'h' }],
  ['f', keyPress('pagedown')],
  ['b', keyPress('pageup')],
  ['u', keyPress('pageup')],
]);

function runLineCommand(pressed: Pressed): Step {
  const { state, vi } = pressed;
  const typed = vi.editing.pending.join('');
  const idle = withEditing(state, { ...vi.editing, pending: [] }, state.composer);
  const command = typed.slice(1).trim();
  if (command === '') return step(idle);
  if (exitWord.test(`:${command}`)) return askExit(idle);
  return refuse(idle, `unknown command ${typed}`, ':q quits; /help lists the commands');
}

/** Keys after a colon, up to Enter. */
function onLineCommandKey(pressed: Pressed, event: KeyPress): Step {
  const { state, vi } = pressed;
  const { editing } = vi;
  if (event.name === 'enter') return runLineCommand(pressed);
  if (event.name !== 'backspace' && event.name !== 'escape') {
    return pass({ ...pressed, state: clearPending(pressed) }, event);
  }
  const pending = event.name === 'backspace' ? editing.pending.slice(0, -1) : [];
  return step(withEditing(state, { ...editing, pending }, state.composer));
}

function clearPending({ state, vi }: Pressed): ReplState {
  return withEditing(state, { ...vi.editing, pending: [] }, state.composer);
}

function onCommandKeyPress(pressed: Pressed, event: KeyPress): Step {
  const { state, vi } = pressed;
  const { editing } = vi;
  const { composer } = state;
  const { name, ctrl } = event;
  if (editing.pending[0] === ':') return onLineCommandKey(pressed, event);
  if (name === 'escape') {
    const ended = pressEscape(editing, composer);
    return ended === undefined ? pass(pressed, event) : afterRun(pressed, ended);
  }
  if (name === 'enter' && state.isExitWordEntered) return quit(state);
  const isOperand = /^[rftFT]$/.test(editing.pending.at(-1) ?? '');
  if (name === 'enter' && (isOperand || isVisual(editing))) {
    return onCharacter(pressed, isOperand ? '\n' : '+');
  }
  const character = isPlain(event) ? characterKeys.get(name) : undefined;
  if (character !== undefined) return onCharacter(pressed, character);
  if (ctrl && name === 'r') return afterRun(pressed, redoChange(editing, composer));
  const same = ctrl ? controlKeys.get(name) : undefined;
  if (same !== undefined) return onCommandKey(pressed, same);
  const isHalfPage = ctrl && name === 'd' && !isEmpty(composer);
  const passed = { ...pressed, state: clearPending(pressed) };
  return pass(passed, isHalfPage ? keyPress('pagedown') : event);
}

function onCharacter(pressed: Pressed, character: string): Step {
  const { state, vi, keys } = pressed;
  const { editing } = vi;
  const { composer } = state;
  if (editing.pending[0] === ':' || (editing.pending.length === 0 && character === ':')) {
    const pending = [...editing.pending, character];
    return step(withEditing(state, { ...editing, pending }, composer));
  }
  if (character === '/' && editing.pending.length === 0 && editing.mode === 'normal') {
    if (!isEmpty(composer)) return afterPassed(keys.act(state, 'search-start'), false);
    const inserting = restartInsertion({ ...editing, mode: 'insert' }, composer);
    const next = withEditing(state, inserting, composer);
    return pass({ ...pressed, state: next }, { type: 'text', text: character });
  }
  return afterRun(pressed, pressCharacter(editing, composer, character));
}

/** As in Vim, a paste is appended, at the start of a line inserted, or replaces a selection; normal mode follows. */
function pasteText(pressed: Pressed, event: KeyEvent): Step {
  const { editing } = pressed.vi;
  const { text, cursor } = pressed.state.composer;
  if (editing.pending[0] === ':') return pass(pressed, event);
  const insertion = cursor === lineStart(text, cursor) ? 'i' : 'a';
  const begin = isVisual(editing) ? 'c' : insertion;
  const state = clearPending(pressed);
  const keys: readonly KeyEvent[] = [{ type: 'text', text: begin }, event, keyPress('escape')];
  return pressAll({ ...pressed, state }, keys);
}

/** The keys of one read that were joined into a paste are commands. */
function onCommandKey(pressed: Pressed, event: KeyEvent): Step {
  if (event.type === 'key') return onCommandKeyPress(pressed, event);
  if (event.type === 'paste') {
    return event.keys === undefined ? pasteText(pressed, event) : pressAll(pressed, event.keys);
  }
  const [first = '', ...rest] = graphemes(event.text);
  const done = onCharacter(pressed, first);
  return rest.length === 0
    ? done
    : andThen(done, (next) => again(next, pressed.keys, { type: 'text', text: rest.join('') }));
}

function pressAll({ state, keys }: Pressed, events: readonly KeyEvent[]): Step {
  return events.reduce(
    (done, event) =>
      andThen(done, (next) => (next.hasQuit ? step(next) : again(next, keys, event))),
    step(state),
  );
}

function again(state: ReplState, keys: ComposerKeys, event: KeyEvent): Step {
  return state.vi === undefined || !isComposing(state)
    ? keys.press(state, event)
    : pressVi(state, state.vi, event, keys);
}

/** Alt with a character, which terminals send as Esc and the character. */
function splitAlt(event: KeyEvent): readonly KeyEvent[] {
  if (event.type !== 'key' || !event.alt || event.ctrl) return [event];
  if (event.name.length > 1 && event.name !== 'space') return [event];
  const name = event.name === 'space' ? ' ' : event.name;
  return [keyPress('escape'), { type: 'text', text: event.shift ? name.toUpperCase() : name }];
}

/** A confirmation to quit waits for Enter; any other key ends it. */
function withoutConfirmation(state: ReplState, event: KeyEvent): ReplState {
  const isEnter = event.type === 'key' && event.name === 'enter';
  return isEnter ? state : { ...state, isExitWordEntered: false };
}

export function pressVi(
  state: ReplState,
  vi: ViSession,
  event: KeyEvent,
  keys: ComposerKeys,
): Step {
  const events = splitAlt(event);
  const current = synchronized(state, vi);
  if (events.length > 1) return pressAll({ state: current, vi, keys }, events);
  const isCommand = !isInserting((current.vi ?? vi).editing);
  const next = isCommand ? withoutConfirmation(current, event) : current;
  const pressed: Pressed = { state: next, vi: next.vi ?? vi, keys };
  return isCommand ? onCommandKey(pressed, event) : onInsertKey(pressed, event);
}

/** The selected text of visual mode; UTF-16 offsets. */
export function viSelection({ vi, composer }: ReplState) {
  return vi !== undefined && isVisual(vi.editing) ? selectionOf(vi.editing, composer) : undefined;
}

/** Vi editing, in insert mode. */
export function startVi(composer: TextBuffer): ViSession {
  return { editing: firstViState, seen: composer };
}

/** What vi editing leaves to the other keys of the composer. */
interface ComposerKeys {
  readonly press: (state: ReplState, event: KeyEvent) => Step;
  readonly act: (state: ReplState, action: KeyAction) => Step;
}

/** The state, and the keys that vi editing leaves alone. */
interface Pressed {
  readonly state: ReplState;
  readonly vi: ViSession;
  readonly keys: ComposerKeys;
}

function withEditing(state: ReplState, editing: ViState, buffer: TextBuffer): ReplState {
  const composer = settled(editing, buffer);
  return { ...state, composer, vi: { editing, seen: composer } };
}

/** A change from elsewhere, such as a restored prompt, cancels an incomplete command. */
function synchronized(state: ReplState, vi: ViSession): ReplState {
  const { composer } = state;
  const { editing, seen } = vi;
  if (composer === seen && (editing.insertion !== undefined || !isInserting(editing))) return state;
  const idle: ViState = { ...editing, pending: [], wantedColumn: undefined };
  const next: ViState = isInserting(editing)
    ? restartInsertion(idle, composer)
    : { ...idle, mode: 'normal' };
  return withEditing(state, next, composer);
}

/** An exit needs Enter again. */
function askExit(state: ReplState): Step {
  return state.isExitWordEntered ? quit(state) : step({ ...state, isExitWordEntered: true });
}

const requestedActions: Readonly<Record<Exclude<ViRequest, 'exit'>, KeyAction>> = {
  'history-older': 'move-up',
  'history-newer': 'move-down',
  'row-up': 'move-up',
  'row-down': 'move-down',
};

function afterRun({ state, keys }: Pressed, { vi: editing, buffer, request }: ViResult): Step {
  const next = withEditing({ ...state, completion: undefined }, editing, buffer);
  if (request === undefined) return step(next);
  if (request === 'exit') return askExit(next);
  return afterPassed(keys.act(next, requestedActions[request]), false);
}

/** Inserted text up to a jump is one undo step; what follows is the next one. */
function resumed(editing: ViState, composer: TextBuffer): readonly [ViState, TextBuffer] {
  const { insertion } = editing;
  if (insertion === undefined) return [restartInsertion(editing, composer), composer];
  if (!leftInsertion(insertion, composer)) return [editing, composer];
  const isExtended = composer.undoStack.at(-1) !== insertion.before.undoStack.at(-1);
  const joined = isExtended ? asOneEdit(insertion.before, composer) : composer;
  return [restartInsertion(editing, joined), joined];
}

/** Adopts what another key did. A sent prompt leaves a composer in insert mode, at the end of a draft that returned. */
function afterPassed(done: Step, isSent: boolean): Step {
  const { state, tasks } = done;
  const { vi } = state;
  if (vi === undefined) return done;
  const isNew = isSent && state.composer !== vi.seen;
  const composer = isNew
    ? { ...state.composer, cursor: state.composer.text.length }
    : state.composer;
  const editing: ViState = isNew
    ? { ...vi.editing, mode: 'insert', insertion: undefined }
    : vi.editing;
  if (!isInserting(editing)) return { state: withEditing(state, editing, composer), tasks };
  const [next, buffer] = resumed(editing, composer);
  return { state: withEditing(state, next, buffer), tasks };
}

function pass({ state, keys }: Pressed, event: KeyEvent): Step {
  const isEnter = event.type === 'key' && event.name === 'enter';
  return afterPassed(keys.press(state, event), isEnter);
}

/** Whether keys edit the draft. */
export function isComposing(state: {
  readonly dialog: unknown;
  readonly isSearching: boolean;
  readonly list?: unknown;
}): boolean {
  return state.dialog === undefined && !state.isSearching && state.list === undefined;
}

const modeLabels: Readonly<Record<ViMode, string>> = {
  insert: 'INSERT',
  replace: 'REPLACE',
  normal: 'NORMAL',
  visual: 'VISUAL',
  'visual-line': 'V-LINE',
};

const caretShapes: Readonly<Record<ViMode, CaretShape>> = {
  insert: 'bar',
  replace: 'underline',
  normal: 'block',
  visual: 'block',
  'visual-line': 'block',
};

export function caretShapeOf({ editing }: ViSession): CaretShape {
  return editing.pending.length > 0 ? 'underline' : caretShapes[editing.mode];
}

export function typesText({ editing: { mode } }: ViSession): boolean {
  return mode === 'insert' || mode === 'replace';
}

/** `NORMAL`, or with the keys of an incomplete command `NORMAL 2d`. */
export function modeText({ editing: { mode, pending } }: ViSession): string {
  return [modeLabels[mode], pending.join('')].filter((part) => part !== '').join(' ');
}
