import { afterSequence, styleSequence, type OpenStyle } from './open-style.ts';
import { displayWidth, graphemes } from './width.ts';

const resetStyle = '\u001B[0m';
const tab = '    ';

/** Where a row may end: all before `end` belongs to it, the next begins at `next`. */
interface Break {
  readonly end: number;
  readonly next: number;
  readonly open: OpenStyle;
}

/** Escape sequences and characters of a styled line, in order. */
function* pieces(line: string): Generator<{ readonly text: string; readonly isStyle: boolean }> {
  let from = 0;
  for (const { 0: sequence, index } of line.matchAll(styleSequence)) {
    for (const text of graphemes(line.slice(from, index))) yield { text, isStyle: false };
    yield { text: sequence, isStyle: true };
    from = index + sequence.length;
  }
  for (const text of graphemes(line.slice(from))) yield { text, isStyle: false };
}

/** The last place before the width where a row may end; undefined where all of the line fits. */
function findBreak(line: string, width: number): Break | undefined {
  let open: OpenStyle = [];
  let used = 0;
  let at = 0;
  let hasText = false;
  let wasSpace = false;
  let found: Break | undefined;
  for (const { text, isStyle } of pieces(line)) {
    if (isStyle) open = afterSequence(open, text);
    else {
      const columns = displayWidth(text);
      const isSpace = text === ' ';
      // An ideograph may stand at the end of a row and at the begin of one.
      if (columns > 1 && hasText && !wasSpace) found = { end: at, next: at, open };
      // Spaces at the end of a row take no room.
      if (!isSpace && used + columns > width && used > 0) {
        return found ?? { end: at, next: at, open };
      }
      if (isSpace && hasText) {
        found = { end: wasSpace ? (found?.end ?? at) : at, next: at + 1, open };
      }
      hasText ||= !isSpace;
      wasSpace = isSpace;
      used += columns;
      if (columns > 1) found = { end: at + text.length, next: at + text.length, open };
    }
    at += text.length;
  }
  return undefined;
}

/** Of a long line the begin is enough to find a row. */
const unitsPerColumn = 64;

const spacesAtEnd = / +((?:\u001B\[[\d;:]*m)*)$/;

/**
 * The first row of a styled line, broken at a space or beside an ideograph, else within a word; and the rest, in
 * the colours it has. A character wider than the width gets a row of its own; no row leaves colours open.
 */
export function takeRow(line: string, width: number): readonly [row: string, rest: string] {
  const begin = line.slice(0, (width + 1) * unitsPerColumn);
  let found = findBreak(begin, width);
  if (found === undefined && begin.length < line.length) found = findBreak(line, width);
  if (found === undefined) {
    return [displayWidth(line) > width ? line.replace(spacesAtEnd, '$1') : line, ''];
  }
  const row = line.slice(0, found.end);
  const closed = row.includes('\u001B') ? row + resetStyle : row;
  return [closed, found.open.join('') + line.slice(found.next)];
}

/** Text that comes bit by bit and is taken row by row, at the width there is then. */
export interface TextColumn {
  /** Styled text; each line closes its own colours. */
  write(text: string): void;
  /** No more comes. */
  end(): void;
  /** The next row can be changed by no further text. */
  hasRow(width: number): boolean;
  take(width: number): string | undefined;
  /** The next rows as they are now, at most so many. */
  preview(width: number, rows: number): readonly string[];
  /** No more comes, and every row was taken. */
  isDone(): boolean;
}

export function createTextColumn(): TextColumn {
  const lines = [''];
  let isOver = false;
  const restOf = (width: number) => takeRow(lines[0] ?? '', width)[1];
  return {
    write(text) {
      const [first = '', ...more] = text.replaceAll('\t', tab).split('\n');
      lines.push((lines.pop() ?? '') + first, ...more);
    },
    end() {
      isOver = true;
      if (lines.at(-1) === '') lines.pop();
    },
    hasRow: (width) => lines.length > 1 || (lines.length > 0 && (isOver || restOf(width) !== '')),
    take(width) {
      const line = lines.shift();
      if (line === undefined) return undefined;
      const [row, rest] = takeRow(line, width);
      if (rest !== '') lines.unshift(rest);
      return row;
    },
    preview(width, rows) {
      const found: string[] = [];
      for (const line of lines) {
        for (let rest = line, row: string; found.length < rows;) {
          [row, rest] = takeRow(rest, width);
          found.push(row);
          if (rest === '') break;
        }
        if (found.length >= rows) break;
      }
      return found;
    },
    isDone: () => isOver && lines.length === 0,
  };
}
