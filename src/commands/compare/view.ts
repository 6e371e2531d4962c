import { unchanged } from '../../output/answer-printer.ts';
import type { ComparisonView } from '../../output/comparison/comparison-view.ts';
import {
  createComparisonDocument,
  createComparisonLines,
} from '../../output/comparison/json-comparison.ts';
import { createStackedAnswers } from '../../output/comparison/stacked-answers.ts';
import { columnWidth } from '../../terminal/text/columns.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { terminalTraits } from '../../terminal/device/traits.ts';
import { answerStyle, createTextOutput, lookOf } from '../print/answer-output.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import type { Comparison } from './models.ts';

/** Two columns of this width fit into 80 columns of a terminal. */
const minColumnWidth = 38;

/** Whether the answers are shown side by side: on a terminal that is wide enough and can redraw rows. */
export function showsColumns(comparison: Comparison): boolean {
  const { context, presentation, options, format, models } = comparison;
  const isShown = format === 'markdown' || format === 'plain';
  if (!isShown || !presentation.drawsOutput || options.stacked === true) return false;
  return columnWidth(context.streams.stdout.columns(), models.length) >= minColumnWidth;
}

const labelsOf = ({ models }: Comparison) => models.map(({ label }) => label);

/** The looks of the settings of the first model. */
const look = ({ models: [first] }: Comparison) =>
  first === undefined ? {} : lookOf(first.settings);

async function openColumns(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, format, models } = comparison;
  const { clock, device, streams, environment } = context;
  const { style: own, unicode } = presentation;
  const { createAnswerColumns } = await import('../../output/comparison/answer-columns.ts');
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  const wrap = models[0]?.settings.values.wrap ?? 'words';
  const style = await answerStyle(presentation, look(comparison));
  return createAnswerColumns({
    ...terminalTraits(environment),
    output: streams.stdout,
    clock,
    device,
    style: own,
    unicode,
    labels: labelsOf(comparison).map(sanitizeLine),
    // The end of a row would cut links.
    transform: (width) =>
      format === 'plain'
        ? unchanged
        : createMarkdownStream({ style, width, hyperlinks: false, unicode, wrap }),
  });
}

async function openStacked(comparison: Comparison): Promise<ComparisonView> {
  const { context, presentation, models } = comparison;
  const looks = { ...comparison, ...look(comparison) };
  const outputs = await Promise.all(models.map(() => createTextOutput(looks)));
  return createStackedAnswers({
    stdout: context.streams.stdout,
    style: presentation.style,
    labels: labelsOf(comparison).map(sanitizeLine),
    printers: outputs.map(({ printer }) => printer),
    removed: () => outputs.reduce((sum, output) => sum + output.removed(), 0),
  });
}

export function openView(comparison: Comparison): Promise<ComparisonView> | ComparisonView {
  const { context, format } = comparison;
  const { stdout } = context.streams;
  const clean = (text: string) => cleanLine(context, text);
  if (format === 'json') return createComparisonDocument(stdout, clean);
  if (format === 'jsonl') return createComparisonLines(stdout, labelsOf(comparison), clean);
  return showsColumns(comparison) ? openColumns(comparison) : openStacked(comparison);
}
