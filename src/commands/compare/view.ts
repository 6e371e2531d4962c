import type { ChatEvent } from '../../client/events.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { unchanged } from '../../output/answer-printer.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';
import {
  createComparisonDocument,
  createComparisonLines,
} from '../../output/comparison/json-comparison.ts';
import { createStackedAnswers } from '../../output/comparison/stacked-answers.ts';
import type { AnswerFormat } from '../../output/answer-format.ts';
import { receiveAnswer } from '../../output/receive-answer.ts';
import { columnWidth } from '../../terminal/text/columns.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { terminalTraits } from '../../terminal/device/traits.ts';
import type { WrapMode } from '../../terminal/markdown/markdown-stream.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { ThemeName } from '../../terminal/themes.ts';
import { answerStyle, createTextOutput } from '../print/answer-output.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import { withRequestHint } from '../program/report.ts';

export interface CompareViewOptions {
  readonly context: Context;
  readonly presentation: Presentation;
  /** Never in columns. */
  readonly stacked: boolean;
  readonly format: AnswerFormat;
  readonly labels: readonly string[];
  readonly wrap: WrapMode;
  readonly theme: ThemeName;
  readonly ownColors: ResolvedSettings['colors'];
}

/** Two columns of this width fit into 80 columns of a terminal. */
const minColumnWidth = 38;

/** Whether the answers are shown side by side: on a terminal that is wide enough and can redraw rows. */
export function showsColumns(viewOptions: CompareViewOptions): boolean {
  const { context, presentation, stacked, format, labels } = viewOptions;
  const isShown = format === 'markdown' || format === 'plain';
  if (!isShown || !presentation.drawsOutput || stacked) return false;
  return columnWidth(context.streams.stdout.columns(), labels.length) >= minColumnWidth;
}

async function openColumns(viewOptions: CompareViewOptions): Promise<ComparisonView> {
  const { context, presentation, format, labels, wrap } = viewOptions;
  const { clock, device, streams, environment } = context;
  const { style: own, unicode } = presentation;
  const { createAnswerColumns } = await import('../../output/comparison/answer-columns.ts');
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  const style = await answerStyle(presentation, viewOptions);
  return createAnswerColumns({
    ...terminalTraits(environment),
    output: streams.stdout,
    clock,
    device,
    style: own,
    unicode,
    labels: labels.map(sanitizeLine),
    // The end of a row would cut links.
    transform: (width) =>
      format === 'plain'
        ? unchanged
        : createMarkdownStream({ style, width, hyperlinks: false, unicode, wrap }),
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

export interface ShowAnswerOptions {
  readonly index: number;
  readonly label: string;
  readonly settings: Pick<ResolvedSettings, 'values' | 'apiKey'>;
  readonly view: ComparisonView;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Undefined for a stopped answer. @throws errors that are not a Failure, unless `signal` is aborted */
export function answerFailure(
  error: unknown,
  signal: AbortSignal,
  settings: Pick<ResolvedSettings, 'apiKey'>,
): Failure | undefined {
  if (error instanceof Failure) return withRequestHint(error, settings);
  if (!signal.aborted) throw error;
  return undefined;
}

/** Failed and stopped answers are results, too. @throws errors that are not a Failure, unless `signal` is aborted */
export async function showAnswer(
  events: AsyncIterable<ChatEvent>,
  { index, label, settings, view, clock, signal }: ShowAnswerOptions,
): Promise<ComparedAnswer> {
  const received = await receiveAnswer(events, {
    clock,
    show: (event) => view.event(index, event),
    failureOf: (error) => answerFailure(error, signal, settings),
  });
  const answer = { label, model: settings.values.model, ...received };
  await view.ended(index, answer);
  return answer;
}
