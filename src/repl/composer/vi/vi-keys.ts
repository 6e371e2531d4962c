import { lineStart } from '../grapheme-boundary.ts';
import type { CaretShape } from '../../../terminal/region/paint.ts';
import { graphemes } from '../../../terminal/text/width.ts';
import { exitWord } from '../../queue.ts';
import type { ReplState, Update, ViSession } from '../../state.ts';
import { andThen, quit, refuse, step } from '../../step.ts';
import type { KeyAction } from '../keys/key-bindings.ts';
import { chordOf, keyPress, type KeyEvent, type KeyPress } from '../keys/key-event.ts';
import { isEmpty, type TextBuffer } from '../text-buffer.ts';
import { restartInsertion } from './insertion.ts';
import { pressCharacter, pressEscape, selectionOf, settled } from './commands.ts';
import { redoKey } from './parse-keys.ts';
import { firstViState, isVisual, type Edited, type ViState } from './vi-state.ts';

type ViReplState = ReplState & { readonly vi: ViSession };

/** The state, and the keys that vi editing leaves alone. */
interface KeyContext {
  readonly state: ViReplState;
  readonly keys: ComposerKeys;
}

/** What vi editing leaves to the other keys of the composer. */
interface ComposerKeys {
  readonly press: (state: ReplState, event: KeyEvent) => Update;
  readonly act: (state: ReplState, action: KeyAction) => Update;
}

function withEditing(state: ReplState, editing: ViState, buffer: TextBuffer): ViReplState {
  const composer = settled(editing, buffer);
  return { ...state, composer, vi: { editing, seen: composer } };
}

/** The state with these keys of an incomplete command. */
function withPending(state: ViReplState, ...pending: readonly string[]): ViReplState {
  return withEditing(state, { ...state.vi.editing, pending }, state.composer);
}

function onInsertKey(pressed: KeyContext, event: KeyEvent): Update {
  const { composer, completion, vi } = pressed.state;
  const isEscape = event.type === 'key' && event.name === 'escape' && completion === undefined;
  const ended = isEscape ? pressEscape(vi.editing, composer) : undefined;
  return ended === undefined ? pass(pressed, event) : afterRun(pressed, ended);
}

const typing = (text: string): KeyEvent => ({ type: 'text', text });

/** Keys of normal and visual mode that are not characters, as the keys that do the same. */
const sameKeys: ReadonlyMap<string, KeyEvent> = new Map([
  ['left', typing('h')],
  ['right', typing('l')],
  ['up', typing('k')],
  ['down', typing('j')],
  ['home', typing('0')],
  ['end', typing('$')],
  ['backspace', typing('h')],
  ['delete', typing('x')],
  ['ctrl+r', typing(redoKey)],
  ['ctrl+j', typing('j')],
  ['ctrl+h', typing('h')],
  ['ctrl+f', keyPress('pagedown')],
  ['ctrl+b', keyPress('pageup')],
  ['ctrl+u', keyPress('pageup')],
]);

function runLineCommand({ state }: KeyContext): Update {
  const typed = state.vi.editing.pending.join('');
  const idle = withPending(state);
  const command = typed.slice(1).trim();
  if (command === '') return step(idle);
  if (exitWord.test(`:${command}`)) return askExit(idle);
  return refuse(idle, `unknown command ${typed}`, ':q quits; /help lists the commands');
}

function onCommandKeyPress(pressed: KeyContext, event: KeyPress): Update {
  const { state } = pressed;
  const { composer, vi } = state;
  const { editing } = vi;
  const { name, ctrl } = event;
  const isLineCommand = editing.pending[0] === ':';
  if (isLineCommand && name === 'enter') return runLineCommand(pressed);
  if (isLineCommand && name === 'backspace') {
    return step(withPending(state, ...editing.pending.slice(0, -1)));
  }
  if (name === 'escape') {
    const ended = pressEscape(editing, composer);
    return ended === undefined ? pass(pressed, event) : afterRun(pressed, ended);
  }
  if (name === 'enter' && state.isExitWordEntered) return quit(state);
  const isOperand = /^[rftFT]$/.test(editing.pending.at(-1) ?? '');
  if (name === 'enter' && (isOperand || isVisual(editing))) {
    return onCharacter(pressed, isOperand ? '\n' : '+');
  }
  const same = isLineCommand ? undefined : sameKeys.get(chordOf(event));
  if (same !== undefined) return onCommandKey(pressed, same);
  const isHalfPage = ctrl && name === 'd' && !isEmpty(composer);
  const idle = { ...pressed, state: withPending(state) };
  return pass(idle, isHalfPage ? keyPress('pagedown') : event);
}

function onCharacter(pressed: KeyContext, character: string): Update {
  const { state, keys } = pressed;
  const { composer, vi } = state;
  const { pending, mode } = vi.editing;
  if (pending[0] === ':' || (pending.length === 0 && character === ':')) {
    return step(withPending(state, ...pending, character));
  }
  if (character === '/' && pending.length === 0 && mode === 'normal') {
    if (!isEmpty(composer)) return afterPassed(keys.act(state, 'search-start'), false);
    const inserting = restartInsertion({ ...vi.editing, mode: 'insert' }, composer);
    return pass({ keys, state: withEditing(state, inserting, composer) }, typing(character));
  }
  return afterRun(pressed, pressCharacter(vi.editing, composer, character));
}

/** As in Vim, a paste is appended, at the start of a line inserted, or replaces a selection; normal mode follows. */
function pasteText(pressed: KeyContext, event: KeyEvent): Update {
  const { composer, vi } = pressed.state;
  const { text, cursor } = composer;
  if (vi.editing.pending[0] === ':') return pass(pressed, event);
  const insertion = cursor === lineStart(text, cursor) ? 'i' : 'a';
  const begin = isVisual(vi.editing) ? 'c' : insertion;
  const keys: readonly KeyEvent[] = [typing(begin), event, keyPress('escape')];
  return pressAll(withPending(pressed.state), pressed.keys, keys);
}

