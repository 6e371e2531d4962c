import type { CaretShape } from '../../../terminal/region/paint.ts';
import { pairsIn } from '../../../terminal/text/pairs.ts';
import { graphemes } from '../../../terminal/text/width.ts';
import { exitWord } from '../../queue.ts';
import type { ReplState, Update } from '../../state.ts';
import { andThen, quit, refuse, step } from '../../step.ts';
import { lineStart, withoutLast } from '../grapheme-boundary.ts';
import type { KeyAction } from '../keys/key-bindings.ts';
import { chordOf, keyPress, type KeyEvent, type KeyPress } from '../keys/key-event.ts';
import { isEmpty, type TextBuffer } from '../text-buffer.ts';
import { pressCharacter, pressEscape, redoKey, restartInsertion, settled } from './commands.ts';
import { selectionOf } from './operators.ts';
import { isVisual, type Vi } from './vi.ts';

type ViReplState = ReplState & { readonly vi: Vi };

/** What vi editing leaves to the other keys of the composer. */
interface ComposerKeys {
  readonly press: (state: ReplState, event: KeyEvent) => Update;
  readonly act: (state: ReplState, action: KeyAction) => Update;
}

function withVi(state: ReplState, changed: Vi): ViReplState {
  const vi = settled(changed);
  return { ...state, composer: vi.buffer, vi };
}

const withPending = (state: ViReplState, pending: string): ViReplState =>
  withVi(state, { ...state.vi, pending });

const typing = (text: string): KeyEvent => ({ type: 'text', text });

/** Keys of normal and visual mode that are not characters, and the characters or keys that do the same. */
const sameKeys = pairsIn(
  `left h right l up k down j home 0 end $ backspace h delete x ctrl+r ${redoKey} ctrl+j j ctrl+h h ` +
    'ctrl+f pagedown ctrl+b pageup ctrl+u pageup',
);

/** Whether the keys of a line command such as `:q` are typed. */
const isLineCommand = ({ pending }: Vi) => pending.startsWith(':');

/** The events of an event: terminals send Alt with a character as Esc and the character. */
function eventsOf(event: KeyEvent, vi: Vi): readonly KeyEvent[] {
  if (event.type === 'key') {
    const { name, ctrl, alt, shift } = event;
    const isCharacter = name.length === 1 || name === 'space';
    if (alt && !ctrl && isCharacter) {
      const character = name === 'space' ? ' ' : name;
      return [keyPress('escape'), typing(shift ? character.toUpperCase() : character)];
    }
    return [event];
  }
  if (vi.mode === 'insert') return [event];
  // Several characters of one read are commands, also if they were joined into a paste.
  if (event.type === 'text') return Array.from(graphemes(event.text), typing);
  if (event.keys !== undefined) return event.keys;
  if (isLineCommand(vi)) return [event];
  // As in Vim, a paste is appended, at the start of a line inserted, or replaces a selection; normal mode follows.
  const { text, cursor } = vi.buffer;
  const insertion = cursor === lineStart(text, cursor) ? 'i' : 'a';
  return [typing(isVisual(vi) ? 'c' : insertion), event, keyPress('escape')];
}

/** A change from elsewhere, such as a restored prompt, cancels an incomplete command. */
function afterChange(vi: Vi, buffer: TextBuffer): Vi {
  const idle: Vi = { ...vi, buffer, pending: '' };
  return vi.mode === 'insert' ? restartInsertion(idle) : { ...idle, mode: 'normal' };
}

export function pressVi(state: ReplState, vi: Vi, event: KeyEvent, keys: ComposerKeys): Update {
  const current = withVi(
    state,
    vi.buffer === state.composer ? vi : afterChange(vi, state.composer),
  );
  const events = eventsOf(event, current.vi);
  const [first = event] = events;
  if (events.length <= 1) return pressOne(current, first, keys);
  const press = (next: ReplState, each: KeyEvent): Update => {
    if (next.hasQuit) return step(next);
    if (next.vi === undefined || !isComposing(next)) return keys.press(next, each);
    return pressVi(next, next.vi, each, keys);
  };
  const isText = event.type === 'paste' && event.keys === undefined;
  const start = isText ? withPending(current, '') : current;
  return events.reduce((done, each) => andThen(done, (next) => press(next, each)), step(start));
}

function pressOne(given: ViReplState, event: KeyEvent, keys: ComposerKeys): Update {
  const key = event.type === 'key' ? event : undefined;
  const isEnter = key?.name === 'enter';
  // A confirmation to quit waits for Enter; text ends it.
  const state = { ...given, armed: event.type === 'text' ? undefined : given.armed };
  const { vi, completion } = state;
  const isInserting = vi.mode === 'insert';
  const closesMenu = isInserting && completion !== undefined;
  const ended = key?.name === 'escape' && !closesMenu ? pressEscape(vi) : undefined;
  if (ended !== undefined) return step(withVi({ ...state, completion: undefined }, ended));
  if (!isInserting && key !== undefined) return pressCommandKey(state, key, keys);
  if (!isInserting && event.type === 'text') return pressCommandText(state, event.text, keys);
  return adopt(keys.press(state, event), isEnter);
}

