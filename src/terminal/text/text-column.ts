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
      // A row may end after an ideograph and start with one.
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

/** The start of a long line is enough to find a row. */
const unitsPerColumn = 64;

const spacesAtEnd = / +((?:\u001B\[[\d;:]*m)*)$/;

/**
 * The first row of a styled line, broken at a space or beside an ideograph, else within a word; and the rest, in
 * the colours it has. A character wider than the width gets a row of its own; no row leaves colours open.
 */
export function takeRow(line: string, width: number): readonly [row: string, rest: string] {
  const source = createSource(line);
  const start = { at: 0, open: '' };
  const { row, next } = rowFrom(source, start, width);
  return [row, next === undefined ? '' : next.open + source.part(next.at, line.length)];
}

/** The text of a line, which grows at its end; parts are joined only as far as they are looked at. */
interface Source {
  add(text: string): void;
  /** The units from a place on, at most so many. */
  part(at: number, size: number): string;
  /** Whether there are more from a place on. */
  hasMore(at: number, size: number): boolean;
  /** Discards the text before a place; places count from there afterwards. */
  forget(at: number): void;
}

/** A line in pieces: reading its start repeatedly must not copy the whole line. */
function createSource(begin = ''): Source {
  let text = begin;
  let parts: string[] = [];
  let first = 0;
  const reach = (end: number) => {
    const from = first;
    let length = text.length;
    while (length < end && first < parts.length) {
      length += parts[first]?.length ?? 0;
      first += 1;
    }
    if (first > from) text += parts.slice(from, first).join('');
    if (first === parts.length) parts = [];
    if (parts.length === 0) first = 0;
  };
  return {
    add: (more) => void (more !== '' && parts.push(more)),
    part(at, size) {
      reach(at + size);
      return text.slice(at, at + size);
    },
    hasMore(at, size) {
      reach(at + size + 1);
      return text.length > at + size;
    },
    forget: (at) => void (text = text.slice(at)),
  };
}

/** Where a row of a line begins, and the sequences that open its colours. */
interface Place {
  readonly at: number;
  readonly open: string;
}

/** The row that begins at a place, and where the next one does; undefined where none does. */
function rowFrom(
  source: Source,
  { at, open }: Place,
  width: number,
): { readonly row: string; readonly next: Place | undefined } {
  let size = (width + 1) * unitsPerColumn;
  let begin = open + source.part(at, size);
  let found = findBreak(begin, width);
  while (found === undefined && source.hasMore(at, size)) {
    size *= 2;
    begin = open + source.part(at, size);
    found = findBreak(begin, width);
  }
  if (found === undefined) {
    const isWide = displayWidth(begin) > width;
    return { row: isWide ? begin.replace(spacesAtEnd, '$1') : begin, next: undefined };
  }
  const row = begin.slice(0, found.end);
  const closed = row.includes('\u001B') ? row + resetStyle : row;
  const next = { at: at + found.next - open.length, open: found.open.join('') };
  // Nothing but colours would make a row without text.
  const isLast = next.open === '' && !source.hasMore(next.at, 0);
  return { row: closed, next: isLast ? undefined : next };
}

/** Text that arrives in pieces and is taken row by row, at the current width. */
export interface TextColumn {
  /** Styled text; each line closes its own colours. */
  write(text: string): void;
  /** No more comes. */
  end(): void;
  /** Further text cannot change the next row. */
  hasRow(width: number): boolean;
  take(width: number): string | undefined;
  /** The next rows as they are now, at most so many. */
  preview(width: number, rows: number): readonly string[];
  /** No more comes, and every row was taken. */
  isDone(): boolean;
}

interface Line {
  readonly source: Source;
  /** Where its next row begins. */
  place: Place;
}

const newLine = (): Line => ({ source: createSource(), place: { at: 0, open: '' } });
const isEmpty = ({ source, place }: Line) => place.open === '' && !source.hasMore(place.at, 0);
/** Units that are discarded together. */
const forgotten = 10_000;

function forget(line: Line): void {
  const { at, open } = line.place;
  if (at < forgotten) return;
  line.source.forget(at);
  line.place = { at: 0, open };
}

function rowsOf({ source, place }: Line, width: number, most: number): string[] {
  const rows: string[] = [];
  for (let next: Place | undefined = place; next !== undefined && rows.length < most;) {
    const found = rowFrom(source, next, width);
    rows.push(found.row);
    next = found.next;
  }
  return rows;
}

export function createTextColumn(): TextColumn {
  const lines = [newLine()];
  let isOver = false;
  const isWhole = (line: Line | undefined, width: number) =>
    line !== undefined && rowFrom(line.source, line.place, width).next !== undefined;
  return {
    write(text) {
      for (const [index, part] of text.replaceAll('\t', tab).split('\n').entries()) {
        if (index > 0) lines.push(newLine());
        lines.at(-1)?.source.add(part);
      }
    },
    end() {
      isOver = true;
      const last = lines.at(-1);
      if (last !== undefined && isEmpty(last)) lines.pop();
    },
    hasRow: (width) =>
      lines.length > 1 || (lines.length > 0 && (isOver || isWhole(lines[0], width))),
    take(width) {
      const [line] = lines;
      if (line === undefined) return undefined;
      const { row, next } = rowFrom(line.source, line.place, width);
      if (next === undefined) lines.shift();
      else line.place = next;
      forget(line);
      return row;
    },
    preview(width, rows) {
      const found: string[] = [];
      for (const line of lines) {
        if (found.length >= rows) break;
        found.push(...rowsOf(line, width, rows - found.length));
      }
      return found;
    },
    isDone: () => isOver && lines.length === 0,
  };
}
