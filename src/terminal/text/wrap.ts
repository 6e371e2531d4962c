// The one rule by which styled text is cut into rows of a width.
import { displayWidth, graphemes } from './width.ts';

/** Where rows may end: at spaces and beside ideographs (else within a word), or after any character. */
type Cut = 'words' | 'characters';

export interface Character {
  readonly text: string;
  readonly width: number;
}

/** Whether a row may end here: after a space, and beside a wide character, whose scripts have no spaces. */
export function isBreak(before: Character, after: Character): boolean {
  return before.text === ' ' || before.width > 1 || after.width > 1;
}

/** Sequences of the output that take no column: colours and attributes (SGR), links (OSC 8). */
const styleSequence = /\u001B\[[\d;:]*m|\u001B\]8;[^\u0007\u001B]*(?:\u0007|\u001B\\)/g;

/** Style sequences and characters of a styled text, in order. */
export function* styledCharacters(text: string) {
  let from = 0;
  const end = { 0: '', index: text.length };
  for (const { 0: sequence, index } of [...text.matchAll(styleSequence), end]) {
    for (const character of graphemes(text.slice(from, index))) {
      yield { text: character, isStyle: false };
    }
    if (sequence !== '') yield { text: sequence, isStyle: true };
    from = index + sequence.length;
  }
}

/**
 * The last place within the width where a row may end: the text before `end` belongs to it, the next row begins at `next`.
 * Undefined if the whole line fits.
 */
function findBreak(line: string, width: number, cut: Cut) {
  let used = 0;
  let at = 0;
  let before: Character | undefined;
  /** Where the spaces before this character begin, which take no room at the end of a row. */
  let spaces = 0;
  let found: { readonly end: number; readonly next: number } | undefined;
  for (const { text, isStyle } of styledCharacters(line)) {
    if (!isStyle) {
      const character = { text, width: displayWidth(text) };
      const isSpace = cut === 'words' && text === ' ';
      if (isSpace && before?.text !== ' ') spaces = at;
      if (!isSpace) {
        if (cut === 'words' && before !== undefined && isBreak(before, character)) {
          found = { end: before.text === ' ' ? spaces : at, next: at };
        }
        if (used + character.width > width && used > 0) return found ?? { end: at, next: at };
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

/** A line, or the rest of one, with the sequences that reopen its style; copying a long rest for each row would be slow. */
export interface Line {
  readonly text: string;
  readonly open?: string;
}

/**
 * The first row of a line, which closes its own style, and the rest of the line, undefined after the last row. A
 * character wider than the width gets a separate row.
 */
export function firstRow({ text, open = '' }: Line, width: number, cut: Cut = 'words') {
  for (let size = (width + 1) * unitsPerColumn; ; size *= 2) {
    const begin = open + text.slice(0, size);
    const found = findBreak(begin, width, cut);
    if (found !== undefined) {
      const row = begin.slice(0, found.end);
      const rest = text.slice(found.next - open.length);
      return {
        text: row + closingSequences(stylesOf(row)),
        rest: { text: rest, open: stylesOf(begin.slice(0, found.next)).join('') },
      };
    }
    if (size < text.length) continue;
    const isWide = displayWidth(begin) > width;
    return { text: isWide ? begin.replace(spacesAtEnd, '$1') : begin, rest: undefined };
  }
}

/** The rows of a line, at most `most`. */
export function rowsOf(
  line: Line,
  width: number,
  cut: Cut = 'words',
  most = Number.POSITIVE_INFINITY,
): string[] {
  const rows: string[] = [];
  for (let rest: Line | undefined = line; rest !== undefined && rows.length < most;) {
    const row = firstRow(rest, width, cut);
    rows.push(row.text);
    ({ rest } = row);
  }
  return rows;
}

/** The rows of a styled text, each with its style; the text closes its styles at the end of each line. */
export function wrapText(text: string, width: number, cut: Cut = 'words'): string[] {
  return text
    .split('\n')
    .flatMap((line) => (displayWidth(line) <= width ? [line] : rowsOf({ text: line }, width, cut)));
}

/** SGR codes (ECMA-48 8.3.117) by the one that ends them. */
const endedBy: readonly (readonly [end: number, isEnded: (code: number) => boolean])[] = [
  [22, (code) => code === 1 || code === 2],
  [23, (code) => code === 3],
  [24, (code) => code === 4],
  [29, (code) => code === 9],
  [39, (code) => (code >= 30 && code <= 38) || (code >= 90 && code <= 97)],
];

const isLink = (sequence: string) => sequence.startsWith('\u001B]');
const linkEnd = '\u001B]8;;\u001B\\';

const codeOf = (sequence: string): number => Number.parseInt(sequence.slice(2), 10) || 0;

/**
 * The colours and links that a text leaves open: the sequences that opened them, in order. A sequence that sets several
 * attributes counts as its first.
 */
export function stylesOf(text: string): readonly string[] {
  let open: string[] = [];
  for (const [sequence] of text.matchAll(styleSequence)) {
    const code = codeOf(sequence);
    const ends = endedBy.find(([end]) => end === code)?.[1];
    if (isLink(sequence)) {
      open = open.filter((one) => !isLink(one));
      // OSC 8 with an empty address ends the link.
      if (!/^\u001B\]8;[^;]*;(?:\u0007|\u001B)/.test(sequence)) open = [...open, sequence];
    } else if (code === 0) open = open.filter(isLink);
    else if (ends === undefined) open = [...open.filter((one) => one !== sequence), sequence];
    else open = open.filter((one) => isLink(one) || !ends(codeOf(one)));
  }
  return open;
}

/** The sequences that end these styles, the last one first. */
function closingSequences(open: readonly string[]): string {
  const closing = (sequence: string) => {
    if (isLink(sequence)) return linkEnd;
    const code = codeOf(sequence);
    return `\u001B[${endedBy.find(([, isEnded]) => isEnded(code))?.[0] ?? 0}m`;
  };
  return open.toReversed().map(closing).join('');
}
