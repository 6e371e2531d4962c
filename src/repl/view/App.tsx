import { Box } from 'ink';
import type { ReactNode } from 'react';
import { displayWidth, padToWidth, splitAtWidth } from '../../terminal/text/width.ts';
import { composerMarkColumns } from '../composer/layout.ts';
import { AppearanceProvider, useAppearance, type Appearance } from './appearance.ts';
import { DialogBox } from './DialogBox.tsx';
import { shorten } from './fit-parts.ts';
import type { RowBudget } from './fit-view.ts';
import { CompletionMenu } from './CompletionMenu.tsx';
import { footerRow } from './footer-row.ts';
import { Lines, Row } from './Rows.tsx';
import type { Columns, ComposerView, FooterView, SearchView, ViewModel } from './view-model.ts';

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

/** Inverted, also without colours. */
function withSelection(row: string, selected: Columns | undefined): string {
  if (selected === undefined) return row;
  const [before, rest] = splitAtWidth(padToWidth(row, selected.to), selected.from);
  const [inside, after] = splitAtWidth(rest, selected.to - selected.from);
  return `${before}\u001B[7m${inside}\u001B[27m${after}`;
}

/** The draft; the terminal's cursor is its caret. */
export function Composer({ composer }: { readonly composer: ComposerView }): ReactNode {
  const appearance = useAppearance();
  const { style, symbols, columns } = appearance;
  const isEmpty = composer.rows.every((row) => row === '');
  const rows = isEmpty
    ? [style.dim(shorten(composer.placeholder, columns - composerMarkColumns, symbols))]
    : composer.rows.map((row, index) => withSelection(row, composer.selections?.[index]));
  return (
    <Lines lines={rows.map((row, index) => `${markOf(composer, index, appearance)} ${row}`)} />
  );
}

interface SearchLinesProps {
  readonly search: SearchView;
  readonly rows: number;
}

/** What is searched for, and the next older matches. */
export function SearchLines({ search, rows }: SearchLinesProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const failed = search.isMatching ? 'no other match: ' : 'not in the history: ';
  const label = search.found ? 'history: ' : failed;
  const query = shorten(search.query, columns - label.length, symbols);
  const older = search.older
    .slice(0, rows - 1)
    .map((text) => style.dim(`  ${shorten(text, columns - composerMarkColumns, symbols)}`));
  const first = (search.found ? style.dim(label) : style.yellow(label)) + query;
  return <Lines lines={[first, ...older]} />;
}

/** Conversation, model and context use. */
export function Footer({ footer }: { readonly footer: FooterView }): ReactNode {
  return <Row>{footerRow(footer, useAppearance())}</Row>;
}

/** Separates the conversation from the composer. A row of full width would be two rows after a resize. */
function Rule(): ReactNode {
  const { style, symbols, columns } = useAppearance();
  return <Row>{style.dim(symbols.rule.repeat(Math.ceil(columns / 3)))}</Row>;
}

interface PartsProps {
  readonly model: ViewModel;
  readonly budget: RowBudget;
}

/** Names the attachments; and the command that removes them, if there is room. */
function attachmentRow(names: readonly string[], columns: number): string {
  const files = `with ${names.join(', ')}`;
  const whole = `${files}; /attach none removes ${names.length === 1 ? 'it' : 'them'}`;
  return displayWidth(whole) <= columns ? whole : files;
}

/** The composer with its menus and notices, or the dialog in its place. */
function Input({ model, budget }: PartsProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const { attachments, search, completion, notice } = model;
  if (model.dialog !== undefined) return <DialogBox dialog={model.dialog} />;
  const files = shorten(attachmentRow(attachments, columns), columns, symbols);
  return (
    <>
      <Composer composer={model.composer} />
      {budget.attachments > 0 ? <Row>{style.dim(files)}</Row> : null}
      {budget.search > 0 && search ? <SearchLines search={search} rows={budget.search} /> : null}
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
        {budget.margin > 0 ? <Row>{''}</Row> : null}
        {budget.rule > 0 ? <Rule /> : null}
        <Input model={model} budget={budget} />
        {budget.footer > 0 ? <Footer footer={model.footer} /> : null}
      </Box>
    </AppearanceProvider>
  );
}
