import { unchanged } from '../../output/answer-printer.ts';
import type { ComparisonView } from '../../output/comparison/comparison-view.ts';
import {
  createComparisonDocument,
  createComparisonLines,
} from '../../output/comparison/json-comparison.ts';
import { createStackedAnswers } from '../../output/comparison/stacked-answers.ts';
import type { AnswerFormat } from '../../output/answer-format.ts';
import { columnWidth } from '../../terminal/text/columns.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { terminalTraits } from '../../terminal/device/traits.ts';
import { createTextOutput } from '../print/answer-output.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { CompareOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import type { Presentation } from '../print/presentation.ts';

export interface CompareViewOptions {
  readonly context: Context;
  readonly presentation: Presentation;
  readonly options: CompareOptions;
  readonly format: AnswerFormat;
  readonly labels: readonly string[];
}

/** Two columns of this width fit a terminal of 80. */
const narrowestColumn = 38;

/** Answers stand side by side on a terminal that is wide enough and can be drawn on. */
export function showsColumns(viewOptions: CompareViewOptions): boolean {
  const { context, presentation, options, format, labels } = viewOptions;
  const isShown = format === 'markdown' || format === 'plain';
  if (!isShown || !presentation.drawsOutput || options.stacked === true) return false;
  return columnWidth(context.streams.stdout.columns(), labels.length) >= narrowestColumn;
}

async function openColumns(viewOptions: CompareViewOptions): Promise<ComparisonView> {
  const { context, presentation, format, labels } = viewOptions;
  const { clock, device, streams, environment } = context;
  const { style, unicode } = presentation;
  const { createAnswerColumns } = await import('../../output/comparison/answer-columns.ts');
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  return createAnswerColumns({
    ...terminalTraits(environment),
    output: streams.stdout,
    clock,
    device,
    style,
    unicode,
    labels: labels.map(sanitizeLine),
    // Links would be cut where a row ends.
    transform: (width) =>
      format === 'plain'
        ? unchanged
        : createMarkdownStream({ style, width, hyperlinks: false, unicode }),
  });
}

async function openStacked(viewOptions: CompareViewOptions): Promise<ComparisonView> {
  const { context, presentation, labels } = viewOptions;
  const outputs = await Promise.all(labels.map(() => createTextOutput(viewOptions)));
  return createStackedAnswers({
    stdout: context.streams.stdout,
    style: presentation.style,
    labels: labels.map(sanitizeLine),
    printers: outputs.map(({ printer }) => printer),
    removed: () => outputs.reduce((sum, output) => sum + output.removed(), 0),
  });
}

/** How the answers are shown, by format and terminal. */
export function openView(
  viewOptions: CompareViewOptions,
): Promise<ComparisonView> | ComparisonView {
  const { context, format, labels } = viewOptions;
  const { stdout } = context.streams;
  const clean = (text: string) => cleanLine(context, text);
  if (format === 'json') return createComparisonDocument(stdout, clean);
  if (format === 'jsonl') return createComparisonLines(stdout, labels, clean);
  return showsColumns(viewOptions) ? openColumns(viewOptions) : openStacked(viewOptions);
}
