import {
  boundaryFrom,
  lineEnd,
  lineStart,
  nextBoundary,
  previousBoundary,
} from './grapheme-boundary.ts';
import { mergePastes, type MarkedText } from './paste.ts';
import {
  expandPaste,
  insert,
  replaceRange,
  endEdit,
  type TextBuffer,
  moveTo,
  type Draft,
} from './text-buffer.ts';

const ringSize = 30;

function rangeOf(buffer: TextBuffer, motion: Motion): { from: number; to: number } {
  const { text, cursor } = buffer;
  let target = targets[motion](buffer);
  // At the end of a line, the line end itself is removed.
  if (target === cursor && motion === 'line-end') target = nextBoundary(text, cursor);
  if (target === cursor && motion === 'line-start') target = previousBoundary(text, cursor);
  return { from: Math.min(cursor, target), to: Math.max(cursor, target) };
}

/** Deletes up to the target of a motion: `left` is Backspace, `right` is Delete. */
function remove(buffer: TextBuffer, motion: Motion): TextBuffer {
  const { from, to } = rangeOf(buffer, motion);
  return replaceRange(buffer, from, to, '', { kind: 'remove' });
}

/** Cuts up to the target of a motion for `yank`; consecutive kills are joined. */
function kill(buffer: TextBuffer, motion: Motion): TextBuffer {
  const { from, to } = rangeOf(buffer, motion);
  if (from === to) return endEdit(buffer);
  const killed = buffer.text.slice(from, to);
  const killRing = withKilled(buffer, killed, from < buffer.cursor);
  return { ...replaceRange(buffer, from, to, '', { kind: 'kill' }), killRing };
}

function withKilled(buffer: TextBuffer, killed: string, isBackward: boolean): MarkedText[] {
  const { killRing, pastes, lastEdit } = buffer;
  const [newest, ...older] = killRing;
  if (lastEdit?.kind !== 'kill' || newest === undefined) {
    return [{ text: killed, pastes }, ...killRing].slice(0, ringSize);
  }
  return [{ text: isBackward ? killed + newest.text : newest.text + killed, pastes }, ...older];
}

function putKilled(buffer: TextBuffer, from: number, index: number): TextBuffer {
  const entry = buffer.killRing[index];
  if (entry === undefined) return buffer;
  const { text, pastes } = mergePastes(buffer.pastes, entry);
  const put = replaceRange({ ...buffer, pastes }, from, buffer.cursor, text);
  return { ...put, lastEdit: { kind: 'yank', from, index } };
}

/** Directly after a yank, replaces it with the previously killed text; otherwise does nothing. */
function yankPop(buffer: TextBuffer): TextBuffer {
  const { lastEdit, killRing } = buffer;
  if (lastEdit?.kind !== 'yank') return buffer;
  return putKilled(buffer, lastEdit.from, (lastEdit.index + 1) % killRing.length);
}

/** Swaps the characters around the caret and moves past them; at the end of a line, swaps the two before it. */
function transpose(buffer: TextBuffer): TextBuffer {
  const { text, cursor } = buffer;
  const isLineEnd = cursor === text.length || text.charAt(cursor) === '\n';
  const middle = isLineEnd ? previousBoundary(text, cursor) : cursor;
  const from = previousBoundary(text, middle);
  const to = nextBoundary(text, middle);
  const before = text.slice(from, middle);
  const after = text.slice(middle, to);
  if (before === '' || after === '' || before === '\n' || after === '\n') return endEdit(buffer);
  return replaceRange(buffer, from, to, after + before);
}

/** Returns to the last step of a stack, and adds the present text to the other; without one, returns the same buffer. */
function revertLast(
  buffer: TextBuffer,
  from: 'undoStack' | 'redoStack',
  to: 'undoStack' | 'redoStack',
): TextBuffer {
  const step = buffer[from].at(-1);
  if (step === undefined) return buffer;
  const { text, cursor, at } = step;
  const present = { text: buffer.text, cursor: buffer.cursor, at };
  const stacks = { [from]: buffer[from].slice(0, -1), [to]: [...buffer[to], present] };
  return { ...endEdit(buffer), text, cursor, ...stacks };
}

export function undo(buffer: TextBuffer): TextBuffer {
  return revertLast(buffer, 'undoStack', 'redoStack');
}

export function redo(buffer: TextBuffer): TextBuffer {
  return revertLast(buffer, 'redoStack', 'undoStack');
}

