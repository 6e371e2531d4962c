import { pairsIn } from '../../../terminal/text/pairs.ts';
import { redo, undo } from '../edit-actions.ts';
import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { moveVertically } from '../layout.ts';
import { mergePastes } from '../paste.ts';
import { endEdit, moveTo, replaceRange, type TextBuffer, undoStackWith } from '../text-buffer.ts';
import { motionOf } from './motions.ts';
import { objectOf, operations, put, registerOf, selectionOf, targetOf } from './operators.ts';
import { firstNonBlank, isLineEnd, onCharacter } from './text.ts';
import { isVisual, type Command, type Operator, type Vi } from './vi.ts';

// The grammar of commands: count, operator, count, and the name of a motion, an object or another command.

/** Ctrl+R. */
export const redoKey = '\u0012';

/** Commands that are an operator with a motion, with lines or with the selection. */
const shortForms = pairsIn('x dl X dh D d$ C c$ s cl S cc Y yy');
const visualForms = pairsIn('x d s c ~ g~ u gu U gU');

/** Operators that wait for no motion, with their target in normal mode. */
const immediate = pairsIn('r? l ~ l J _');

const maxCount = 999;
const number = (name: string) => String.raw`(?:(?<${name}>[1-9]\d*)(?!\d))?`;
const parts = new RegExp(
  `^${number('before')}(?:(?<operator>[dcy<>]|g[~uU])${number('after')})?(?<rest>.*)$`,
  's',
);

/** The command of keys typed in normal or visual mode; undefined if they are incomplete. An unknown one does nothing. */
function parseKeys(keys: string, inVisual: boolean): Command | undefined {
  const { before, operator, after, rest = '' } = parts.exec(keys)?.groups ?? {};
  const hasCount = (before ?? after) !== undefined;
  const count = hasCount ? Math.min(maxCount, Number(before ?? 1) * Number(after ?? 1)) : undefined;
  const character = /^[fFtTr]./s.test(rest) ? rest.slice(1) : '';
  // In the name, `?` replaces the character to find. Objects have no count.
  const isInvalid = hasCount && /^[ia]./s.test(rest);
  const plain = character === '' ? rest : `${rest.charAt(0)}?`;
  const name = isInvalid ? '' : plain;
  const command = { operator: operator as Operator | undefined, name, character, count };
  if (operator === undefined) {
    const form = (inVisual ? visualForms : shortForms).get(rest);
    if (form !== undefined) return parseKeys(`${count ?? ''}${form}`, inVisual);
    const target = immediate.get(name);
    if (target !== undefined) {
      const applied = name.charAt(0) as Operator;
      return { ...command, operator: applied, name: inVisual ? 'selection' : target };
    }
  } else if (inVisual) return { ...command, name: 'selection' };
  else if ([operator, operator.at(-1)].includes(rest)) return { ...command, name: '_' };
  const commandStart = inVisual ? /^[gfFtTria]?$/ : /^[gfFtTrZ]?$/;
  const unfinished = operator === undefined ? commandStart : /^[gfFtTia]?$/;
  return unfinished.test(rest) ? undefined : command;
}

/** Begins an insertion at the caret, for a command that changed `before`. */
function beginInsertion(vi: Vi, before: TextBuffer, command: Command | undefined): Vi {
  const buffer = endEdit(vi.buffer);
  const insertion = { before, begun: buffer, command };
  return { ...vi, mode: 'insert', buffer, insertion };
}

/** A new insertion at the caret, after a change from elsewhere. */
export function restartInsertion(vi: Vi): Vi {
  return beginInsertion(vi, endEdit(vi.buffer), { name: 'i', character: '' });
}

/** All edits since `before` as one undo step. */
function asOneEdit(before: TextBuffer, after: TextBuffer): TextBuffer {
  const [old, text] = [before.text, after.text];
  if (old === text) return { ...endEdit(after), undoStack: before.undoStack };
  let at = 0;
  while (at < old.length && old.charAt(at) === text.charAt(at)) at += 1;
  return { ...endEdit(after), undoStack: undoStackWith(before, at) };
}

/** Esc: the caret is on the last typed character. */
function endInsertion(vi: Vi): Vi {
  const { insertion } = vi;
  if (insertion === undefined) return { ...vi, mode: 'normal' };
  const { before, begun, command } = insertion;
  const { text, cursor, pastes } = vi.buffer;
  const [start, rest] = [begun.text.slice(0, begun.cursor), begun.text.slice(begun.cursor)];
  // After an edit outside of the insertion, nothing counts as typed.
  const isWhole = text.startsWith(start) && text.endsWith(rest);
  const end = Math.max(start.length, text.length - rest.length);
  const typed = isWhole ? text.slice(start.length, end) : '';
  // With a count, `o` and `O` repeat whole lines, operators nothing.
  const piece = /^[oO]$/.test(command?.name ?? '') ? `\n${typed}` : typed;
  const repeats = command?.operator === undefined ? (command?.count ?? 1) - 1 : 0;
  const whole = replaceRange(endEdit(vi.buffer), cursor, cursor, piece.repeat(repeats));
  const buffer = asOneEdit(before, whole);
  const isAtStart = buffer.cursor === lineStart(buffer.text, buffer.cursor);
  const at = isAtStart ? buffer.cursor : previousBoundary(buffer.text, buffer.cursor);
  const change = command && { command, inserted: { text: typed, pastes } };
  return { ...vi, mode: 'normal', insertion: undefined, change, buffer: moveTo(buffer, at) };
}

