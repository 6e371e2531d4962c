// Shows the answers of several models: as JSON, one below the other, or side by side.
import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';
import type { Context, Presentation } from '../run.ts';
import type { TerminalDevice } from '../terminal/device/device.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import { terminalTraits } from '../terminal/device/terminal-kind.ts';
import type { TextTransform } from '../terminal/markdown/block-driver.ts';
import { LiveRegion } from '../terminal/region/region.ts';
import { createSanitizer, sanitizeLine } from '../terminal/safety/sanitizer.ts';
import type { Style } from '../terminal/style.ts';
import { padToWidth, truncateToWidth } from '../terminal/text/width.ts';
import { firstRow, type Line, rowsOf } from '../terminal/text/wrap.ts';
import { retryText } from './activity.ts';
import type { AnswerOutcome } from './answer-meter.ts';
import { heading, jsonLinesPrinter, type TextPrinter } from './answer-printer.ts';
import { stoppedAnswer } from './ending-failure.ts';
import { answerTokens, count, seconds, tokensPerSecond, tokenText } from './figures.ts';
import { answerLine } from './json-answer.ts';

/** The answer of one model, or why it is missing; the failure is undefined too if the user stopped it. */
export interface ComparedAnswer extends AnswerOutcome {
  /** The model as named by the user, with a number if it is compared with itself. */
  readonly label: string;
  readonly model: string;
}

/** Shows several answers while they stream, identified by their index in the requested order. */
export interface ComparisonView {
  /** A promise is returned while the reader is slow: await it before the next event of this answer. */
  event(index: number, event: ChatEvent): Promise<void> | undefined;
  ended(index: number, answer: ComparedAnswer): Promise<void> | undefined;
  /** Call after the last event of all answers. */
  close?(): Promise<void>;
  /** The number of control sequences and hidden characters removed so far, for a terminal. */
  removed?(): number;
}

/** The service's finish reason, or why the answer was cut, in one word. */
export function endReasonOf({ metadata, failure }: ComparedAnswer): string {
  if (failure !== undefined) return failure.kind;
  return metadata.complete ? (metadata.finishReason ?? '-') : 'stopped';
}

/** In JSON, an answer that the user stopped has a failure, too. */
function withCause(answer: ComparedAnswer): ComparedAnswer {
  const { failure, metadata } = answer;
  return { ...answer, failure: failure ?? (metadata.complete ? undefined : stoppedAnswer()) };
}

/**
 * One document when all answers have ended: `{answers: [{asked, …, tokens_per_second}]}`, each with the fields of
 * `natter --json`, and `error` if it is incomplete.
 */
export function createComparisonDocument(context: Context): ComparisonView {
  const answers: ComparedAnswer[] = [];
  return {
    event: () => undefined,
    ended: (index, answer) => void (answers[index] = answer),
    close: async () => {
      const documents = answers.map((answer) => {
        const { label, model, content, metadata } = answer;
        const { usage, timing } = metadata;
        const { tokens, isEstimate } = answerTokens({ usage, content });
        const speed = {
          tokens_per_second: tokensPerSecond(tokens, timing) ?? null,
          tokens_estimated: isEstimate ? true : undefined,
        };
        return answerLine(withCause(answer), model, context, speed, label).trimEnd();
      });
      await context.streams.stdout.write(`{"answers":[${documents.join(',')}]}\n`);
    },
  };
}

/** The lines of `natter --jsonl` as they happen, each with the requested model in `asked`. */
export function createComparisonLines(context: Context, labels: readonly string[]): ComparisonView {
  const printers = labels.map((label) => jsonLinesPrinter(context, undefined, label));
  return {
    event: (index, event) => printers[index]?.event(event),
    ended: (index, answer) => printers[index]?.end(withCause(answer)),
  };
}

/** Whether an event is shown as the answer: its text, and its end. */
export const isOfAnswer = ({ type }: ChatEvent) =>
  type === 'text-received' || type === 'answer-finished';

/**
 * Prints answers in the requested order: the first while it streams, the others from a buffer. An answer without text
 * has no heading.
 * @param answers their labels are safe to show
 */
