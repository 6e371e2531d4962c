import { Box } from 'ink';
import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { shownText } from '../composer/paste.ts';
import type { ReplState } from '../state.ts';
import { CompletionMenu, completionView } from './CompletionMenu.tsx';
import { Composer, SearchLines } from './Composer.tsx';
import { DialogBox, dialogOf } from './DialogBox.tsx';
import { shorten } from './fit-parts.ts';
import type { Parts } from './fit-view.ts';
import { footerRow, type FooterView, footerOf } from './footer-row.ts';
import { AppearanceProvider, useAppearance, type Appearance, Lines, Row } from './Rows.tsx';
import { statusRow, statusOf, hintKeysOf } from './status-row.ts';

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

/** Separates the conversation from the composer. A row of full width would be two rows after a resize. */
function Rule(): ReactNode {
  const { style, symbols, columns } = useAppearance();
  return <Row>{style.dim(symbols.rule.repeat(Math.ceil(columns / 3)))}</Row>;
}

/** The files of the next prompt; and the command that removes them, if there is room. */
function Attachments({ files }: { readonly files: ReplState['attachments'] }): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const named = `with ${files.map(({ name }) => sanitizeLine(name)).join(', ')}`;
  const whole = `${named}; /attach none removes ${files.length === 1 ? 'it' : 'them'}`;
  const shown = displayWidth(whole) <= columns ? whole : named;
  return <Row>{style.dim(shorten(shown, columns, symbols))}</Row>;
}

/** Its first rows, and how many more there are. */
function Panel({ lines, rows }: { lines: readonly string[]; rows: number }): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const hidden = lines.length > rows ? lines.length - rows + 1 : 0;
  const shown = lines.slice(0, lines.length - hidden);
  const all = hidden === 0 ? shown : [...shown, `${hidden} more rows`];
  return <Lines lines={all.map((line) => style.dim(shorten(line, columns, symbols)))} />;
}

interface PartsProps {
  readonly state: ReplState;
  readonly parts: Parts;
}

/** The composer with its menus and notices, or the dialog in its place. */
function Input({ state, parts }: PartsProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const { attachments, completion } = state;
  const { budget, composer, search, panel, notice = '' } = parts;
  const dialog = dialogOf(state);
  if (dialog !== undefined) return <DialogBox dialog={dialog} />;
  return (
    <>
      <Composer composer={composer} />
      {budget.attachments > 0 && <Attachments files={attachments} />}
      {budget.search > 0 && search && <SearchLines search={search} rows={budget.search} />}
      {budget.completion > 0 && completion && (
        <CompletionMenu menu={completionView(completion, state.columns)} rows={budget.completion} />
      )}
      {budget.panel > 0 && <Panel lines={panel} rows={budget.panel} />}
      {budget.notice > 0 && <Row>{style.yellow(shorten(notice, columns, symbols))}</Row>}
    </>
  );
}

export interface AppProps extends PartsProps {
  readonly appearance: Appearance;
  /** Milliseconds; they turn the spinner. */
  readonly now: number;
}

/** The live region below the preview of the answer's end. */
export function App({ state, parts, appearance, now }: AppProps): ReactNode {
  const { budget } = parts;
  const queued = state.queue.map((draft) => sanitizeLine(shownText(draft)));
  return (
    <AppearanceProvider value={appearance}>
      <Box flexDirection="column" width={appearance.columns}>
        {budget.gap > 0 && <Row>{''}</Row>}
        {budget.status > 0 && (
          <Row>{statusRow(statusOf(state), appearance, now, hintKeysOf(state))}</Row>
        )}
        {budget.queue > 0 && (
          <Queue prompts={queued} isPaused={state.isQueuePaused} rows={budget.queue} />
        )}
        {budget.margin > 0 && <Row>{''}</Row>}
        {budget.rule > 0 && <Rule />}
        <Input state={state} parts={parts} />
        {budget.footer > 0 && <Footer footer={footerOf(state)} />}
      </Box>
    </AppearanceProvider>
  );
}

/** Conversation, model and context use. */
export function Footer({ footer }: { readonly footer: FooterView }): ReactNode {
  return <Row>{footerRow(footer, useAppearance())}</Row>;
}
