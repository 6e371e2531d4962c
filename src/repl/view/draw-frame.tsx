import { renderToString } from 'ink';
import type { Frame } from '../../terminal/region/paint.ts';
import type { RegionPlace } from '../../terminal/region/region.ts';
import type { Style } from '../../terminal/style.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { composerMarkColumns } from '../composer/layout.ts';
import type { Status, ViewModel } from './view-model.ts';
import { App, type AppProps } from './App.tsx';
import { symbolsFor } from '../text/symbols.ts';
import { entryLabel } from './DialogBox.tsx';
import { fitView, rowsBelowCaret, type RowBudget } from './fit-view.ts';
import { statusRow } from './status-row.ts';

interface Look {
  readonly style: Style;
  readonly unicode: boolean;
  /** Milliseconds; they turn the spinner. */
  readonly now: number;
}

type Drawer = (model: ViewModel, look: Look, place: RegionPlace) => Frame;

/** UTF-16 units of the tail that are wrapped; only the last rows are shown. */
const maxTailLength = 4000;

/** The rows of a text styled line by line, wrapped as the terminal wraps it; of a long text, only the last rows. */
function wrapTail(text: string, columns: number): string[] {
  const end = text.slice(-maxTailLength);
  const lines = text.length > maxTailLength ? end.slice(end.indexOf('\n') + 1) : end;
  return wrapText(lines.replaceAll('\t', '    '), columns, 'characters');
}

/** The caret, in columns from the left and in rows from the bottom. */
function caretOf(
  model: ViewModel,
  budget: RowBudget,
): { column: number; below: number } | undefined {
  const { dialog } = model;
  if (dialog?.kind === 'entry') {
    const column = displayWidth(entryLabel(dialog)) + dialog.caretColumn;
    return { column, below: 1 + budget.footer };
  }
  if (dialog !== undefined) return undefined;
  const column = composerMarkColumns + model.composer.caret.column;
  return { column, below: rowsBelowCaret(model, budget) };
}

/** Lays out rows with Ink; most frames change none of them, so the last rows are cached. */
function createLayout(): (props: AppProps) => readonly string[] {
  let lastKey = '';
  let lastRows: readonly string[] = [];
  return (props) => {
    const { appearance, model, budget } = props;
    const { style, symbols, columns } = appearance;
    const sample = [symbols.mark, style.bold('x'), style.dim('x'), style.cyan('x')];
    const key = JSON.stringify([model, budget, columns, sample]);
    if (key === lastKey) return lastRows;
    const drawn = renderToString(<App {...props} />, { columns });
    lastKey = key;
    lastRows = drawn.split('\n');
    return lastRows;
  };
}

const idle: Status = { phase: 'idle' };

/** Reuse the drawer of a live region: it caches the last layout. */
export function createDrawer(): Drawer {
  const layout = createLayout();
  return (model, look, { columns, rows, hasOpenLine }) => {
    // A row of full width leaves the cursor in a pending-wrap state in some terminals.
    const width = Math.max(1, columns - 1);
    const { tail: preview } = model;
    const end = preview.indexOf('\n');
    const line = end === -1 ? preview : preview.slice(0, end);
    const isInline = hasOpenLine && displayWidth(line) < columns;
    const below = isInline ? preview.slice(line.length + 1) : preview;
    const tail = below === '' ? [] : wrapTail(below, width);
    const budget = fitView(model, tail.length, rows);
    const appearance = { style: look.style, symbols: symbolsFor(look.unicode), columns: width };
    // These rows fit already and change with every delta, so they bypass Ink.
    const shown = [
      ...tail.slice(tail.length - budget.tail),
      ...(budget.gap > 0 ? [''] : []),
      ...(budget.status > 0 ? [statusRow(model.status, appearance, look.now, model)] : []),
      ...layout({
        model: { ...model, tail: '', status: idle },
        budget: { ...budget, tail: 0 },
        appearance,
      }),
    ];
    const caret = caretOf(model, budget);
    return {
      rows: shown,
      caret: caret && {
        row: Math.max(0, shown.length - 1 - caret.below),
        column: Math.min(caret.column, columns - 1),
        shape: model.dialog === undefined ? model.composer.caretShape : undefined,
      },
      preview: isInline ? line : undefined,
      hasPreviewRows: budget.tail > 1,
    };
  };
}
