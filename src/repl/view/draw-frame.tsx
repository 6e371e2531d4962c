import { renderToString } from 'ink';
import { displayWidth } from '../../terminal/width.ts';
import type { Frame } from '../../terminal/live-paint.ts';
import type { RegionPlace } from '../../terminal/live-screen.ts';
import { composerMarkColumns } from '../layout-rules.ts';
import type { ViewModel } from '../view-model.ts';
import { App } from './App.tsx';
import { signsFor } from './appearance.ts';
import { entryLabel } from './DialogBox.tsx';
import { entryOf, fitView, rowsBelowCaret, type RowBudget } from './fit-view.ts';
import { wrapTail } from './wrap-tail.ts';
import type { Style } from '../../terminal/style.ts';

export interface Look {
  readonly style: Style;
  readonly unicode: boolean;
}

/** The caret, in columns from the left and in rows from the bottom. */
function caretOf(
  model: ViewModel,
  budget: RowBudget,
): { column: number; below: number } | undefined {
  const entry = entryOf(model.dialog);
  if (entry !== undefined) {
    return {
      column: displayWidth(entryLabel(entry)) + entry.caretColumn,
      below: 1 + budget.footer,
    };
  }
  if (model.dialog !== undefined) return undefined;
  const column = composerMarkColumns + model.composer.caret.column;
  return { column, below: rowsBelowCaret(model, budget) };
}

/** Lays the live region out with Ink. */
export function drawFrame(model: ViewModel, look: Look, place: RegionPlace): Frame {
  const { columns, rows } = place;
  // A row that fills the window would leave the cursor in a state of its own in some terminals.
  const width = Math.max(1, columns - 1);
  const { tail: held } = model;
  const goesOn = place.hasOpenLine && !held.includes('\n') && displayWidth(held) < columns;
  const tail = held === '' || goesOn ? [] : wrapTail(held, width);
  const budget = fitView(model, tail.length, rows);
  const appearance = { style: look.style, signs: signsFor(look.unicode), columns: width };
  const drawn = renderToString(
    <App model={model} budget={budget} appearance={appearance} tail={tail} />,
    { columns: width },
  );
  const lines = drawn.split('\n');
  const caret = caretOf(model, budget);
  return {
    rows: lines,
    caret: caret && {
      row: Math.max(0, lines.length - 1 - caret.below),
      column: Math.min(caret.column, columns - 1),
    },
    preview: goesOn ? held : undefined,
  };
}
