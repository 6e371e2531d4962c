import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { ViewModel } from './view-model.ts';
import { AppearanceProvider, useAppearance, type Appearance } from './appearance.ts';
import { CompletionMenu } from './CompletionMenu.tsx';
import { Composer } from './Composer.tsx';
import { DialogBox } from './DialogBox.tsx';
import { shorten } from './fit-parts.ts';
import type { RowBudget } from './fit-view.ts';
import { Footer } from './Footer.tsx';
import { Queue } from './Queue.tsx';
import { Row } from './Rows.tsx';
import { SearchLine } from './SearchLine.tsx';

interface PartsProps {
  readonly model: ViewModel;
  readonly budget: RowBudget;
}

export interface AppProps extends PartsProps {
  readonly appearance: Appearance;
}

/** Attached files and the notice. */
function Remarks({ model, budget }: PartsProps): ReactNode {
  const { style, signs, columns } = useAppearance();
  const { attachments, notice } = model;
  const files = shorten(`with ${attachments.join(', ')}`, columns, signs);
  return (
    <>
      {budget.attachments > 0 ? <Row>{style.dim(files)}</Row> : null}
      {budget.search > 0 && model.search ? <SearchLine search={model.search} /> : null}
      {budget.completion > 0 && model.completion ? (
        <CompletionMenu menu={model.completion} rows={budget.completion} />
      ) : null}
      {budget.notice > 0 && notice !== undefined ? (
        <Row>{style.yellow(shorten(notice, columns, signs))}</Row>
      ) : null}
    </>
  );
}

/** The composer, or the dialog in its place, with menus. */
function Input({ model, budget }: PartsProps): ReactNode {
  if (model.dialog !== undefined) return <DialogBox dialog={model.dialog} />;
  return (
    <>
      <Composer composer={model.composer} />
      <Remarks model={model} budget={budget} />
    </>
  );
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
