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
} from './text-buffer.ts';

const ringSize = 30;

/** The offset after a motion of the caret; unchanged if it cannot move. */
type Motion = (text: string, cursor: number) => number;

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

function wordLeft(text: string, cursor: number): number {
  const start = boundaryFrom(text, Math.max(0, cursor - maxWordLength));
  const word = wordsOf(text.slice(start, cursor)).at(-1);
  const target = boundaryFrom(text, start + (word?.start ?? 0));
  return target < cursor ? target : previousBoundary(text, cursor);
}

function wordRight(text: string, cursor: number): number {
  const [word] = wordsOf(text.slice(cursor, cursor + maxWordLength));
  return boundaryFrom(text, cursor + (word?.end ?? maxWordLength));
}

/** The place after the white space on the left, as Ctrl+W in a shell finds it. */
function blankWordLeft(text: string, cursor: number): number {
  const before = text.slice(Math.max(0, cursor - maxWordLength), cursor);
  const length = /\S*\s*$/.exec(before)?.[0].length ?? 0;
  const target = boundaryFrom(text, cursor - length);
  return target < cursor ? target : previousBoundary(text, cursor);
}

function rangeOf(buffer: TextBuffer, motion: Motion): { from: number; to: number } {
  const { text, cursor } = buffer;
  let target = motion(text, cursor);
  // At the end of a line, the line end itself is removed.
  if (target === cursor && motion === lineEnd) target = nextBoundary(text, cursor);
  if (target === cursor && motion === lineStart) target = previousBoundary(text, cursor);
  return { from: Math.min(cursor, target), to: Math.max(cursor, target) };
}

const move = (motion: Motion) => (buffer: TextBuffer) =>
  moveTo(buffer, motion(buffer.text, buffer.cursor));

/** Deletes up to the target of a motion. */
const remove = (motion: Motion) => (buffer: TextBuffer) => {
  const { from, to } = rangeOf(buffer, motion);
  return replaceRange(buffer, from, to, '', { kind: 'remove' });
};

/** Cuts up to the target of a motion for `yank`; consecutive kills are joined. */
const kill = (motion: Motion) => (buffer: TextBuffer) => {
  const { from, to } = rangeOf(buffer, motion);
  if (from === to) return endEdit(buffer);
  const { cursor, pastes, lastEdit } = buffer;
  const text = buffer.text.slice(from, to);
  const [newest, ...older] = buffer.killRing;
  const joined = from < cursor ? text + newest?.text : newest?.text + text;
  const killRing: MarkedText[] =
    lastEdit?.kind === 'kill' && newest !== undefined
      ? [{ text: joined, pastes }, ...older]
      : [{ text, pastes }, ...buffer.killRing].slice(0, ringSize);
  return { ...replaceRange(buffer, from, to, '', { kind: 'kill' }), killRing };
};

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

type Stack = 'undoStack' | 'redoStack';

/** Returns to the last step of a stack, and adds the present text to the other; without one, returns the same buffer. */
const revert = (from: Stack, to: Stack) => (buffer: TextBuffer) => {
  const step = buffer[from].at(-1);
  if (step === undefined) return buffer;
  const { text, cursor, at } = step;
  const present = { text: buffer.text, cursor: buffer.cursor, at };
  const stacks = { [from]: buffer[from].slice(0, -1), [to]: [...buffer[to], present] };
  return { ...endEdit(buffer), text, cursor, ...stacks };
};

export const undo = revert('undoStack', 'redoStack');
export const redo = revert('redoStack', 'undoStack');

/** Actions that change only the buffer, by their names in key bindings. A line ends at a line end, not at a wrap. */
export const editActions = {
  'move-left': move(previousBoundary),
  'move-right': move(nextBoundary),
  'move-word-left': move(wordLeft),
  'move-word-right': move(wordRight),
  'move-line-start': move(lineStart),
  'move-line-end': move(lineEnd),
  'move-text-start': move(() => 0),
  'move-text-end': move((text) => text.length),
  'delete-left': remove(previousBoundary),
  'delete-right': remove(nextBoundary),
  'kill-word-left': kill(wordLeft),
  'kill-word-right': kill(wordRight),
  'kill-blank-word-left': kill(blankWordLeft),
  'kill-line-start': kill(lineStart),
  'kill-line-end': kill(lineEnd),
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