/** A key of normal or visual mode that is not a character. */
function pressCommandKey(state: ViReplState, key: KeyPress, keys: ComposerKeys): Update {
  const { vi, composer } = state;
  const isEnter = key.name === 'enter';
  if (isLineCommand(vi)) {
    if (isEnter) return runLineCommand(state);
    if (key.name === 'backspace') return step(withPending(state, withoutLast(vi.pending)));
  } else {
    if (isEnter && state.armed === 'send') return quit(state);
    const isOperand = /[rftFT]$/.test(vi.pending);
    if (isEnter && isOperand) return pressCommandText(state, '\n', keys);
    const same = isEnter && isVisual(vi) ? '+' : sameKeys.get(chordOf(key));
    if (same?.length === 1) return pressCommandText(state, same, keys);
    if (same !== undefined) return pressCommandKey(state, keyPress(same), keys);
  }
  const isHalfPage = key.ctrl && key.name === 'd' && !isEmpty(composer);
  const passed = isHalfPage ? keyPress('pagedown') : key;
  return adopt(keys.press(withPending(state, ''), passed), isEnter);
}

function runLineCommand(state: ViReplState): Update {
  const typed = state.vi.pending;
  const idle = withPending(state, '');
  const command = typed.slice(1).trim();
  if (command === '') return step(idle);
  if (exitWord.test(`:${command}`)) return askExit(idle);
  return refuse(idle, `unknown command ${typed}`, ':q quits; /help lists the commands');
}

/** An exit needs Enter again. */
const askExit = (state: ReplState): Update => step({ ...state, armed: 'send' });

/** A character of normal or visual mode. */
function pressCommandText(state: ViReplState, character: string, keys: ComposerKeys): Update {
  const { vi, composer } = state;
  const { pending, mode } = vi;
  if (isLineCommand(vi) || (pending === '' && character === ':')) {
    return step(withPending(state, pending + character));
  }
  if (character === '/' && pending === '' && mode === 'normal') {
    if (!isEmpty(composer)) return adopt(keys.act(state, 'search-start'), false);
    return adopt(keys.press(withVi(state, restartInsertion(vi)), typing('/')), false);
  }
  const pressed = pressCharacter(vi, character);
  const closed = { ...state, completion: undefined };
  if (typeof pressed !== 'string') return step(withVi(closed, pressed));
  const idle = withPending(closed, '');
  return pressed === 'exit' ? askExit(idle) : adopt(keys.act(idle, pressed), false);
}

/** Whether a key such as Up replaced the draft in which the insertion began. */
function isReplaced({ insertion }: Vi, { text, undoStack }: TextBuffer): boolean {
  if (insertion === undefined) return true;
  const { before } = insertion;
  const isOther = undoStack.length < before.undoStack.length || undoStack.length === 0;
  return isOther && text !== before.text;
}

/** Adopts what another key did. A sent prompt leaves a composer in insert mode, at the end of a draft that returned. */
function adopt({ state, tasks }: Update, isSent: boolean): Update {
  const { vi, composer } = state;
  if (vi === undefined) return { state, tasks };
  const isNew = isSent && composer !== vi.buffer;
  const buffer = isNew ? { ...composer, cursor: composer.text.length } : composer;
  const mode = isNew ? 'insert' : vi.mode;
  const next: Vi = { ...vi, mode, buffer };
  const isRestarted = mode === 'insert' && (isNew || isReplaced(vi, buffer));
  return { state: withVi(state, isRestarted ? restartInsertion(next) : next), tasks };
}

/** Whether keys edit the draft. */
export function isComposing({ dialog, isSearching, list }: ReplState): boolean {
  return dialog === undefined && !isSearching && list === undefined;
}

export function startVi(buffer: TextBuffer): Vi {
  return restartInsertion({ mode: 'insert', buffer, pending: '', anchor: 0 });
}

/** The selected text of visual mode; UTF-16 offsets. */
export function viSelection(vi: Vi, buffer: TextBuffer) {
  return isVisual(vi) ? selectionOf({ ...vi, buffer }) : undefined;
}

export function caretShapeOf({ mode, pending }: Vi): CaretShape {
  if (pending !== '') return 'underline';
  return mode === 'insert' ? 'bar' : 'block';
}

const labels = { insert: 'INSERT', normal: 'NORMAL', visual: 'VISUAL', 'visual-line': 'V-LINE' };

/** `NORMAL`, or with the keys of an incomplete command `NORMAL 2d`. */
export function modeText({ mode, pending }: Vi): string {
  return `${labels[mode]} ${pending}`.trimEnd();
}
