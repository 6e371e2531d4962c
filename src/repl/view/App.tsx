import { Box } from 'ink';
import type { ReactNode } from 'react';
import { count, percent, tokenText } from '../../output/figures.ts';
import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import { composerMarkColumns } from '../editing/layout.ts';
import { AppearanceProvider, useAppearance, type Appearance } from './appearance.ts';
import { DialogBox } from './DialogBox.tsx';
import { fitParts, shorten } from './fit-parts.ts';
import type { RowBudget } from './fit-view.ts';
import { Lines, Row } from './Rows.tsx';
import type {
  CompletionView,
  ComposerView,
  FooterView,
  SearchView,
  ViewModel,
} from './view-model.ts';

interface QueueProps {
  readonly prompts: readonly string[];
  readonly isPaused: boolean;
  readonly rows: number;
}

/** Queued prompts, each on one row. */
export function Queue({ prompts, isPaused, rows }: QueueProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const hidden = prompts.length > rows ? prompts.length - rows + 1 : 0;
  const label = isPaused ? 'queued: ' : 'next: ';
  const lines = prompts
    .slice(0, prompts.length - hidden)
    .map((prompt) => shorten(`${label}${prompt.replaceAll(/\s*\n\s*/g, ' ')}`, columns, symbols));
  if (hidden > 0) lines.push(`${label}${hidden} more`);
  return <Lines lines={lines.map((line) => style.dim(line))} />;
}

/** The mark of a row: at the start of the text, or where more text is out of sight. */
function markOf(composer: ComposerView, index: number, { style, symbols }: Appearance): string {
  const isLast = index === composer.rows.length - 1;
  if (index === 0 && composer.hasMoreAbove) return style.dim(symbols.up);
  if (isLast && composer.hasMoreBelow) return style.dim(symbols.down);
  return index === 0 ? style.cyan(symbols.mark) : ' ';
}

/** The draft; the terminal's cursor is its caret. */
export function Composer({ composer }: { readonly composer: ComposerView }): ReactNode {
  const appearance = useAppearance();
  const { style, symbols, columns } = appearance;
  const isEmpty = composer.rows.every((row) => row === '');
  const rows = isEmpty
    ? [style.dim(shorten(composer.placeholder, columns - composerMarkColumns, symbols))]
    : composer.rows;
  return (
    <Lines lines={rows.map((row, index) => `${markOf(composer, index, appearance)} ${row}`)} />
  );
}

export function SearchLine({ search }: { readonly search: SearchView }): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const label = search.found ? 'history: ' : 'not in the history: ';
  const query = shorten(search.query, columns - label.length, symbols);
  return <Row>{(search.found ? style.dim(label) : style.yellow(label)) + query}</Row>;
}

/** Index of the first visible candidate, so that the selected one is visible. */
function firstVisible({ candidates, selected }: CompletionView, rows: number): number {
  const centred = selected - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, candidates.length - rows));
}

interface CompletionMenuProps {
  readonly menu: CompletionView;
  readonly rows: number;
}

/** The candidates around the selected one. */
export function CompletionMenu({ menu, rows }: CompletionMenuProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const first = firstVisible(menu, rows);
  const shown = menu.candidates.slice(first, first + rows);
  const widest = Math.max(0, ...shown.map(({ label }) => displayWidth(label)));
  const labelColumns = Math.min(widest, Math.floor(columns / 2));
  const lines = shown.map(({ label, summary = '' }, index) => {
    const isSelected = first + index === menu.selected;
    const mark = isSelected ? symbols.mark : ' ';
    const name = padToWidth(shorten(label, labelColumns, symbols), labelColumns);
    const rest = shorten(summary, columns - labelColumns - 4, symbols);
    return `${mark} ${isSelected ? style.bold(name) : name}  ${style.dim(rest)}`;
  });
  return <Lines lines={lines} />;
}

const maxTitleColumns = 30;
const minTitleColumns = 10;

/** `1,204 of 128,000 tokens (1%)`. */
function contextText({ contextUsed, contextWindow, isEstimate }: FooterView): string {
  if (contextWindow === undefined) return tokenText(contextUsed, isEstimate);
  const used = `${isEstimate ? '~' : ''}${count(contextUsed)}`;
  return `${used} of ${tokenText(contextWindow)} (${percent(contextUsed, contextWindow)})`;
}

const nearlyFull = 0.8;

/** Conversation, model, context use, and the last answer's usage. */
export function Footer({ footer }: { readonly footer: FooterView }): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const title = shorten(footer.conversation, maxTitleColumns, symbols);
  const parts = [
    { text: title, priority: 1, minColumns: minTitleColumns },
    { text: footer.source ?? '', priority: 3 },
    { text: footer.model, priority: 2 },
    { text: contextText(footer), priority: 4 },
    { text: footer.usage ?? '', priority: 0 },
  ];
  const line = fitParts(parts, columns, symbols);
  const { contextUsed, contextWindow } = footer;
  const isNear = contextWindow !== undefined && contextUsed >= contextWindow * nearlyFull;
  return <Row>{isNear ? style.yellow(line) : style.dim(line)}</Row>;
}

interface PartsProps {
  readonly model: ViewModel;
  readonly budget: RowBudget;
}

/** The composer with its menus and notices, or the dialog in its place. */
function Input({ model, budget }: PartsProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const { attachments, search, completion, notice } = model;
  if (model.dialog !== undefined) return <DialogBox dialog={model.dialog} />;
  const files = shorten(`with ${attachments.join(', ')}`, columns, symbols);
  return (
    <>
      <Composer composer={model.composer} />
      {budget.attachments > 0 ? <Row>{style.dim(files)}</Row> : null}
      {budget.search > 0 && search ? <SearchLine search={search} /> : null}
      {budget.completion > 0 && completion ? (
        <CompletionMenu menu={completion} rows={budget.completion} />
      ) : null}
      {budget.notice > 0 && notice !== undefined ? (
        <Row>{style.yellow(shorten(notice, columns, symbols))}</Row>
      ) : null}
    </>
  );
}

export interface AppProps extends PartsProps {
  readonly appearance: Appearance;
}

/** The live region below the status row. */
export function App({ model, budget, appearance }: AppProps): ReactNode {
  return (
    <AppearanceProvider value={appearance}>
      <Box flexDirection="column" width={appearance.columns}>
        {budget.queue > 0 ? (
          <Queue prompts={model.queue} isPaused={model.isQueuePaused} rows={budget.queue} />
        ) : null}
        <Input model={model} budget={budget} />
        {budget.footer > 0 ? <Footer footer={model.footer} /> : null}
      </Box>
    </AppearanceProvider>
  );
}
