// Shows the answers of several models: as JSON, one below the other, or side by side.
import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';
import type { Failure } from '../failure.ts';
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
import { expectedDelay } from './activity.ts';
import type { AnswerOutcome } from './answer-meter.ts';
import { heading, type TextPrinter } from './answer-printer.ts';
import { failureFields, stoppedAnswer } from './ending-failure.ts';
import { answerTokens, count, seconds, tokensPerSecond, tokenText } from './figures.ts';
import {
  answerFields,
  type CheckedFields,
  eventRecords,
  failureRecord,
  jsonLine,
} from './json-answer.ts';

/** The answer of one model, or why it is missing; the failure is undefined too if the user stopped it. */
export interface ComparedAnswer extends AnswerOutcome {
  /** The model as named by the user, with a number if it is compared with itself. */
  readonly label: string;
  readonly model: string;
  readonly content: string;
  readonly checked?: CheckedFields;
}

/** Shows several answers while they stream, identified by their index in the requested order. */
export interface ComparisonView {
  /** A promise is returned while the reader is slow: await it before the next event of this answer. */
  event(index: number, event: ChatEvent): Promise<void> | undefined;
  ended(index: number, answer: ComparedAnswer): Promise<void> | undefined;
  /** Call after the last event of all answers. */
  close(): Promise<void>;
  removed(): number;
}

/** The service's finish reason, or why the answer was cut, in one word. */
export function endReasonOf({ metadata, failure }: ComparedAnswer): string {
  if (failure !== undefined) return failure.kind;
  return metadata.complete ? (metadata.finishReason ?? '-') : 'stopped';
}

function causeOf({ failure, metadata }: ComparedAnswer): Failure | undefined {
  return failure ?? (metadata.complete ? undefined : stoppedAnswer());
}

function documentOf(answer: ComparedAnswer, context: Context): string {
  const { label, model, content, metadata, checked } = answer;
  const cause = causeOf(answer);
  const { usage, timing } = metadata;
  const { tokens, isEstimate } = answerTokens({ usage, content });
  const line = jsonLine({
    asked: label,
    ...answerFields(metadata, content, model),
    tokens_per_second: tokensPerSecond(tokens, timing) ?? null,
    tokens_estimated: isEstimate ? true : undefined,
    ...checked?.fields,
    ...failureFields(cause, context),
  });
  return checked?.withValue(line) ?? line;
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
      const documents = answers.map((answer) => documentOf(answer, context).trimEnd());
      await context.streams.stdout.write(`{"answers":[${documents.join(',')}]}\n`);
    },
    removed: () => 0,
  };
}

/** The lines of `natter --jsonl` as they happen, each with the requested model in `asked`. */
export function createComparisonLines(context: Context, labels: readonly string[]): ComparisonView {
  const { stdout } = context.streams;
  const line = (index: number, record: object) => jsonLine({ asked: labels[index], ...record });
  return {
    event(index, event) {
      const lines = eventRecords(event).map((record) => line(index, record));
      return stdout.write(lines.join(''));
    },
    ended(index, answer) {
      const { checked, metadata } = answer;
      const record = checked && line(index, { type: 'answer-checked', ...checked.fields });
      const cause = causeOf(answer);
      const failed = cause && line(index, failureRecord(cause, metadata, context));
      const text = `${record === undefined ? '' : checked?.withValue(record)}${failed ?? ''}`;
      return text === '' ? undefined : stdout.write(text);
    },
    close: async () => undefined,
    removed: () => 0,
  };
}

/** Whether an event is shown as the answer: its text, and its end. */
export const isOfAnswer = ({ type }: ChatEvent) =>
  type === 'text-received' || type === 'answer-finished';

/**
 * Prints answers in the requested order: the first while it streams, the others from a buffer. An answer without text
 * has no heading.
 * @param labels safe to show
 * @param printers one for each answer
 */