export function createStackedAnswers(
  stdout: OutputStream,
  style: Style,
  answers: readonly { readonly label: string; readonly printer: TextPrinter }[],
) {
  const slots = answers.map((answer) => {
    return { ...answer, waiting: [] as ChatEvent[], isOpen: false, isOver: false };
  });
  let separator = '';
  let current = 0;
  let order: Promise<void> = Promise.resolve();
  const printWaiting = async () => {
    for (let slot = slots[current]; slot !== undefined; slot = slots[current]) {
      for (const event of slot.waiting.splice(0)) {
        if (!slot.isOpen) await stdout.write(separator + heading(slot.label, style));
        separator = '\n';
        slot.isOpen = true;
        await slot.printer.event(event);
      }
      if (!slot.isOver) return;
      await slot.printer.end();
      current += 1;
    }
  };
  const advance = () => (order = order.then(printWaiting));
  return {
    removed: () => slots.reduce((sum, { printer }) => sum + (printer.removed?.() ?? 0), 0),
    event(index, event) {
      if (isOfAnswer(event)) slots[index]?.waiting.push(event);
      return index === current ? advance() : undefined;
    },
    ended(index) {
      const slot = slots[index];
      if (slot !== undefined) slot.isOver = true;
      return advance();
    },
    async close() {
      for (const slot of slots) slot.isOver = true;
      await advance();
    },
  } satisfies ComparisonView;
}

/** Rows shown before the slowest answer has reached them. */
const maxPreviewRows = 10;
/** Milliseconds between two ticks of the progress. */
const interval = 500;

/** Handles resize, suspend, resume and exit. @returns a function that removes the listeners */
function watchTerminal(device: TerminalDevice, region: LiveRegion): () => void {
  const takeSuspends = () =>
    device.on('SIGTSTP', () => {
      giveBack();
      region.suspend();
      device.suspend(() => {
        region.resume();
        giveBack = takeSuspends();
      });
    });
  let giveBack = takeSuspends();
  const undo = [
    device.on('resize', () => region.resized()),
    // Stopped without notice: the shell has written below the region.
    device.on('SIGCONT', () => region.forget()),
    device.on('exit', () => device.writeNow(region.abandon())),
  ];
  return () => {
    giveBack();
    for (const act of undo) act();
  };
}

/** A speed is meaningless below one second. */
const minStream = 1000;

/** What one answer does: the wait, the retry, or the speed of its text. */
function createAnswerProgress(clock: Clock) {
  const since = clock.monotonic();
  let last = since;
  let firstText: number | undefined;
  /** Estimated from the text so far. */
  let tokens = 0;
  let retry: (() => string) | undefined;
  let endReason: string | undefined;
  const amount = () => {
    const streaming = last - (firstText ?? last);
    const rate = count(Math.round((tokens / streaming) * 1000));
    return tokenText(tokens, true) + (streaming < minStream ? '' : ` · ~${rate} tokens/s`);
  };
  return {
    event(event: ChatEvent): void {
      const now = clock.monotonic();
      last = now;
      if (event.type === 'answer-started') retry = undefined;
      if (event.type === 'retry-scheduled') retry = () => retryText(event, clock.monotonic() - now);
      if (event.type === 'text-received') {
        firstText ??= now;
        tokens += estimateTokens(event.text);
      }
    },
    end(reason: string): void {
      endReason = reason;
    },
    text(): string {
      if (endReason !== undefined) return `${endReason} · ${seconds(last - since)} · ${amount()}`;
      if (retry !== undefined) return retry();
      const waited = Math.floor((clock.monotonic() - since) / 1000);
      const state = firstText === undefined ? 'waiting' : amount();
      return waited > 0 ? `${state} · ${waited} s` : state;
    },
  };
}

/**
 * Shows answers side by side while they stream. A row is written to the scrollback once every answer has reached it;
 * later rows and the progress of each answer are in the live region below, which is all that is ever erased.
 */
