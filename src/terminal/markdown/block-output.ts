// Writes finished output within its quotes and lists.
import type { Style } from '../style.ts';
import { displayWidth } from '../text/width.ts';
import type { Container } from './containers.ts';
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
}

export function createBlockOutput(style: Style, unicode: boolean): BlockOutput {
  return { style, unicode, containers: [], text: '', blankBefore: false, previous: undefined };
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

export function writeMarkers(output: BlockOutput): void {
  output.text += markers(output, 'flow');
}

/** Repeats the markers after each line end in the spans. */
export function writeSpans(output: BlockOutput, spans: readonly Span[]): void {
  const text = paintSpans(spans, output.style);
  output.text += text.includes('\n') ? text.replaceAll('\n', `\n${markers(output, 'flow')}`) : text;
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
    else if (!container.shown) text += `${bullet(output, container.marker)} `;
    else if (kind !== 'code') text += ' '.repeat(itemIndent(container.marker));
    if (container.kind === 'item') container.shown = true;
  }
  return text;
}

function itemIndent(marker: string): number {
  return displayWidth(marker) + 1;
}

/** Without colour, the marker is that of the source. */
function bullet({ style, unicode }: BlockOutput, marker: string): string {
  return unicode && style.colored && marker.length === 1 ? '•' : marker;
}

function quoteBar({ style, unicode }: BlockOutput): string {
  return style.dim(unicode && style.colored ? '│' : '>');
}
