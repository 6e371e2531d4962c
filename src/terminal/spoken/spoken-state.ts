import type { Container } from '../markdown/containers.ts';
import type { WordRows } from '../markdown/word-rows.ts';

export interface Fence {
  readonly kind: 'fence';
  /** The words after the opening fence, usually the language. */
  readonly language: string;
  readonly mark: string;
  /** Columns to remove from each line. */
  readonly indent: number;
  readonly code: SpokenCode;
}

/** The lines of a code block, which are held back until their number is known or there are too many. */
export interface SpokenCode {
  readonly number: number;
  readonly label: string;
  lines: string[];
  /** Characters held back. */
  size: number;
  /** Lines that were already written. */
  written: number;
}

interface SpokenTable {
  readonly kind: 'table';
  readonly names: readonly string[];
  rows: number;
}

export interface SpokenParagraph {
  readonly kind: 'paragraph';
  /** The text that is not written yet. */
  rest: string;
  /** Characters at its start in which no sentence ends. */
  searched: number;
  line: number;
  label: string;
  isWritten: boolean;
}

/** A displayed formula. */
export interface SpokenFormula {
  readonly kind: 'formula';
  readonly label: string;
  readonly close: string;
  /** Its lines so far, which are read at its end; undefined if they are written as they arrive. */
  lines: string[] | undefined;
}

/** The block that the next line may continue. */
export type SpokenLeaf =
  | { readonly kind: 'none' }
  | SpokenParagraph
  | Fence
  | { readonly kind: 'indented'; readonly code: SpokenCode; blankLines: number }
  | { readonly kind: 'html'; readonly end: RegExp | undefined }
  | SpokenFormula
  | SpokenTable;

export interface SpokenState {
  /** Output that has not been taken yet. */
  text: string;
  /** Of all output but code. */
  readonly rows: WordRows;
  readonly containers: Container[];
  leaf: SpokenLeaf;
  /** A line with bars; the next line shows whether it is a table's header. */
  row: string | undefined;
  codeBlocks: number;
  /** The source had a blank line here. */
  blankBefore: boolean;
  hasBlocks: boolean;
  /** The depth of the last list item, which is spoken when it changes. */
  level: number;
}

export function initialSpoken(rows: WordRows): SpokenState {
  return {
    text: '',
    rows,
    containers: [],
    leaf: { kind: 'none' },
    row: undefined,
    codeBlocks: 0,
    blankBefore: false,
    hasBlocks: false,
    level: 1,
  };
}

export function writeLine(state: SpokenState, text: string): void {
  writeProse(state, `${text.replaceAll('\n', ' ')}\n`);
}

/** Text that is not code. */
export function writeProse(state: SpokenState, text: string): void {
  state.text += state.rows.write(text);
}

/** The words before a block: of its quotes, and of the list items that it begins. Each item has them once. */
export function takeLabel(state: SpokenState): string {
  const { containers } = state;
  const quotes = containers.filter(({ kind }) => kind === 'quote').length;
  const items = containers.filter((container) => container.kind === 'item');
  const begun = items.filter(({ shown }) => !shown);
  if (items.length === 0) state.level = 1;
  for (const item of begun) item.shown = true;
  const places: string[] = [];
  if (quotes > 0) places.push(quotes === 1 ? 'quote' : `quote in quote`);
  if (begun.length > 0 && items.length !== state.level) places.push(`level ${items.length}`);
  if (begun.length === 0) return places.map((place) => `${place}: `).join('');
  state.level = items.length;
  const markers = begun.map(({ marker }) =>
    marker.length === 1 ? 'bullet: ' : `${marker.slice(0, -1)}. `,
  );
  return places.map((place) => `${place}, `).join('') + markers.join('');
}

/** `[ ] text` in a list item is "to do: text". */
export function taskText(label: string, text: string): string {
  const [mark, done] = /^\[([ xX])\](?:\s+|$)/.exec(text) ?? [];
  if (mark === undefined || !/(?:bullet: |\d\. )$/.test(label)) return label + text;
  const state = done === ' ' ? 'to do: ' : 'done: ';
  return label.replace(/bullet: $/, '') + state + text.slice(mark.length);
}