export function createAnswerColumns(
  { clock, device, environment, streams: { stdout: output } }: Context,
  { style, unicode }: Presentation,
  /** Safe to show. */
  labels: readonly string[],
  /** Creates the formatter of a column, given its width. */
  transform: (width: () => number) => TextTransform,
) {
  const separator = ` ${style.dim(unicode ? '│' : '|')} `;
  const widthIn = (window: number) => columnWidth(window, labels.length);
  const answers = labels.map(() => ({
    column: createTextColumn(transform(() => widthIn(output.columns()))),
    progress: createAnswerProgress(clock),
  }));
  const columns = answers.map(({ column }) => column);
  const region = new LiveRegion({ output, clock, traits: terminalTraits(environment) });
  const stopWatching = watchTerminal(device, region);

  /** One row of cells, padded to the column's width but not truncated. */
  const joinCells = (cells: readonly string[], width: number) => {
    const filled = cells.map((cell) => padToWidth(cell, width));
    return filled.join(separator).trimEnd();
  };
  const ruleRow = (width: number) => {
    const [dash, cross] = unicode ? ['─', '─┼─'] : ['-', '-+-'];
    return style.dim(labels.map(() => dash.repeat(width)).join(cross));
  };
  /** Draws the rows ahead of the slowest answer, and below a line the progress of each answer. */
  const draw = () =>
    region.render((place) => {
      const width = widthIn(place.columns);
      const room = Math.max(0, Math.min(maxPreviewRows, place.rows - 4));
      const ahead = columns.map((column) => column.preview(width, room));
      const height = Math.max(...ahead.map(({ length }) => length));
      const states = answers.map(({ progress }) => {
        return style.dim(truncateToWidth(progress.text(), width));
      });
      const rows = [
        ...Array.from({ length: height }, (_, row) => {
          const cells = ahead.map((shown) => shown[row] ?? '');
          return joinCells(cells, width);
        }),
        ruleRow(width),
        joinCells(states, width),
      ];
      // A visible cursor needs no restoring if natter is killed.
      return { rows, caret: { row: rows.length - 1, column: 0 } };
    });
  const commit = (rows: readonly string[]) => {
    if (rows.length > 0) region.commit(`${rows.join('\n')}\n`);
  };
  /** Commits the rows that no further text can change, up to the end of the slowest column. */
  const commitRows = () => {
    const width = widthIn(output.columns());
    const rows: string[] = [];
    const hasRow = () => columns.every((column) => column.hasRow(width));
    while (hasRow() && columns.some((column) => !column.isDone())) {
      const cells = columns.map((column) => column.take(width));
      rows.push(joinCells(cells, width));
    }
    commit(rows);
  };
  /** Shows new text. @returns a promise while the terminal is slow */
  const refresh = () => {
    commitRows();
    draw();
    return region.slowness();
  };

  const width = widthIn(output.columns());
  const titles = labels.map((label) => style.bold(label));
  commit([joinCells(titles, width), ruleRow(width)]);
  draw();
  const stopTicking = clock.repeat(interval, draw);
  return {
    async event(index, event) {
      const answer = answers[index];
      answer?.progress.event(event);
      if (event.type === 'text-received') answer?.column.write(event.text);
      await refresh();
    },
    async ended(index, ended) {
      const answer = answers[index];
      answer?.progress.end(sanitizeLine(endReasonOf(ended)));
      const { content, metadata } = ended;
      const what = content === '' ? 'no answer' : 'cut';
      const mark = style.red(`(${what}: ${endReasonOf(ended)})`);
      const start = content === '' ? '' : '\n';
      answer?.column.end(metadata.complete ? '' : start + mark);
      await refresh();
    },
    async close() {
      for (const column of columns) column.end('');
      stopTicking();
      commitRows();
      stopWatching();
      region.suspend();
    },
    removed: () => columns.reduce((sum, column) => sum + column.removed(), 0),
  } satisfies ComparisonView;
}

/**
 * The text of an answer, which arrives in pieces and is taken row by row, at the current width.
 * @param transform styles the text; each line closes its styles
 */
export function createTextColumn(transform: TextTransform) {
  const sanitizer = createSanitizer();
  /** The lines that are not taken yet; the first one may be the rest of a line. */
  const lines: Line[] = [{ text: '' }];
  let isOver = false;
  const add = (styled: string) => {
    const [first = '', ...others] = styled.replaceAll('\t', '    ').split('\n');
    const last = lines.pop();
    lines.push({ ...last, text: (last?.text ?? '') + first });
    lines.push(...others.map((line) => ({ text: line })));
  };
  return {
    write(text: string): void {
      if (!isOver) add(transform.write(sanitizer.write(text)));
    },
    /** No more text follows, except for the mark. A second end does nothing. */
    end(mark: string): void {
      if (isOver) return;
      isOver = true;
      add(transform.write(sanitizer.end()) + transform.end() + mark);
      if (lines.at(-1)?.text === '') lines.pop();
    },
    /** Further text cannot change the next row. */
    hasRow(width: number): boolean {
      const [first, second] = lines;
      if (isOver || first === undefined || second !== undefined) return true;
      return firstRow(first, width).rest !== undefined;
    },
    /** The next row; empty after the last one. */
    take(width: number): string {
      const { text, rest } = firstRow(lines[0] ?? { text: '' }, width);
      lines.splice(0, 1, ...(rest === undefined ? [] : [rest]));
      return text;
    },
    preview: (width: number, rows: number): readonly string[] =>
      lines
        .slice(0, rows)
        .flatMap((line) => rowsOf(line, width, 'words', rows))
        .slice(0, rows),
    /** The text has ended, and every row was taken. */
    isDone: () => isOver && lines.length === 0,
    removed: () => sanitizer.removed,
  };
}

/** The columns of the terminal that the separator takes. */
const separatorWidth = 3;

/** The width of each column of answers in a window. The window's last column stays free, so that no row wraps. */
export function columnWidth(window: number, columns: number): number {
  return Math.max(1, Math.floor((window - 1 - separatorWidth * (columns - 1)) / columns));
}
