import { createLineDriver, type MarkdownStream } from '../markdown/line-driver.ts';
import { createWordRows } from '../markdown/rows.ts';
import { acceptLine, endBlocks, initialSpoken, readLine, writeText } from './spoken-blocks.ts';

/**
 * Markdown as labelled text, for screen readers and dumb terminals: `Heading 2: …`, `row 1, name: …`,
 * `code 1, bash, 3 lines`. A block is written when it is complete, text by sentences. Takes sanitized Markdown in any
 * pieces; the joined output does not depend on them. Rows end between words, except in code.
 * @param width columns of a row, infinite to leave wrapping to the terminal
 * @param column used columns of the first row
 */
export function createSpokenMarkdown(width: () => number, column = 0): MarkdownStream {
  const state = initialSpoken(createWordRows(width, column));
  return createLineDriver({
    readLine: (text, complete) => readLine(state, text, complete),
    acceptLine: (start) => acceptLine(state, start),
    writeText: (text) => writeText(state, text),
    endText: () => undefined,
    end: () => endBlocks(state),
    take() {
      const { text } = state;
      state.text = '';
      return text;
    },
    loading: () => undefined,
    undecided: () => [],
  });
}
