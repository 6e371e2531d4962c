// Prose in rows that end between words. Each text is written once, at the end of what was written before.
import type { Style } from '../style.ts';
import { placeText, rowStart, type RowBreak, type RowEnd } from './row-breaks.ts';
import { paintSpans, visibleText, type Span } from './span.ts';

/** The rows of the paragraph or heading that is written. */
export interface ProseRows {
  /** Columns of the terminal. */
  readonly width: () => number;
  indent: number;
  end: RowEnd;
  /** The end of the text, whose place depends on what follows. */
  held: readonly Span[];
}

export function createProseRows(width: () => number): ProseRows {
  return { width, indent: 0, end: rowStart(0), held: [] };
}

/** Call after the markers of the first row, which has `indent` columns. */
export function beginProse(rows: ProseRows, indent: number): void {
  rows.indent = indent;
  rows.end = rowStart(indent);
}

const plainWords = /^[\x20-\x7e]*[\x21-\x7e]$/;
const openingMark = /[([{]$/;

/** Most texts are a word that fits. */
function fits({ end, held, width }: ProseRows, text: string): boolean {
  if (held.length > 0 || end.isLong !== 'no' || end.column + text.length > width()) return false;
  const isPart = end.isFresh || text.startsWith(' ');
  return isPart && plainWords.test(text) && !openingMark.test(text);
}

interface RowText {
  readonly style: Style;
  /** The markers of each further row. */
  readonly prefix: () => string;
  /** No text follows in this paragraph. */
  readonly isEnd: boolean;
}

/** The styled text of the spans that is decided now, with row ends. */
export function writeProse(
  rows: ProseRows,
  spans: readonly Span[],
  { style, prefix, isEnd }: RowText,
): string {
  const all = rows.held.length === 0 ? spans : [...rows.held, ...spans];
  const text = all.length === 1 ? (all[0]?.text ?? '') : visibleText(all);
  if (fits(rows, text)) {
    const column = rows.end.column + text.length;
    rows.end = { column, isFresh: false, last: text.at(-1) ?? '', isLong: 'no' };
    return paintSpans(all, style);
  }
  const layout = { width: Math.max(1, rows.width()), indent: rows.indent };
  const { breaks, end, placed } = placeText(text, rows.end, layout, isEnd);
  rows.end = end;
  const isWhole = placed === text.length;
  rows.held = isWhole ? [] : sliceSpans(all, placed, text.length);
  const shown = isWhole ? all : sliceSpans(all, 0, placed);
  return breaks.length === 0
    ? paintSpans(shown, style)
    : paintRows(shown, breaks, `\n${prefix()}`, style);
}

export function heldText({ held }: ProseRows): string {
  return visibleText(held);
}

function sliceSpans(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const slices: Span[] = [];
  let at = 0;
  for (const span of spans) {
    const end = at + span.text.length;
    const isWhole = at >= from && end <= to;
    const text = isWhole
      ? span.text
      : span.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text !== '') slices.push(isWhole ? span : { ...span, text });
    at = end;
  }
  return slices;
}

function paintRows(
  spans: readonly Span[],
  breaks: readonly RowBreak[],
  rowEnd: string,
  style: Style,
): string {
  let output = '';
  let written = 0;
  let at = 0;
  let index = 0;
  for (const span of spans) {
    const end = at + span.text.length;
    for (let next = breaks[index]; next !== undefined && next.from < end; next = breaks[index]) {
      output += paintPart(span, written - at, next.from - at, style) + rowEnd;
      written = next.to;
      index += 1;
    }
    if (written < end) output += paintPart(span, written - at, span.text.length, style);
    written = Math.max(written, end);
    at = end;
  }
  return output;
}

function paintPart(span: Span, from: number, to: number, style: Style): string {
  const text = span.text.slice(from, to);
  return text === '' ? '' : paintSpans([{ ...span, text }], style);
}