/** What natter does besides editing: a row or the history beyond the first and last line, the exit. */
export type Request = 'move-up' | 'move-down' | 'exit';

const requests: ReadonlyMap<string, Request> = new Map([
  ['gj', 'move-down'],
  ['gk', 'move-up'],
  ['ZZ', 'exit'],
  ['ZQ', 'exit'],
]);

/** Moves the caret. At the first and last line, `k` and `j` of normal mode are requests. */
function move(vi: Vi, command: Command): Vi | Request {
  const { name, count = 1 } = command;
  const { buffer } = vi;
  const isVertical = /^[jk]$/.test(name);
  const below = isVertical ? moveVertically(buffer, name === 'j' ? count : -count) : undefined;
  const offset = isVertical ? below?.cursor : motionOf(vi, command)?.offset;
  if (offset === undefined) return (isVisual(vi) ? undefined : requests.get(`g${name}`)) ?? vi;
  // In a line that is too short, and after `$`, the line end is selected too.
  if (name === '$') {
    return {
      ...vi,
      buffer: { ...moveTo(buffer, offset), preferredColumn: Number.POSITIVE_INFINITY },
    };
  }
  return { ...vi, buffer: below ?? moveTo(buffer, onCharacter(buffer.text, offset)) };
}

const leaving = (vi: Vi): Vi => ({ ...vi, mode: 'normal' });

function operate(vi: Vi, command: Command, operator: Operator): Vi {
  const target = targetOf(vi, command);
  if (target === undefined) return vi;
  // An empty line is something, an empty range of characters is not.
  const isTaken = operator === 'y' || target.from < target.to || target.isLinewise;
  const isKept = !/^[dcy]$/.test(operator) || !isTaken;
  const register = isKept ? vi.register : registerOf(vi.buffer, target);
  const buffer = operations[operator](vi.buffer, target, command);
  const done = { ...leaving(vi), register, buffer };
  const repeated = isVisual(vi) ? undefined : command;
  if (operator === 'c') return beginInsertion(done, vi.buffer, repeated);
  const isChanged = operator !== 'y' && buffer !== vi.buffer;
  return isChanged ? { ...done, change: repeated && { command: repeated } } : done;
}

/** `u` and Ctrl+R: the caret is where the last change is. */
function revert(vi: Vi, isUndo: boolean, count: number): Vi {
  let { buffer } = vi;
  let at = buffer.cursor;
  for (let left = count; left > 0; left -= 1) {
    const reverted = isUndo ? undo(buffer) : redo(buffer);
    at = isUndo ? reverted.cursor : (buffer.redoStack.at(-1)?.at ?? at);
    buffer = reverted;
  }
  return { ...vi, buffer: moveTo(buffer, at) };
}

/** Where commands insert text in normal mode. */
const places = {
  i: (_: string, cursor: number) => cursor,
  a: (text: string, cursor: number) =>
    isLineEnd(text, cursor) ? cursor : nextBoundary(text, cursor),
  A: lineEnd,
  I: firstNonBlank,
  gI: lineStart,
} as const;

/** Where `p` and `P` put characters and lines, and the line ends around lines. */
const puts = {
  p: { characters: 'a', lines: 'A', lineEnds: ['\n', ''] },
  P: { characters: 'i', lines: 'gI', lineEnds: ['', '\n'] },
} as const;

/** In visual mode, the register replaces the selection, which with `p` becomes the register. */
function putRegister(vi: Vi, command: Command, name: 'p' | 'P'): Vi {
  const { register, buffer } = vi;
  if (register === undefined) return leaving(vi);
  const { isLinewise } = register;
  const { characters, lines, lineEnds } = puts[name];
  const at = places[isLinewise ? lines : characters](buffer.text, buffer.cursor);
  const selection = isVisual(vi) ? selectionOf(vi) : undefined;
  const range = selection ?? { from: at, to: at, isLinewise: false };
  const around = selection === undefined ? lineEnds : (['\n', '\n'] as const);
  const isApart = isLinewise && !range.isLinewise;
  const done = put(buffer, register, range, command.count ?? 1, isApart ? around : ['', '']);
  if (selection === undefined) return { ...leaving(vi), change: { command }, buffer: done };
  const next = name === 'p' ? registerOf(buffer, selection) : register;
  return { ...leaving(vi), register: next, buffer: done };
}

