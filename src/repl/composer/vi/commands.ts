import { pairsIn } from '../../../terminal/text/pairs.ts';
import { graphemes } from '../../../terminal/text/width.ts';
import { redo, undo } from '../edit-actions.ts';
import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { mergePastes } from '../paste.ts';
import { endEdit, moveTo, replaceRange, type TextBuffer, undoStackWith } from '../text-buffer.ts';
import { motionOf, motions, wordEnd, type Moved } from './motions.ts';
import {
  applyOperator,
  insertionPlaces,
  join,
  motionRange,
  openLine,
  put,
  registerOf,
  replaceCharacters,
  toggleCase,
  wholeLines,
} from './operators.ts';
import { objectRange } from './text-objects.ts';
import { columnAt, firstNonBlank, isLineEnd, lineStartFrom, onCharacter } from './text.ts';
import { isVisual, type Command, type Operator, type Range, type Vi } from './vi.ts';

// The grammar of commands: count, operator, count, and the name of a motion, an object or another command.

/** Ctrl+R. */
export const redoKey = '\u0012';

const namesIn = (text: string): readonly string[] => text.split(' ');

const objects = Array.from('wW"\'`()b[]{}B<>p').flatMap((key) => [`i${key}`, `a${key}`]);
const motionNames = Object.keys(motions);

/** Commands that are an operator with a motion, with lines or with the selection. */
const shortForms = pairsIn('x dl X dh D d$ C c$ s cl S cc Y yy');
const visualForms = pairsIn('x d s c ~ g~ u gu U gU');

const operatedNames = [...motionNames, ...objects];
const normalNames = [
  ...motionNames,
  ...shortForms.keys(),
  ...namesIn(`p P J o O i a I A gI u ${redoKey} . ~ v V r? ZZ ZQ gj gk`),
];
const visualNames = [
  ...operatedNames,
  ...visualForms.keys(),
  ...namesIn('r? J p P o O I A v V gj gk'),
];

const maxCount = 999;
const number = (name: string) => String.raw`(?:(?<${name}>[1-9]\d*)(?!\d))?`;
const parts = new RegExp(
  `^${number('before')}(?:(?<operator>[dcy<>]|g[~uU])${number('after')})?(?<rest>.*)$`,
  's',
);

/** The command of keys typed in normal or visual mode. */
export function parseKeys(keys: string, inVisual: boolean): Command | 'incomplete' | 'invalid' {
  const { before, operator, after, rest = '' } = parts.exec(keys)?.groups ?? {};
  const hasCount = (before ?? after) !== undefined;
  const count = hasCount ? Math.min(maxCount, Number(before ?? 1) * Number(after ?? 1)) : undefined;
  const command = {
    operator: operator as Operator | undefined,
    // In the name, `?` replaces the character to find.
    name: rest.replace(/^([fFtTr]).+$/s, '$1?'),
    character: /^[fFtTr]/.test(rest) ? rest.slice(1) : '',
    count,
  };
  if (operator !== undefined && inVisual) return { ...command, name: 'selection' };
  if (operator !== undefined && [operator, operator.at(-1), '_'].includes(rest)) {
    return { ...command, name: 'lines' };
  }
  const form = operator === undefined && (inVisual ? visualForms : shortForms).get(rest);
  if (form) return parseKeys(`${count ?? ''}${form}`, inVisual);
  const usual = inVisual ? visualNames : normalNames;
  const names = operator === undefined ? usual : operatedNames;
  if (names.includes(command.name)) {
    return objects.includes(command.name) && hasCount ? 'invalid' : command;
  }
  return names.some((name) => name.startsWith(rest)) ? 'incomplete' : 'invalid';
}

// Insertions.

const insertHere: Command = { name: 'i', character: '', count: undefined };

/** Begins an insertion at the caret, for a command that changed `before`. */
function beginInsertion(vi: Vi, before: TextBuffer, command: Command | undefined): Vi {
  const buffer = endEdit(vi.buffer);
  const insertion = { before, begun: buffer, command };
  return { ...vi, mode: 'insert', buffer, insertion, wantedColumn: undefined };
}

