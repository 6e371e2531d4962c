import type { Highlighter, HighlightLine } from '../highlight/highlight.ts';
import type { BlockOutput } from './block-output.ts';
import type { InlineOptions } from './inline.ts';
import type { Paragraph } from './paragraph.ts';
import type { Table } from './table.ts';

export interface BlockState {
  readonly output: BlockOutput;
  readonly options: BlockOptions;
  leaf: Leaf;
  /** A line with bars; the next line shows whether it is a table's header. */
  row: string | undefined;
  codeBlocks: number;
  /** Pending while something is loaded that the next text needs. */
  loading: Promise<void> | undefined;
}

interface BlockOptions {
  readonly highlighter: Highlighter;
  readonly inline: InlineOptions;
  /** Of the terminal, in columns. */
  readonly width: () => number;
  readonly codeHint: ((block: number) => string) | undefined;
}

export interface Fence {
  readonly kind: 'fence';
  /** The fence as written, without its info string. */
  readonly mark: string;
  readonly language: string;
  /** Columns to remove from each line. */
  readonly indent: number;
  /** Set at the first line, when the language has been loaded. */
  highlight: HighlightLine | undefined;
}

/** A displayed formula. */
export interface Formula {
  readonly kind: 'formula';
  readonly close: string;
  /** Its lines so far, which are shown together at its end; undefined if they are shown as they arrive. */
  lines: string[] | undefined;
}

type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly paragraph: Paragraph; readonly definition: boolean }
  | Fence
  | { readonly kind: 'indented'; blankLines: number }
  | { readonly kind: 'html'; readonly end: RegExp | undefined }
  | Formula
  | { readonly kind: 'table'; readonly table: Table };