/** Several characters of one read are commands, also if they were joined into a paste. */
function onCommandKey(pressed: KeyContext, event: KeyEvent): Update {
  if (event.type === 'key') return onCommandKeyPress(pressed, event);
  if (event.type === 'paste') {
    return event.keys === undefined
      ? pasteText(pressed, event)
      : pressAll(pressed.state, pressed.keys, event.keys);
  }
  const characters = [...graphemes(event.text)];
  if (characters.length <= 1) return onCharacter(pressed, event.text);
  return pressAll(pressed.state, pressed.keys, characters.map(typing));
}

function pressAll(state: ReplState, keys: ComposerKeys, events: readonly KeyEvent[]): Update {
  const press = (next: ReplState, event: KeyEvent): Update => {
    if (next.hasQuit) return step(next);
    if (next.vi === undefined || !isComposing(next)) return keys.press(next, event);
    return pressVi(next, next.vi, event, keys);
  };
  return events.reduce((done, event) => andThen(done, (next) => press(next, event)), step(state));
}

/** Alt with a character, which terminals send as Esc and the character. */
function splitAlt(event: KeyEvent): readonly KeyEvent[] {
  if (event.type !== 'key' || !event.alt || event.ctrl) return [event];
  if (event.name.length > 1 && event.name !== 'space') return [event];
  const name = event.name === 'space' ? ' ' : event.name;
  return [keyPress('escape'), typing(event.shift ? name.toUpperCase() : name)];
}

export function pressVi(
  state: ReplState,
  vi: ViSession,
  event: KeyEvent,
  keys: ComposerKeys,
): Update {
  const events = splitAlt(event);
  const current = synchronized({ ...state, vi });
  if (events.length > 1) return pressAll(current, keys, events);
  if (current.vi.editing.mode === 'insert') return onInsertKey({ state: current, keys }, event);
  // A confirmation to quit waits for Enter; any other key ends it.
  const isConfirmed = event.type === 'key' && event.name === 'enter' && current.isExitWordEntered;
  return onCommandKey({ state: { ...current, isExitWordEntered: isConfirmed }, keys }, event);
}

/** The selected text of visual mode; UTF-16 offsets. */
export function viSelection({ editing }: ViSession, composer: TextBuffer) {
  return isVisual(editing) ? selectionOf(editing, composer) : undefined;
}

/** Vi editing, in insert mode. */
export function startVi(composer: TextBuffer): ViSession {
  return { editing: firstViState, seen: composer };
}

/** A change from elsewhere, such as a restored prompt, cancels an incomplete command. */
function synchronized(state: ViReplState): ViReplState {
  const { composer, vi } = state;
  const { editing, seen } = vi;
  if (composer === seen && (editing.insertion !== undefined || editing.mode !== 'insert'))
    return state;
  const idle: ViState = { ...editing, pending: [], wantedColumn: undefined };
  const next: ViState =
    editing.mode === 'insert' ? restartInsertion(idle, composer) : { ...idle, mode: 'normal' };
  return withEditing(state, next, composer);
}

/** An exit needs Enter again. */
function askExit(state: ReplState): Update {
  return state.isExitWordEntered ? quit(state) : step({ ...state, isExitWordEntered: true });
}

function afterRun({ state, keys }: KeyContext, { vi: editing, buffer, request }: Edited): Update {
  const next = withEditing({ ...state, completion: undefined }, editing, buffer);
  if (request === undefined) return step(next);
  if (request === 'exit') return askExit(next);
  return afterPassed(keys.act(next, request), false);
}

/** Whether a key such as Up replaced the draft in which the insertion began. */
function isReplaced({ insertion }: ViState, { text, undoStack }: TextBuffer): boolean {
  if (insertion === undefined) return true;
  const { before } = insertion;
  const isOther = undoStack.length < before.undoStack.length || undoStack.length === 0;
  return isOther && text !== before.text;
}

/** Adopts what another key did. A sent prompt leaves a composer in insert mode, at the end of a draft that returned. */
function afterPassed(done: Update, isSent: boolean): Update {
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
  const isRestarted = editing.mode === 'insert' && isReplaced(editing, composer);
  const next = isRestarted ? restartInsertion(editing, composer) : editing;
  return { state: withEditing(state, next, composer), tasks };
}

function pass({ state, keys }: KeyContext, event: KeyEvent): Update {
  const isEnter = event.type === 'key' && event.name === 'enter';
  return afterPassed(keys.press(state, event), isEnter);
}

/** Whether keys edit the draft. */
export function isComposing({ dialog, isSearching, list }: ReplState): boolean {
  return dialog === undefined && !isSearching && list === undefined;
}

const modes: Readonly<
  Record<ViState['mode'], { readonly label: string; readonly caret: CaretShape }>
> = {
  insert: { label: 'INSERT', caret: 'bar' },
  normal: { label: 'NORMAL', caret: 'block' },
  visual: { label: 'VISUAL', caret: 'block' },
  'visual-line': { label: 'V-LINE', caret: 'block' },
};

export function caretShapeOf({ editing: { mode, pending } }: ViSession): CaretShape {
  return pending.length > 0 ? 'underline' : modes[mode].caret;
}

/** `NORMAL`, or with the keys of an incomplete command `NORMAL 2d`. */
export function modeText({ editing: { mode, pending } }: ViSession): string {
  return [modes[mode].label, pending.join('')].filter((part) => part !== '').join(' ');
}