/** A new insertion at the caret, after a change from elsewhere. */
export function restartInsertion(vi: Vi): Vi {
  return beginInsertion(vi, endEdit(vi.buffer), insertHere);
}

/** All edits since `before` as one undo step. */
function asOneEdit(before: TextBuffer, after: TextBuffer): TextBuffer {
  const [old, text] = [before.text, after.text];
  if (old === text) return { ...endEdit(after), undoStack: before.undoStack };
  let at = 0;
  while (at < old.length && old.charAt(at) === text.charAt(at)) at += 1;
  return { ...endEdit(after), undoStack: undoStackWith(before, at) };
}

/** The text typed since the insertion began; empty after an edit outside of it. */
function typedText({ insertion, buffer: { text } }: Vi): string {
  if (insertion === undefined) return '';
  const { text: old, cursor: from } = insertion.begun;
  const rest = old.slice(from);
  const isWhole = text.startsWith(old.slice(0, from)) && text.endsWith(rest);
  return isWhole ? text.slice(from, Math.max(from, text.length - rest.length)) : '';
}

/** What a count repeats: `o` and `O` repeat whole lines, operators nothing. */
function repeatedText(command: Command | undefined, typed: string): string {
  if (command === undefined || command.operator !== undefined) return '';
  const text = /^[oO]$/.test(command.name) ? `\n${typed}` : typed;
  return text.repeat((command.count ?? 1) - 1);
}

/** Esc: the caret is on the last typed character. */
function endInsertion(vi: Vi): Vi {
  const { command, before = vi.buffer } = vi.insertion ?? {};
  const typed = typedText(vi);
  const { cursor, pastes } = vi.buffer;
  const whole = replaceRange(endEdit(vi.buffer), cursor, cursor, repeatedText(command, typed));
  const buffer = asOneEdit(before, whole);
  const isAtStart = buffer.cursor === lineStart(buffer.text, buffer.cursor);
  const at = isAtStart ? buffer.cursor : previousBoundary(buffer.text, buffer.cursor);
  const change = command && { command, inserted: { text: typed, pastes } };
  return { ...vi, mode: 'normal', insertion: undefined, change, buffer: moveTo(buffer, at) };
}

// Motions and operators.

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
  const moved = motionOf(vi, command);
  if (moved === undefined)
    return (isVisual(vi) ? undefined : requests.get(`g${command.name}`)) ?? vi;
  const { text } = vi.buffer;
  const { offset, wantedColumn, search = vi.search } = moved;
  const end = lineEnd(text, offset);
  // After `$`, and in a line that is too short, the line end is selected too.
  const isToEnd = wantedColumn !== undefined && wantedColumn >= columnAt(text, end);
  const at = isToEnd ? end : onCharacter(text, offset);
  return { ...vi, wantedColumn, search, buffer: moveTo(vi.buffer, at) };
}

/** The selected text: from the anchor to the caret, including both characters. */
export function selectionOf({ mode, anchor, buffer: { text, cursor } }: Vi): Range {
  const from = Math.min(anchor, cursor);
  const last = Math.max(anchor, cursor);
  if (mode === 'visual-line') return wholeLines(text, from, last);
  return { from, to: last < text.length ? nextBoundary(text, last) : last, isLinewise: false };
}

/** The text that an operator with its target covers, and where a yank or a change of case leaves the caret. */
function rangeOf(vi: Vi, command: Command) {
  const { text, cursor } = vi.buffer;
  const { name, count = 1, operator } = command;
  const { search } = vi;
  if (name === 'lines') {
    const last = lineStartFrom(text, cursor, count - 1);
    const isMissing = count > 1 && last === lineStart(text, cursor);
    return isMissing ? undefined : { range: wholeLines(text, cursor, last), start: cursor, search };
  }
  if (name === 'selection' || objects.includes(name)) {
    const range = name === 'selection' ? selectionOf(vi) : objectRange(text, cursor, name);
    return range && { range, start: range.from, search };
  }
  // `cw` on a word ends where the word ends.
  const isWordChanged = operator === 'c' && /^[wW]$/.test(name) && /\S/.test(text.charAt(cursor));
  const moved: Moved | undefined = isWordChanged
    ? { offset: wordEnd(text, cursor, count, name === 'W', true), span: 'inclusive' }
    : motionOf(vi, command);
  if (moved === undefined) return undefined;
  const range = motionRange(text, cursor, moved);
  const start = range.isLinewise ? Math.min(cursor, moved.offset) : range.from;
  return { range, start, search: moved.search ?? search };
}