export function createStackedAnswers(
  stdout: OutputStream,
  style: Style,
  labels: readonly string[],
  printers: readonly TextPrinter[],
): ComparisonView {
  const slots = labels.map((label, index) => {
    return { label, printer: printers[index], waiting: [] as ChatEvent[], isOver: false };
  });
  let isFirst = true;
  let isOpen = false;
  let current = 0;
  let order: Promise<void> = Promise.resolve();
  const printWaiting = async () => {
    for (let slot = slots[current]; slot !== undefined; slot = slots[current]) {
      for (const event of slot.waiting.splice(0)) {
        if (!isOpen) await stdout.write(`${isFirst ? '' : '\n'}${heading(slot.label, style)}`);
        isFirst = false;
        isOpen = true;
        await slot.printer?.event(event);
      }
      if (!slot.isOver) return;
      await slot.printer?.end();
      isOpen = false;
      current += 1;
    }
  };
  const advance = () => (order = order.then(printWaiting));
  return {
    removed: () => printers.reduce((sum, printer) => sum + (printer.removed?.() ?? 0), 0),
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
  };
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

/** The end of a column whose answer did not finish. */
function cutMark(answer: ComparedAnswer, style: Style): string {
  if (answer.metadata.complete) return '';
  const text = style.red(
    `(${answer.content === '' ? 'no answer' : 'cut'}: ${endReasonOf(answer)})`,
  );
  return answer.content === '' ? text : `\n${text}`;
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
  let retry: { readonly text: string; readonly at: number } | undefined;
  let endReason: string | undefined;
  const amount = () => {
    const streaming = last - (firstText ?? last);
    const rate = count(Math.round((tokens / streaming) * 1000));
    const speed = streaming < minStream ? '' : ` · ~${rate} tokens/s`;
    return `${tokenText(tokens, true)}${speed}`;
  };
  return {
    event(event: ChatEvent): void {
      last = clock.monotonic();
      if (event.type === 'answer-started') retry = undefined;
      if (event.type === 'retry-scheduled') {
        const text = `retry ${event.retry} of ${event.retries}: ${sanitizeLine(event.cause.message)}`;
        retry = { text, at: last + expectedDelay(event) };
      }
      if (event.type === 'text-received') {
        firstText ??= last;
        tokens += estimateTokens(event.text);
      }
    },
    end(reason: string): void {
      endReason = reason;
    },
    text(): string {
      if (endReason !== undefined) return `${endReason} · ${seconds(last - since)} · ${amount()}`;
      const now = clock.monotonic();
      if (retry !== undefined) {
        return `in ${Math.max(0, Math.ceil((retry.at - now) / 1000))} s ${retry.text}`;
      }
      const waited = Math.floor((now - since) / 1000);
      return (
        (firstText === undefined ? 'waiting' : amount()) + (waited > 0 ? ` · ${waited} s` : '')
      );
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
): ComparisonView {
  const separator = ` ${style.dim(unicode ? '│' : '|')} `;
  const widthIn = (window: number) => columnWidth(window, labels.length);
  const answers = labels.map(() => ({
    sanitizer: createSanitizer(),
    text: transform(() => widthIn(output.columns())),
    isOver: false,
    column: new TextColumn(),
    progress: createAnswerProgress(clock),
  }));
  const columns = answers.map(({ column }) => column);
  const region = new LiveRegion({ output, clock, traits: terminalTraits(environment) });
  const stopWatching = watchTerminal(device, region);

  /** A line across all columns. */
  const ruleRow = (width: number) => {
    const [dash, cross] = unicode ? ['─', '─┼─'] : ['-', '-+-'];
    return style.dim(labels.map(() => dash.repeat(width)).join(cross));
  };
  /** Draws the rows ahead of the slowest answer, and below a line the progress of each answer. */
  const draw = () =>
    region.render((place) => {
      const width = widthIn(place.columns);
      const room = Math.max(0, Math.min(maxPreviewRows, place.rows - 4));
      const cells = answers.map(({ progress }) => {
        return style.dim(truncateToWidth(progress.text(), width));
      });
      const ahead = previewRows(columns, place.columns, room, separator);
      const rows = [...ahead, ruleRow(width), joinCells(cells, width, separator)];
      // A visible cursor needs no restoring if natter is killed.
      return { rows, caret: { row: rows.length - 1, column: 0 } };
    });
  const commit = (rows: readonly string[]) => {
    if (rows.length > 0) region.commit(`${rows.join('\n')}\n`);
  };
  const commitRows = () => commit(takeRows(columns, output.columns(), separator));
  /** Shows new text. @returns a promise while the terminal is slow */
  const refresh = () => {
    commitRows();
    draw();
    return region.slowness();
  };
  /** Ends a column, once. */
  const end = (answer: (typeof answers)[number], mark: string) => {
    if (answer.isOver) return;
    answer.isOver = true;
    answer.column.write(answer.text.write(answer.sanitizer.end()) + answer.text.end() + mark);
    answer.column.end();
  };

  const width = widthIn(output.columns());
  const titles = labels.map((label) => style.bold(label));
  commit([joinCells(titles, width, separator), ruleRow(width)]);
  draw();
  const stopTicking = clock.repeat(interval, draw);
  return {
    async event(index, event) {
      const answer = answers[index];
      if (answer === undefined) return;
      answer.progress.event(event);
      if (event.type === 'text-received' && !answer.isOver) {
        answer.column.write(answer.text.write(answer.sanitizer.write(event.text)));
      }
      await refresh();
    },
    async ended(index, ended) {
      const answer = answers[index];
      if (answer === undefined) return;
      answer.progress.end(sanitizeLine(endReasonOf(ended)));
      end(answer, cutMark(ended, style));
      await refresh();
    },
    async close() {
      for (const answer of answers) end(answer, '');
      stopTicking();
      commitRows();
      stopWatching();
      region.close();
    },
    removed: () => answers.reduce((sum, { sanitizer }) => sum + sanitizer.removed, 0),
  };
}

const tab = '    ';

/** Text that arrives in pieces and is taken row by row, at the current width. */
export class TextColumn {
  /** The lines that are not taken yet; the first one may be the rest of a line. */
  readonly #lines: Line[] = [{ text: '' }];
  #isOver = false;

  /** Takes styled text, of which each line closes its styles. */
  write(text: string): void {
    const [first = '', ...others] = text.replaceAll('\t', tab).split('\n');
    const last = this.#lines.pop();
    this.#lines.push({ ...last, text: (last?.text ?? '') + first });
    this.#lines.push(...others.map((line) => ({ text: line })));
  }

  /** No more text follows. */
  end(): void {
    this.#isOver = true;
    if (this.#lines.at(-1)?.text === '') this.#lines.pop();
  }

  /** Further text cannot change the next row. */
  hasRow(width: number): boolean {
    const [first, second] = this.#lines;
    if (first === undefined) return false;
    return this.#isOver || second !== undefined || firstRow(first, width).rest !== undefined;
  }

  take(width: number): string | undefined {
    const [line] = this.#lines;
    if (line === undefined) return undefined;
    const { text, rest } = firstRow(line, width);
    this.#lines.splice(0, 1, ...(rest === undefined ? [] : [rest]));
    return text;
  }

  /** The next rows as they are now. */
  preview(width: number, rows: number): readonly string[] {
    return this.#lines
      .slice(0, rows)
      .flatMap((line) => rowsOf(line, width, 'words', rows))
      .slice(0, rows);
  }

  /** The text has ended, and every row was taken. */
  isDone(): boolean {
    return this.#isOver && this.#lines.length === 0;
  }
}

/** The columns of the terminal that the separator takes. */
const separatorWidth = 3;

/** The width of each column of answers in a window. The window's last column stays free, so that no row wraps. */
export function columnWidth(window: number, columns: number): number {
  return Math.max(1, Math.floor((window - 1 - separatorWidth * (columns - 1)) / columns));
}

/** One row of cells, padded to the column's width but not truncated. */
function joinCells(cells: readonly string[], width: number, separator: string): string {
  const filled = cells.map((cell, index) =>
    index === cells.length - 1 ? cell : padToWidth(cell, width),
  );
  return filled.join(separator).trimEnd();
}

/** The rows that no further text can change, up to the end of the slowest column. */
export function takeRows(
  columns: readonly TextColumn[],
  window: number,
  separator: string,
): readonly string[] {
  const width = columnWidth(window, columns.length);
  const rows: string[] = [];
  const hasRow = () =>
    columns.every((column) => column.hasRow(width) || column.isDone()) &&
    columns.some((column) => !column.isDone());
  while (hasRow()) {
    const cells = columns.map((column) => column.take(width) ?? '');
    rows.push(joinCells(cells, width, separator));
  }
  return rows;
}

/** The next rows as they are now, at most `rows`. */
export function previewRows(
  columns: readonly TextColumn[],
  window: number,
  rows: number,
  separator: string,
): readonly string[] {
  const width = columnWidth(window, columns.length);
  const cells = columns.map((column) => column.preview(width, rows));
  const height = Math.max(...cells.map((column) => column.length));
  return Array.from({ length: height }, (_, row) => {
    const shown = cells.map((column) => column[row] ?? '');
    return joinCells(shown, width, separator);
  });
}
