// The one rule by which styled text is cut into rows of a width.
import {
  afterSequence,
  closingSequences,
  styleRuns,
  type OpenStyle,
  type Run,
} from './open-style.ts';
import { displayWidth, graphemes } from './width.ts';

/** Where rows may end: at spaces and beside ideographs (else within a word), or after any character. */
export type Cut = 'words' | 'characters';

export interface Character {
  readonly text: string;
  readonly width: number;
}

/** Whether a row may end here: after a space, and beside a wide character, whose scripts have no spaces. */
export function isBreak(before: Character, after: Character): boolean {
  return before.text === ' ' || before.width > 1 || after.width > 1;
}

/** Where a row ends: the text before `end` belongs to it, the next row begins at `next`. */
interface Break {
  readonly end: number;
  readonly next: number;
  readonly openAtEnd: OpenStyle;
  readonly open: OpenStyle;
}

/** Style sequences and characters of a styled text, in order. */
export function* styledCharacters(text: string): Generator<Run, void> {
  for (const run of styleRuns(text)) {
    if (run.isStyle) yield run;
    else for (const character of graphemes(run.text)) yield { text: character, isStyle: false };
  }
}

/** The last place within the width where a row may end; undefined if the whole line fits. */
function findBreak(line: string, width: number, cut: Cut): Break | undefined {
  let open: OpenStyle = [];
  let used = 0;
  let at = 0;
  let before: Character | undefined;
  let spaces: Break | undefined;
  let found: Break | undefined;
  const breakHere = (): Break => ({ end: at, next: at, openAtEnd: open, open });
  for (const { text, isStyle } of styledCharacters(line)) {
    if (isStyle) open = afterSequence(open, text);
    else {
      const character = { text, width: displayWidth(text) };
      const isSpace = cut === 'words' && text === ' ';
      if (isSpace) {
        // They take no room at the end of a row.
        if (before !== undefined && before.text !== ' ') spaces = breakHere();
      } else {
        if (cut === 'words' && before !== undefined && isBreak(before, character)) {
          found = { ...(before.text === ' ' && spaces ? spaces : breakHere()), next: at, open };
        }
        if (used + character.width > width && used > 0) return found ?? breakHere();
      }
      used += character.width;
      // Spaces at the start of a line are not a break.
      if (!isSpace || before !== undefined) before = character;
    }
    at += text.length;
  }
  return undefined;
}

/** The start of a long line is enough to find a row. */
const unitsPerColumn = 64;

const spacesAtEnd = / +((?:\u001B\[[\d;:]*m)*)$/;

/** Where a row begins in its line, and the sequences that reopen its style. */
export interface RowStart {
  readonly at: number;
  readonly open: string;
}

interface Row {
  /** Closes its own style. */
  readonly text: string;
  /** Undefined for the last row of the line. */
  readonly next: RowStart | undefined;
}

export const lineStart: RowStart = { at: 0, open: '' };

/** The row that begins at `start`; a character wider than the width gets a separate row. */
export function rowFrom(
  line: string,
  { at, open }: RowStart,
  width: number,
  cut: Cut = 'words',
): Row {
  let size = (width + 1) * unitsPerColumn;
  let begin = open + line.slice(at, at + size);
  let found = findBreak(begin, width, cut);
  while (found === undefined && line.length > at + size) {
    size *= 2;
    begin = open + line.slice(at, at + size);
    found = findBreak(begin, width, cut);
  }
  if (found === undefined) {
    const isWide = displayWidth(begin) > width;
    return { text: isWide ? begin.replace(spacesAtEnd, '$1') : begin, next: undefined };
  }
  const next = { at: at + found.next - open.length, open: found.open.join('') };
  return { text: begin.slice(0, found.end) + closingSequences(found.openAtEnd), next };
}

/** The rows from `start` to the end of the line, at most `most`. */
export function rowsFrom(
  line: string,
  start: RowStart,
  width: number,
  cut: Cut = 'words',
  most = Number.POSITIVE_INFINITY,
): string[] {
  const rows: string[] = [];
  for (let next: RowStart | undefined = start; next !== undefined && rows.length < most;) {
    const row = rowFrom(line, next, width, cut);
    rows.push(row.text);
    next = row.next;
  }
  return rows;
}

/** The rows of a styled text, each with its style; the text closes its styles at the end of each line. */
export function wrapText(text: string, width: number, cut: Cut = 'words'): string[] {
  return text
    .split('\n')
    .flatMap((line) =>
      displayWidth(line) <= width ? [line] : rowsFrom(line, lineStart, width, cut),
    );
}
