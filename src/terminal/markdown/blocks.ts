// The block structure of one answer, line by line.
import {
  beginBlock,
  type BlockOutput,
  leaveContainers,
  markerColumns,
  writeBlankLine,
  writeLine,
  writeMarkers,
  writeSpans,
} from './block-output.ts';
import { closeFence, openFence, writeCodeLine, writeIndentedLine } from './code-block.ts';
import { type LineStart, readLineStart } from './containers.ts';
import { paintHeading } from './heading.ts';
import { formulaEnd, htmlEnd } from './leaf-syntax.ts';
import type { BlockState } from './block-state.ts';
import {
  createParagraph,
  endParagraph,
  endParagraphLine,
  mayBeHeader,
  writeParagraph,
} from './paragraph.ts';
import { createTable } from './table.ts';

const MAX_RULE = 40;

/** How a line starts; undefined while more of the line could change that. */
export function readLine(
  { leaf, row, output }: BlockState,
  text: string,
  complete: boolean,
): LineStart | undefined {
  const afterText = leaf.kind === 'paragraph' && mayBeHeader(leaf.paragraph);
  const open = {
    kind: row === undefined ? leaf.kind : 'paragraph',
    headerBefore: row !== undefined || afterText,
    endsAtBlank: leaf.kind === 'html' && leaf.end === undefined,
    inFormula: leaf.kind === 'paragraph' && leaf.paragraph.inline.isInFormula(),
  } as const;
  const closingFence = leaf.kind === 'fence' ? leaf.closing : undefined;
  return readLineStart({ text, complete, containers: output.containers, open, closingFence });
}

/** Takes the start of a text line, or all of any other line. */
export function acceptLine(state: BlockState, start: LineStart): void {
  if (start.kind === 'delimiter') return openTable(state, start.rest);
  settleRow(state);
  if (!continues(state, start)) move(state, start);
  accept(state, start);
}

function accept(state: BlockState, start: LineStart): void {
  const { leaf, output } = state;
  const { kind, rest } = start;
  switch (kind) {
    case 'text':
    case 'definition':
      if (leaf.kind !== 'paragraph') openParagraph(state, kind === 'definition');
      return writeText(state, rest);
    case 'row':
      if (leaf.kind === 'table') writeLines(output, leaf.table.add(rest));
      else state.row = rest;
      return;
    case 'code':
      return leaf.kind === 'fence' ? writeCodeLine(state, leaf, start) : undefined;
    case 'closing-fence':
      return closeLeaf(state);
    case 'fence':
      return openFence(state, start);
    case 'indented':
      return writeIndentedLine(state, rest);
    case 'blank':
      if (leaf.kind === 'indented') leaf.blankLines += 1;
      return;
    case 'html':
    case 'markup':
      return writeMarkup(state, rest);
    case 'formula':
      return writeFormula(state, rest);
    case 'heading':
      return writeLine(output, paintHeading(rest, output.style, state.options.inline));
    case 'underline':
      return writeLine(output, output.style.dim(rest));
    case 'rule':
      return writeLine(output, thematicBreak(state, rest));
    case 'delimiter':
      return undefined;
  }
}

export function writeText(state: BlockState, text: string): void {
  if (state.leaf.kind === 'paragraph') {
    writeSpans(state.output, writeParagraph(state.leaf.paragraph, text));
  }
}

export function endText({ leaf }: BlockState): void {
  if (leaf.kind === 'paragraph') endParagraphLine(leaf.paragraph);
}

/** Shows everything that is still open at the end of the input. */
export function endBlocks(state: BlockState): void {
  settleRow(state);
  closeLeaf(state);
  leaveContainers(state.output, 0);
}

function openParagraph(state: BlockState, definition: boolean): void {
  writeMarkers(state.output);
  const paragraph = createParagraph(state.options.inline);
  state.leaf = { kind: 'paragraph', paragraph, definition };
}

function closeLeaf(state: BlockState): void {
  const { leaf, output } = state;
  if (leaf.kind === 'paragraph') {
    writeSpans(output, endParagraph(leaf.paragraph));
    output.text += '\n';
  } else if (leaf.kind === 'table') writeLines(output, leaf.table.end());
  else if (leaf.kind === 'fence') closeFence(state, leaf);
  else if (leaf.kind === 'indented' && leaf.blankLines > 0) output.blankBefore = true;
  state.leaf = { kind: 'none' };
}

/** The row turned out not to be a table header, so it is a line of text. */
function settleRow(state: BlockState): void {
  const { row } = state;
  if (row === undefined) return;
  state.row = undefined;
  if (state.leaf.kind !== 'paragraph') openParagraph(state, false);
  writeText(state, row);
  endText(state);
}

function openTable(state: BlockState, delimiter: string): void {
  const { output, options, row: header } = state;
  state.row = undefined;
  if (state.leaf.kind === 'paragraph') {
    closeLeaf(state);
    if (header !== undefined) beginBlock(output, 'table');
  }
  output.previous = 'table';
  const { style, unicode } = output;
  const width = () => options.width() - markerColumns(output);
  const table = createTable({ style, unicode, inline: options.inline, width, header, delimiter });
  state.leaf = { kind: 'table', table };
}

function writeLines(output: BlockOutput, lines: readonly string[]): void {
  for (const line of lines) writeLine(output, line);
}

function writeMarkup(state: BlockState, text: string): void {
  const end = state.leaf.kind === 'html' ? state.leaf.end : htmlEnd(text);
  writeLine(state.output, text);
  state.leaf = end?.test(text) ? { kind: 'none' } : { kind: 'html', end };
}

function writeFormula(state: BlockState, text: string): void {
  const { leaf, output } = state;
  const isOpen = leaf.kind === 'formula';
  const close = isOpen ? leaf.close : (formulaEnd(text) ?? '');
  if (text.trim() === '') writeBlankLine(output);
  else writeLine(output, text);
  state.leaf = text.includes(close, isOpen ? 0 : 2) ? { kind: 'none' } : { kind: 'formula', close };
}

function thematicBreak({ output, options }: BlockState, source: string): string {
  const { style, unicode } = output;
  if (!style.colored) return source.trimEnd();
  const columns = Math.min(MAX_RULE, options.width() - markerColumns(output));
  return style.dim((unicode ? '─' : '-').repeat(Math.max(3, columns)));
}

function continues({ leaf, output }: BlockState, { kind, opened, continued }: LineStart): boolean {
  const whole = opened.length === 0 && continued === output.containers.length;
  switch (leaf.kind) {
    case 'paragraph':
      if (kind === 'text') return opened.length === 0;
      return whole && (kind === 'row' || (kind === 'definition' && !leaf.definition));
    case 'fence':
      return kind === 'code' || kind === 'closing-fence';
    case 'html':
      return kind === 'markup';
    case 'formula':
      return kind === 'formula' && opened.length === 0;
    case 'indented':
      return whole && (kind === 'indented' || kind === 'blank');
    case 'table':
      return whole && kind === 'row';
    case 'none':
    default:
      return false;
  }
}

/** Closes what the line does not continue, and opens its containers. */
function move(state: BlockState, { kind, opened, continued }: LineStart): void {
  const { output } = state;
  closeLeaf(state);
  leaveContainers(output, continued);
  if (kind === 'blank') output.blankBefore ||= opened.length === 0;
  else if (kind === 'fence' || kind === 'indented') beginBlock(output, 'code');
  else beginBlock(output, kind === 'heading' ? 'heading' : 'flow');
  output.containers.push(...opened);
}