/** Actions that change only the buffer, by their names in key bindings. */
export const editActions = {
  'move-left': (buffer) => move(buffer, 'left'),
  'move-right': (buffer) => move(buffer, 'right'),
  'move-word-left': (buffer) => move(buffer, 'word-left'),
  'move-word-right': (buffer) => move(buffer, 'word-right'),
  'move-line-start': (buffer) => move(buffer, 'line-start'),
  'move-line-end': (buffer) => move(buffer, 'line-end'),
  'move-text-start': (buffer) => move(buffer, 'text-start'),
  'move-text-end': (buffer) => move(buffer, 'text-end'),
  'delete-left': (buffer) => remove(buffer, 'left'),
  'delete-right': (buffer) => remove(buffer, 'right'),
  'kill-word-left': (buffer) => kill(buffer, 'word-left'),
  'kill-word-right': (buffer) => kill(buffer, 'word-right'),
  'kill-blank-word-left': (buffer) => kill(buffer, 'blank-word-left'),
  'kill-line-start': (buffer) => kill(buffer, 'line-start'),
  'kill-line-end': (buffer) => kill(buffer, 'line-end'),
  yank: (buffer) => putKilled(buffer, buffer.cursor, 0),
  'yank-pop': yankPop,
  undo,
  redo,
  transpose,
  'new-line': (buffer) => insert(buffer, '\n'),
  'expand-paste': expandPaste,
} as const satisfies Record<string, (buffer: TextBuffer) => TextBuffer>;

export type EditAction = keyof typeof editActions;

export function isEditAction(action: string): action is EditAction {
  return Object.hasOwn(editActions, action);
}

/** Turns a backslash before the caret into a line end, for Enter; undefined if there is none. */
export function breakAtBackslash(buffer: TextBuffer): TextBuffer | undefined {
  const start = previousBoundary(buffer.text, buffer.cursor);
  if (buffer.text.slice(start, buffer.cursor) !== '\\') return undefined;
  return replaceRange(buffer, start, buffer.cursor, '\n');
}

/** A `line` ends at a line end, not at a wrap; `blank-word-left` moves to white space, like Ctrl+W in a shell. */
type Motion =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'blank-word-left'
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end';

/** UTF-16 units; a longer word takes several steps. */
const maxWordLength = 256;
const words = /[\p{Letter}\p{Number}\p{Mark}_]+|\p{Surrogate}/gu;
/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
let segmenter: Intl.Segmenter | undefined;

/** Start and end of every word of a short text; a paste marker is a word. */
function wordsOf(text: string): { start: number; end: number }[] {
  return Array.from(text.matchAll(words)).flatMap(({ 0: word, index }) => {
    if (!unspaced.test(word)) return [{ start: index, end: index + word.length }];
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
    return Array.from(segmenter.segment(word), (part) => ({
      start: index + part.index,
      end: index + part.index + part.segment.length,
    }));
  });
}

function wordLeft({ text, cursor }: Draft): number {
  const start = boundaryFrom(text, Math.max(0, cursor - maxWordLength));
  const word = wordsOf(text.slice(start, cursor)).at(-1);
  const target = boundaryFrom(text, start + (word?.start ?? 0));
  return target < cursor ? target : previousBoundary(text, cursor);
}

function wordRight({ text, cursor }: Draft): number {
  const [word] = wordsOf(text.slice(cursor, cursor + maxWordLength));
  return boundaryFrom(text, cursor + (word?.end ?? maxWordLength));
}

function blankWordLeft({ text, cursor }: Draft): number {
  const before = text.slice(Math.max(0, cursor - maxWordLength), cursor);
  const length = /\S*\s*$/.exec(before)?.[0].length ?? 0;
  const target = boundaryFrom(text, cursor - length);
  return target < cursor ? target : previousBoundary(text, cursor);
}

/** The caret's offset after a motion; unchanged if it cannot move. */
const targets: Readonly<Record<Motion, (draft: Draft) => number>> = {
  left: ({ text, cursor }) => previousBoundary(text, cursor),
  right: ({ text, cursor }) => nextBoundary(text, cursor),
  'word-left': wordLeft,
  'word-right': wordRight,
  'blank-word-left': blankWordLeft,
  'line-start': ({ text, cursor }) => lineStart(text, cursor),
  'line-end': ({ text, cursor }) => lineEnd(text, cursor),
  'text-start': () => 0,
  'text-end': ({ text }) => text.length,
};

function move(buffer: TextBuffer, motion: Motion): TextBuffer {
  return moveTo(buffer, targets[motion](buffer));
}