const leaving = (vi: Vi): Vi => ({ ...vi, mode: 'normal', wantedColumn: undefined });

function operate(vi: Vi, command: Command, operator: Operator): Vi {
  const covered = rangeOf(vi, command);
  if (covered === undefined) return vi;
  const { range, start, search } = covered;
  // An empty line is something, an empty range of characters is not.
  const isTaken = operator === 'y' || range.from < range.to || range.isLinewise;
  const register = /^[dcy]$/.test(operator) && isTaken ? registerOf(vi.buffer, range) : vi.register;
  const buffer = applyOperator(vi.buffer, operator, range, start);
  const done = { ...leaving(vi), search, register, buffer };
  const repeated = isVisual(vi) ? undefined : command;
  if (operator === 'c') return beginInsertion(done, vi.buffer, repeated);
  return operator === 'y' ? done : { ...done, change: repeated && { command: repeated } };
}

// Other commands.

/** `v` and `V` begin a selection, change its kind, or end it. */
function switchVisual(vi: Vi, name: 'v' | 'V'): Vi {
  const mode = name === 'v' ? 'visual' : 'visual-line';
  if (vi.mode === mode) return leaving(vi);
  return { ...vi, mode, anchor: isVisual(vi) ? vi.anchor : vi.buffer.cursor };
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

/** A command of normal mode without an operator. */
function runOther(vi: Vi, command: Command): Vi {
  const { name, character, count = 1 } = command;
  const { buffer, register } = vi;
  const apply = (next: TextBuffer): Vi =>
    next === buffer ? vi : { ...leaving(vi), change: { command }, buffer: next };
  switch (name) {
    case 'p':
    case 'P':
      return register === undefined ? vi : apply(put(buffer, register, name === 'p', count));
    case 'J':
      return apply(join(buffer, count));
    case 'r?':
      return apply(replaceCharacters(buffer, character, count));
    case '~':
      return apply(toggleCase(buffer, count));
    case 'u':
    case redoKey:
      return revert(vi, name === 'u', count);
    case 'o':
    case 'O':
      return beginInsertion({ ...vi, buffer: openLine(buffer, name === 'o') }, buffer, command);
    default: {
      const place = insertionPlaces[name]?.(buffer.text, buffer.cursor) ?? buffer.cursor;
      const moved = moveTo(buffer, place);
      return beginInsertion({ ...vi, buffer: moved }, moved, command);
    }
  }
}

function replaceSelection(vi: Vi, character: string): Vi {
  const { from, to } = selectionOf(vi);
  const selected = [...graphemes(vi.buffer.text.slice(from, to))];
  const replaced = selected.map((each) => (each === '\n' ? each : character)).join('');
  const buffer = moveTo(replaceRange(vi.buffer, from, to, replaced), from);
  return { ...leaving(vi), change: undefined, buffer };
}

/** `p` and `P`: the register replaces the selection, which with `p` becomes the register. */
function putOver(vi: Vi, { name, count = 1 }: Command): Vi {
  const { register, buffer } = vi;
  if (register === undefined) return leaving(vi);
  const range = selectionOf(vi);
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const isSplit = register.isLinewise && !range.isLinewise;
  const whole = Array<string>(count)
    .fill(content)
    .join(register.isLinewise ? '\n' : '');
  const text = isSplit ? `\n${whole}\n` : whole;
  const done = replaceRange({ ...buffer, pastes }, range.from, range.to, text);
  const isInLine = !range.isLinewise && !register.isLinewise && !whole.includes('\n');
  const start = isSplit ? range.from + 1 : range.from;
  const at = isInLine ? previousBoundary(done.text, range.from + text.length) : start;
  const caret = register.isLinewise ? firstNonBlank(done.text, at) : Math.max(range.from, at);
  return {
    ...leaving(vi),
    register: name === 'P' ? register : registerOf(buffer, range),
    buffer: moveTo(done, caret),
  };
}

/** Selects the object at the caret. */
function selectObject(vi: Vi, name: string): Vi {
  const { text, cursor } = vi.buffer;
  const range = objectRange(text, cursor, name);
  if (range === undefined || (range.from === range.to && !range.isLinewise)) return vi;
  const mode = range.isLinewise ? 'visual-line' : 'visual';
  const last = range.isLinewise ? lineStart(text, range.to) : onCharacter(text, range.to - 1);
  return { ...vi, mode, anchor: range.from, buffer: moveTo(vi.buffer, last) };
}

/** A command of visual mode without an operator. */
function changeSelection(vi: Vi, command: Command): Vi {
  const { name } = command;
  const { buffer, anchor } = vi;
  switch (name) {
    case 'I':
    case 'A': {
      const { from, to, isLinewise } = selectionOf(vi);
      const endsLine = !isLinewise && to > from && buffer.text.charAt(to - 1) === '\n';
      const at = moveTo(buffer, name === 'I' ? from : to - Number(endsLine));
      const repeated = { ...insertHere, name: name === 'I' ? 'i' : 'a' };
      return beginInsertion({ ...vi, buffer: at }, buffer, repeated);
    }
    case 'r?':
      return replaceSelection(vi, command.character);
    case 'p':
    case 'P':
      return putOver(vi, command);
    case 'J': {
      const { from, to } = selectionOf({ ...vi, mode: 'visual-line' });
      const count = buffer.text.slice(from, to).split('\n').length;
      const start = { ...leaving(vi), buffer: moveTo(buffer, from) };
      return runOther(start, { name, character: '', count });
    }
    case 'o':
    case 'O':
      return { ...vi, anchor: buffer.cursor, buffer: moveTo(buffer, anchor) };
    default:
      return selectObject(vi, name);
  }
}

/** `.`: the last change once more, as one undo step. Later repetitions keep its count. */
function repeatChange(vi: Vi, count: number | undefined): Vi {
  const { change, buffer } = vi;
  if (change === undefined) return vi;
  const command = { ...change.command, count: count ?? change.command.count };
  const { operator } = command;
  let done = operator === undefined ? runOther(vi, command) : operate(vi, command, operator);
  if (done.insertion !== undefined && change.inserted !== undefined) {
    const { text, pastes } = mergePastes(done.buffer.pastes, change.inserted);
    const { cursor } = done.buffer;
    const typed = replaceRange({ ...done.buffer, pastes }, cursor, cursor, text);
    done = endInsertion({ ...done, buffer: typed });
  }
  return { ...done, change: { ...change, command }, buffer: asOneEdit(buffer, done.buffer) };
}

function run(vi: Vi, command: Command): Vi | Request {
  const { name, operator, count } = command;
  if (operator !== undefined) return operate(vi, command, operator);
  if (Object.hasOwn(motions, name)) return move(vi, command);
  if (name === 'v' || name === 'V') return switchVisual(vi, name);
  const request = requests.get(name);
  if (request !== undefined) return request;
  if (isVisual(vi)) return changeSelection(vi, command);
  return name === '.' ? repeatChange(vi, count) : runOther(vi, command);
}

/** A character typed in normal or visual mode. After a request, nothing is pending. */
export function pressCharacter(vi: Vi, character: string): Vi | Request {
  const keys = vi.pending + character;
  const command = parseKeys(keys, isVisual(vi));
  if (command === 'incomplete') return { ...vi, pending: keys };
  const idle = { ...vi, pending: '' };
  return command === 'invalid' ? idle : run(idle, command);
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
  return at === cursor ? vi : { ...vi, buffer: moveTo(vi.buffer, at) };
}
