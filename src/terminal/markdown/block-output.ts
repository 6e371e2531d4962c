// Writes finished output within its quotes and lists.
import type { Paint, Style } from '../style.ts';
import { displayWidth } from '../text/width.ts';
import type { Container, Item } from './line-start.ts';
import { beginProse, createProseRows, type ProseRows, writeProse } from './rows.ts';
import { paintSpans, type Span } from './span.ts';

export type BlockKind = 'flow' | 'heading' | 'code' | 'table';

export interface BlockOutput {
  readonly style: Style;
  readonly unicode: boolean;
  readonly containers: Container[];
  /** Output that has not been taken yet. */
  text: string;
  /** The source had a blank line here. */
  blankBefore: boolean;
  previous: BlockKind | undefined;
  /** Undefined if the terminal wraps prose. */
  readonly rows: ProseRows | undefined;
}

interface BlockOutputOptions {
  readonly style: Style;
  readonly unicode: boolean;
  /** Columns to wrap prose at; undefined if the terminal wraps it. */
  readonly proseWidth: (() => number) | undefined;
}

export function createBlockOutput({ style, unicode, proseWidth }: BlockOutputOptions): BlockOutput {
  return {
    style,
    unicode,
    containers: [],
    text: '',
    blankBefore: false,
    previous: undefined,
    rows: proseWidth && createProseRows(proseWidth),
  };
}

/** Closes the containers after the first `continued`. An item without content still shows its marker. */
export function leaveContainers(output: BlockOutput, continued: number): void {
  const left = output.containers.slice(continued);
  if (left.some((container) => container.kind === 'item' && !container.shown)) {
    output.text += `${markers(output, 'flow').trimEnd()}\n`;
  }
  output.containers.length = continued;
}

/** Starts a block: with one blank line before it if the source had one, or if the kind needs one. */
export function beginBlock(output: BlockOutput, kind: BlockKind): void {
  const apart =
    kind === 'heading' ||
    kind === 'table' ||
    output.previous === 'code' ||
    output.previous === 'table';
  if (output.previous && (output.blankBefore || apart)) writeBlankLine(output);
  output.blankBefore = false;
  output.previous = kind;
}

export function writeBlankLine(output: BlockOutput): void {
  const bars = output.containers.filter(({ kind }) => kind === 'quote').map(() => quoteBar(output));
  output.text += `${bars.join(' ')}\n`;
}

/** Starts a line of prose. */
export function beginLine(output: BlockOutput): void {
  output.text += markers(output, 'flow');
  if (output.rows) beginProse(output.rows, markerColumns(output));
}

/** Repeats the markers after each line end in the spans, and in each row if they are wrapped here. */
export function writeSpans(output: BlockOutput, spans: readonly Span[]): void {
  const { rows, style } = output;
  if (spans.length === 0) return;
  if (rows) {
    const prefix = () => markers(output, 'flow');
    output.text += writeProse(rows, spans, { style, prefix, isEnd: false });
    return;
  }
  const text = paintSpans(spans, style);
  output.text += text.includes('\n') ? text.replaceAll('\n', `\n${markers(output, 'flow')}`) : text;
}

/** Writes the end of the line that {@link beginLine} started. */
export function endLine(output: BlockOutput, spans: readonly Span[]): void {
  const { rows, style } = output;
  if (rows) {
    const prefix = () => markers(output, 'flow');
    output.text += writeProse(rows, spans, { style, prefix, isEnd: true });
  } else writeSpans(output, spans);
  output.text += '\n';
}

export function writeLine(output: BlockOutput, text: string, kind: BlockKind = 'flow'): void {
  output.text += `${markers(output, kind)}${text}\n`;
}

export function markerColumns({ containers }: BlockOutput): number {
  return containers.reduce(
    (columns, container) =>
      columns + (container.kind === 'quote' ? 2 : itemIndent(container.marker)),
    0,
  );
}

export function takeText(output: BlockOutput): string {
  const { text } = output;
  output.text = '';
  return text;
}

/** Code has no list indentation, so that it can be copied. */
export function markers(output: BlockOutput, kind: BlockKind): string {
  let text = '';
  for (const container of output.containers) {
    if (container.kind === 'quote') text += `${quoteBar(output)} `;
    else if (!container.shown) text += `${bullet(output, container)} `;
    else if (kind !== 'code') text += ' '.repeat(itemIndent(container.marker));
    if (container.kind === 'item') container.shown = true;
  }
  return text;
}

function itemIndent(marker: string): number {
  return displayWidth(marker) + 1;
}

/** Without colour, the marker is that of the source. */
function bullet({ style, unicode }: BlockOutput, { marker, task }: Item): string {
  if (!unicode || !style.colored || marker.length > 1) return marker;
  if (task === undefined) return '•';
  return task === 'done' ? style.green(doneMark) : openMark;
}

export const rulePaint = ({ own, dim }: Style): Paint => own?.rule ?? dim;

/** A horizontal rule. */
export function ruleText({ unicode }: BlockOutput, columns: number): string {
  return (unicode ? '─' : '-').repeat(Math.max(0, columns));
}

const doneMark = '✓';
const openMark = '○';

/**
 * Reads the box at the start of a task (`[x] `), whose mark replaces the bullet or follows the number.
 * @returns the text after it
 */
export function takeTask(output: BlockOutput, text: string): { mark?: Span; rest: string } {
  const { style, unicode } = output;
  const item = output.containers.at(-1);
  const box = style.colored && unicode ? /^\[([ xX])\] /.exec(text)?.[1] : undefined;
  if (box === undefined || item?.kind !== 'item' || item.shown) return { rest: text };
  const isDone = box !== ' ';
  if (item.marker.length === 1) {
    item.task = isDone ? 'done' : 'open';
    return { rest: text.slice(4) };
  }
  const mark = isDone
    ? { text: doneMark, looks: ['green'] as const }
    : { text: openMark, looks: [] };
  return { mark, rest: text.slice(3) };
}

function quoteBar({ style, unicode }: BlockOutput): string {
  const paint = style.own?.quote ?? style.dim;
  return paint(unicode && style.colored ? '│' : '>');
}