/** In visual mode, `A` inserts text after the selection, other commands before it. */
function insert(vi: Vi, command: Command, name: keyof typeof places): Vi {
  const { text, cursor } = vi.buffer;
  if (!isVisual(vi)) return insertAt(vi, places[name](text, cursor), command);
  const { from, to, isLinewise } = selectionOf(vi);
  if (name !== 'A') return insertAt(vi, from, { name: 'i', character: '' });
  const endsLine = !isLinewise && to > from && text.charAt(to - 1) === '\n';
  return insertAt(vi, to - Number(endsLine), { name: 'a', character: '' });
}

function insertAt(vi: Vi, at: number, command: Command): Vi {
  const buffer = moveTo(vi.buffer, at);
  return beginInsertion({ ...vi, buffer }, buffer, command);
}

function selectObject(vi: Vi, command: Command): Vi {
  const { text } = vi.buffer;
  const range = objectOf(vi, command);
  if (range === undefined || (range.from === range.to && !range.isLinewise)) return vi;
  const mode = range.isLinewise ? 'visual-line' : 'visual';
  const last = range.isLinewise ? lineStart(text, range.to) : onCharacter(text, range.to - 1);
  return { ...vi, mode, anchor: range.from, buffer: moveTo(vi.buffer, last) };
}

/** `.`: the last change once more, as one undo step. Later repetitions keep its count. */
function repeatChange(vi: Vi, count: number | undefined): Vi {
  const { change, buffer } = vi;
  if (change === undefined) return vi;
  const command = { ...change.command, count: count ?? change.command.count };
  let done = run(vi, command);
  if (typeof done === 'string') return vi;
  if (done.insertion !== undefined && change.inserted !== undefined) {
    const { text, pastes } = mergePastes(done.buffer.pastes, change.inserted);
    const { cursor } = done.buffer;
    const typed = replaceRange({ ...done.buffer, pastes }, cursor, cursor, text);
    done = endInsertion({ ...done, buffer: typed });
  }
  return { ...done, change: { ...change, command }, buffer: asOneEdit(buffer, done.buffer) };
}

function run(given: Vi, command: Command): Vi | Request {
  const { name, operator, count } = command;
  const vi = /^[ft]\?$/i.test(name) ? { ...given, search: command } : given;
  if (operator !== undefined) return operate(vi, command, operator);
  const { buffer, anchor } = vi;
  const inVisual = isVisual(vi);
  switch (name) {
    case 'v':
    case 'V': {
      // They begin a selection, change its kind, or end it.
      const mode = name === 'v' ? 'visual' : 'visual-line';
      if (vi.mode === mode) return leaving(vi);
      return { ...vi, mode, anchor: inVisual ? anchor : buffer.cursor };
    }
    case '.':
      return inVisual ? vi : repeatChange(vi, count);
    case 'u':
    case redoKey:
      return inVisual ? vi : revert(vi, name === 'u', count ?? 1);
    case 'p':
    case 'P':
      return putRegister(vi, command, name);
    case 'o':
    case 'O': {
      if (inVisual) return { ...vi, anchor: buffer.cursor, buffer: moveTo(buffer, anchor) };
      const at = places[name === 'o' ? 'A' : 'gI'](buffer.text, buffer.cursor);
      const opened = moveTo(replaceRange(buffer, at, at, '\n'), name === 'o' ? at + 1 : at);
      return beginInsertion({ ...vi, buffer: opened }, buffer, command);
    }
    case 'i':
    case 'a':
    case 'I':
    case 'A':
    case 'gI':
      return insert(vi, command, name);
    default:
      return (
        requests.get(name) ?? (/^[ia]/.test(name) ? selectObject(vi, command) : move(vi, command))
      );
  }
}

/** A character typed in normal or visual mode. After a request, nothing is pending. */
export function pressCharacter(vi: Vi, character: string): Vi | Request {
  const keys = vi.pending + character;
  const command = parseKeys(keys, isVisual(vi));
  if (command === undefined) return { ...vi, pending: keys };
  return run({ ...vi, pending: '' }, command);
}

/** Esc: ends an insertion, a selection or an incomplete command; undefined if there is none. */
export function pressEscape(vi: Vi): Vi | undefined {
  if (vi.mode === 'insert') return endInsertion(vi);
  if (vi.pending !== '') return { ...vi, pending: '' };
  return isVisual(vi) ? leaving(vi) : undefined;
}

/** The state after a key: in normal mode, the caret moves from a line end onto the character before. */
export function settled(vi: Vi): Vi {
  const { text, cursor } = vi.buffer;
  if (vi.mode !== 'normal' || !isLineEnd(text, cursor)) return vi;
  const at = onCharacter(text, cursor);
  return at === cursor ? vi : { ...vi, buffer: { ...vi.buffer, cursor: at } };
}
