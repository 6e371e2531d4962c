import { EventEmitter } from 'node:events';
import { render, type Instance } from 'ink';
import type { ReactElement } from 'react';
import type { Frame } from '../../terminal/region/paint.ts';
import type { RegionPlace } from '../../terminal/region/region.ts';
import type { Style } from '../../terminal/style.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { composerMarkColumns } from '../composer/layout.ts';
import type { ReplState } from '../state.ts';
import { symbolsFor } from '../text/symbols.ts';
import { caretShapeOf } from '../composer/vi/vi-keys.ts';
import { App } from './App.tsx';
import { entryLabel, dialogOf } from './DialogBox.tsx';
import { fitView, type Parts } from './fit-view.ts';

interface Look {
  readonly style: Style;
  readonly unicode: boolean;
  /** Milliseconds; they turn the spinner. */
  readonly now: number;
}

/** UTF-16 units of the tail that are wrapped; only the last rows are shown. */
const maxTailLength = 4000;

/** The rows of a text styled line by line, wrapped as the terminal wraps it; of a long text, only the last rows. */
function wrapTail(text: string, columns: number): string[] {
  const end = text.slice(-maxTailLength);
  const lines = text.length > maxTailLength ? end.slice(end.indexOf('\n') + 1) : end;
  return wrapText(lines.replaceAll('\t', '    '), columns, 'characters');
}

/**
 * What Ink takes for its terminal. It keeps the last frame, which the live region puts on the terminal. With `debug`
 * Ink writes each frame whole and at once.
 */
class FrameSink extends EventEmitter {
  columns = 80;
  frame = '';
  readonly write = (frame: string): boolean => {
    this.frame = frame;
    return true;
  };
}

/** Renders the application; its frames are rows. */
function createInk() {
  const sink = new FrameSink();
  let instance: Instance | undefined;
  return {
    rowsOf(app: ReactElement, columns: number): readonly string[] {
      // Ink reads it at each layout.
      sink.columns = columns;
      if (instance === undefined) {
        const stdout = sink as unknown as NodeJS.WriteStream;
        instance = render(app, { stdout, debug: true, patchConsole: false, exitOnCtrlC: false });
      } else instance.rerender(app);
      return sink.frame.split('\n');
    },
    close: () => instance?.unmount(),
  };
}

/** The caret, in columns from the left and in rows from the bottom. */
function caretOf(
  state: ReplState,
  { budget, composer }: Parts,
): { column: number; below: number } | undefined {
  const dialog = dialogOf(state);
  if (dialog?.kind === 'entry') {
    const column = displayWidth(entryLabel(dialog)) + dialog.caretColumn;
    return { column, below: 1 + budget.footer };
  }
  if (dialog !== undefined) return undefined;
  const { attachments, search, completion, panel, notice, footer } = budget;
  const under = attachments + search + completion + panel + notice + footer;
  return {
    column: composerMarkColumns + composer.cursorColumn,
    below: under + composer.rows.length - 1 - composer.cursorRow,
  };
}

/** Draws the live region: `preview` is the end of the answer whose format is not decided yet. */
export function createDrawer() {
  const ink = createInk();
  const draw = (
    state: ReplState,
    preview: string,
    look: Look,
    { columns, rows, hasOpenLine }: RegionPlace,
  ): Frame => {
    // A row of full width leaves the cursor in a pending-wrap state in some terminals.
    const width = Math.max(1, columns - 1);
    const end = preview.indexOf('\n');
    const line = end === -1 ? preview : preview.slice(0, end);
    const isInline = hasOpenLine && displayWidth(line) < columns;
    const below = isInline ? preview.slice(line.length + 1) : preview;
    const tail = below === '' ? [] : wrapTail(below, width);
    const parts = fitView(state, tail.length, rows);
    const { budget } = parts;
    const appearance = { style: look.style, symbols: symbolsFor(look.unicode), columns: width };
    const app = <App state={state} parts={parts} appearance={appearance} now={look.now} />;
    const shown = [...tail.slice(tail.length - budget.tail), ...ink.rowsOf(app, width)];
    const caret = caretOf(state, parts);
    return {
      rows: shown,
      caret: caret && {
        row: Math.max(0, shown.length - 1 - caret.below),
        column: Math.min(caret.column, columns - 1),
        shape: state.dialog === undefined && state.vi ? caretShapeOf(state.vi) : undefined,
      },
      preview: isInline ? line : undefined,
      hasPreviewRows: budget.tail > 1,
    };
  };
  return { draw, close: () => ink.close() };
}
