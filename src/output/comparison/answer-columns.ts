import {
  createColumns,
  columnWidth,
  joinCells,
  type Columns,
} from '../../terminal/text/columns.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import {
  LiveRegion,
  type LiveRegionOptions,
  type RegionPlace,
} from '../../terminal/region/region.ts';
import type { Frame } from '../../terminal/region/paint.ts';
import { createSanitizer, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Style } from '../../terminal/style.ts';
import type { Clock } from '../../clock.ts';
import type { TextTransform } from '../../terminal/markdown/block-driver.ts';
import { endReasonOf, type ComparedAnswer, type ComparisonView } from './comparison-view.ts';
import { beginProgress, progressText, withEvent, type AnswerProgress } from './answer-progress.ts';

export interface AnswerColumnsOptions extends Omit<LiveRegionOptions, 'clock'> {
  readonly clock: Clock;
  readonly device: Pick<
    TerminalDevice,
    'onResize' | 'onSuspend' | 'suspend' | 'onContinue' | 'onExit' | 'writeNow'
  >;
  readonly style: Style;
  readonly unicode: boolean;
  /** Safe to show. */
  readonly labels: readonly string[];
  /** Creates the formatter of a column, given its width. */
  readonly transform: (width: () => number) => TextTransform;
}

/** Rows shown before the slowest answer has reached them. */
const maxPreviewRows = 10;
/** Milliseconds between two ticks. */
const interval = 500;

interface Shown {
  readonly options: AnswerColumnsOptions;
  readonly columns: Columns;
  readonly progress: AnswerProgress[];
}

const separator = ({ style, unicode }: AnswerColumnsOptions) =>
  ` ${style.dim(unicode ? '│' : '|')} `;

/** A line across all columns. */
function ruleRow({ style, unicode, labels }: AnswerColumnsOptions, width: number): string {
  const [dash, cross] = unicode ? ['─', '─┼─'] : ['-', '-+-'];
  return style.dim(labels.map(() => dash.repeat(width)).join(cross));
}

function headRows(options: AnswerColumnsOptions): readonly string[] {
  const { labels, style, output } = options;
  const width = columnWidth(output.columns(), labels.length);
  const cells = labels.map((label) => style.bold(label));
  return [joinCells(cells, width, separator(options)), ruleRow(options, width)];
}

/** The rows ahead of the slowest answer, and below a line the progress of each answer. */
function frameOf({ options, columns, progress }: Shown, place: RegionPlace): Frame {
  const { style, clock, labels } = options;
  const width = columnWidth(place.columns, labels.length);
  const now = clock.monotonic();
  const room = Math.max(0, Math.min(maxPreviewRows, place.rows - 4));
  const cells = progress.map((one) => style.dim(progressText(one, now, width)));
  const rows = [
    ...columns.preview(place.columns, room),
    ruleRow(options, width),
    joinCells(cells, width, separator(options)),
  ];
  // A visible cursor needs no restoring if natter is killed.
  return { rows, caret: { row: rows.length - 1, column: 0 } };
}

async function keepTime(clock: Clock, signal: AbortSignal, draw: () => void): Promise<void> {
  try {
    for (;;) {
      draw();
      await clock.sleep(interval, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Handles resize, suspend, resume and exit. @returns a function that removes the listeners */
function watchTerminal(device: AnswerColumnsOptions['device'], region: LiveRegion): () => void {
  const takeSuspends = () =>
    device.onSuspend(() => {
      giveBack();
      region.suspend();
      device.suspend(() => {
        region.resume();
        giveBack = takeSuspends();
      });
    });
  let giveBack = takeSuspends();
  const undo = [
    device.onResize(() => region.resized()),
    // Stopped without notice: the shell has written below the region.
    device.onContinue(() => region.forget()),
    device.onExit(() => device.writeNow(region.abandon())),
  ];
  return () => {
    giveBack();
    for (const act of undo) act();
  };
}

function openRegion(shown: Shown) {
  const { options, columns } = shown;
  const { device, output, clock } = options;
  const region = new LiveRegion(options);
  const ending = new AbortController();
  const draw = () => region.render((place) => frameOf(shown, place));
  const stopWatching = watchTerminal(device, region);
  region.commit(`${headRows(options).join('\n')}\n`);
  void keepTime(clock, ending.signal, draw);
  const commit = () => {
    const rows = columns.takeRows(output.columns());
    if (rows.length > 0) region.commit(`${rows.join('\n')}\n`);
  };
  return {
    /** Shows new text. @returns a promise while the terminal is slow */
    refresh() {
      commit();
      draw();
      return region.slowness();
    },
    close() {
      ending.abort('closed');
      commit();
      stopWatching();
      region.close();
    },
  };
}

function createChannels({ labels, output, transform }: AnswerColumnsOptions, columns: Columns) {
  const width = () => columnWidth(output.columns(), labels.length);
  const channels = labels.map(() => {
    return { sanitizer: createSanitizer(), text: transform(width), isOver: false };
  });
  return {
    async receive(index: number, text: string) {
      const channel = channels[index];
      if (channel === undefined || channel.isOver) return;
      columns.write(index, await channel.text.write(channel.sanitizer.write(text)));
    },
    /** Ends a column, once. */
    async end(index: number, mark: string) {
      const channel = channels[index];
      if (channel === undefined || channel.isOver) return;
      channel.isOver = true;
      columns.write(index, await channel.text.write(channel.sanitizer.end()));
      columns.write(index, (await channel.text.end()) + mark);
      columns.end(index);
    },
    removed: () => channels.reduce((sum, { sanitizer }) => sum + sanitizer.removed, 0),
  };
}

/** The end of a column whose answer did not finish. */
function cutMark(answer: ComparedAnswer, style: Style): string {
  if (answer.metadata.complete) return '';
  const text = style.red(
    `(${answer.content === '' ? 'no answer' : 'cut'}: ${endReasonOf(answer)})`,
  );
  return answer.content === '' ? text : `\n${text}`;
}

/**
 * Shows answers side by side while they stream. A row is written to the scrollback once every answer has reached it;
 * later rows and the progress of each answer are in the live region below, which is all that is ever erased.
 */
export function createAnswerColumns(options: AnswerColumnsOptions): ComparisonView {
  const { labels, clock, style } = options;
  const columns = createColumns(labels.length, separator(options));
  const progress = labels.map(() => beginProgress(clock.monotonic()));
  const channels = createChannels(options, columns);
  const region = openRegion({ options, columns, progress });
  const advance = (index: number, change: (before: AnswerProgress) => AnswerProgress) => {
    const before = progress[index];
    if (before !== undefined) progress[index] = change(before);
  };
  return {
    async event(index, event) {
      advance(index, (before) => withEvent(before, event, clock.monotonic()));
      if (event.type === 'text-received') await channels.receive(index, event.text);
      await region.refresh();
    },
    async ended(index, answer) {
      const endReason = sanitizeLine(endReasonOf(answer));
      advance(index, (before) => ({ ...before, phase: 'ended', endReason }));
      await channels.end(index, cutMark(answer, style));
      await region.refresh();
    },
    async close() {
      for (const index of labels.keys()) await channels.end(index, '');
      region.close();
    },
    removed: () => channels.removed(),
  };
}
