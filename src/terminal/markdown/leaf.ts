import type { HighlightLine } from '../highlight/highlight.ts';
import type { Paragraph } from './paragraph.ts';
import type { Table } from './table.ts';

/** An open code fence. */
export interface Fence {
  readonly kind: 'fence';
  /** The fence as written, without its info string. */
  readonly mark: string;
  readonly language: string;
  readonly closing: RegExp;
  /** Columns to remove from each line. */
  readonly indent: number;
  /** Set at the first line, when the language has been loaded. */
  highlight: HighlightLine | undefined;
}

/** The block that is open. */
export type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly paragraph: Paragraph; readonly definition: boolean }
  | Fence
  | { readonly kind: 'indented'; blankLines: number }
  | { readonly kind: 'html'; readonly end: RegExp | undefined }
  | { readonly kind: 'formula'; readonly close: string }
  | { readonly kind: 'table'; readonly table: Table };
