import { loadFormulas } from '../formula/load-formulas.ts';
import { createHighlighter } from '../highlight/highlight.ts';
import type { Style } from '../style.ts';
import { createBlockOutput, markers, takeText } from './block-output.ts';
import type { BlockState } from './block-state.ts';
import { acceptLine, endBlocks, endText, readLine, writeText } from './blocks.ts';
import { codeText } from './code-block.ts';
import { undecidedInline } from './inline-text.ts';
import { createLineDriver, type MarkdownStream } from './line-driver.ts';
import { heldText } from './prose-rows.ts';

/** `words`: natter ends rows of prose between words; `none`: the terminal wraps lines. */
export type WrapMode = 'words' | 'none';

export interface MarkdownStreamOptions {
  readonly style: Style;
  /** Columns of the terminal, read whenever a table or a rule is laid out. */
  readonly width: () => number;
  /** The terminal opens links (OSC 8). */
  readonly hyperlinks: boolean;
  /** It is known to, so that the label of a link is shown without its address. */
  readonly hidesAddresses?: boolean;
  /** The terminal shows `•`, `│` and `─`. */
  readonly unicode: boolean;
  /** `none` by default. */
  readonly wrap?: WrapMode;
  /** What to type for a code block with this number, at the end of its rule. */
  readonly codeHint?: (block: number) => string;
}

/**
 * Takes sanitized Markdown in any pieces; the joined output does not depend on them. Setext headings and link
 * references are shown as written, because they can be recognised only by later text.
 */
export function createMarkdownStream(options: MarkdownStreamOptions): MarkdownStream {
  const { style, width, hyperlinks, unicode, wrap, codeHint, hidesAddresses = false } = options;
  const inline = { marks: !style.colored, own: style.own, hyperlinks, hidesAddresses, unicode };
  const proseWidth = wrap === 'words' ? width : undefined;
  const output = createBlockOutput({ style, unicode, proseWidth });
  const state: BlockState = {
    output,
    options: { highlighter: createHighlighter(style), inline, width, codeHint },
    leaf: { kind: 'none' },
    row: undefined,
    codeBlocks: 0,
    loading: undefined,
  };
  return createLineDriver({
    readLine: (text, complete) => readLine(state, text, complete),
    acceptLine: (start) => acceptLine(state, start),
    writeText: (text) => writeText(state, text),
    endText: () => endText(state),
    longCode: {
      begin(start) {
        if (state.leaf.kind !== 'fence') return;
        output.text += markers(output, 'code') + codeText(state.leaf, start);
      },
      write: (text) => void (output.text += text),
      end: () => void (output.text += '\n'),
    },
    end: () => endBlocks(state),
    take: () => takeText(output),
    load: (text) => (unicode ? loadFormulas(text) : undefined),
    loading: () => state.loading,
    undecided: () => undecidedBlocks(state),
  });
}

function undecidedBlocks({ leaf, row, output }: BlockState): readonly string[] {
  const parts: string[] = [];
  if (leaf.kind === 'paragraph') {
    const held = output.rows ? heldText(output.rows) : '';
    parts.push(held + undecidedInline(leaf.paragraph.inline) + leaf.paragraph.trail);
  }
  if (leaf.kind === 'table') parts.push(leaf.table.undecided());
  if (leaf.kind === 'formula' && leaf.lines) parts.push(leaf.lines.join('\n'));
  if (row !== undefined) parts.push(row);
  return parts;
}
