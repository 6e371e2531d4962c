// Lays out finished pieces within their quotes and lists.
import type { Style } from '../style.ts';
import { displayWidth } from '../text/width.ts';
import type { Container } from './containers.ts';
import { paintSpans, type Span } from './span.ts';

export type BlockKind = 'flow' | 'heading' | 'code' | 'table';

export interface BlockOutput {
  readonly style: Style;
  readonly unicode: boolean;
  readonly containers: Container[];
  /** Written output that was not taken yet. */
  text: string;
  /** The source had a blank line here. */
  blankBefore: boolean;
  previous: BlockKind | undefined;
}

export function createBlockOutput(style: Style, unicode: boolean): BlockOutput {
  return { style, unicode, containers: [], text: '', blankBefore: false, previous: undefined };
}

/** Leaves the containers after the first `continued`; items without content still show their marker. */
export function leaveContainers(output: BlockOutput, continued: number): void {
  const left = output.containers.slice(continued);
  if (left.some((container) => container.kind === 'item' && !container.shown)) {
    output.text += `${markers(output, 'flow').trimEnd()}\n`;
  }
  output.containers.length = continued;
}

/** A block of this kind follows: one blank line before it where the source had some, or where it is needed. */
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

/** The markers before a line of text. */
export function writeMarkers(output: BlockOutput): void {
  output.text += markers(output, 'flow');
}

/** A line end in the spans is followed by the markers again. */
export function writeSpans(output: BlockOutput, spans: readonly Span[]): void {
  const text = paintSpans(spans, output.style);
  output.text += text.includes('\n') ? text.replaceAll('\n', `\n${markers(output, 'flow')}`) : text;
}

export function writeLine(output: BlockOutput, text: string, kind: BlockKind = 'flow'): void {
  output.text += `${markers(output, kind)}${text}\n`;
}

/** Columns the markers take. */
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

/** Code carries no list indentation, so that it can be copied. */
export function markers(output: BlockOutput, kind: BlockKind): string {
  let text = '';
  for (const container of output.containers) {
    if (container.kind === 'quote') text += `${quoteBar(output)} `;
    else if (!container.shown) text += `${bullet(output, container.marker)} `;
    else if (kind !== 'code') text += ' '.repeat(itemIndent(container.marker));
    if (container.kind === 'item') container.shown = true;
  }
  return text;
}

function itemIndent(marker: string): number {
  return displayWidth(marker) + 1;
}

/** Without colour the marks stay those of the source. */
function bullet({ style, unicode }: BlockOutput, marker: string): string {
  return unicode && style.colored && marker.length === 1 ? '•' : marker;
}

function quoteBar({ style, unicode }: BlockOutput): string {
  return style.dim(unicode && style.colored ? '│' : '>');
}
