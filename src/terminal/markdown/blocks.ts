// The block structure of one answer, line by line.

import {
  beginBlock,
  beginLine,
  type BlockOutput,
  endLine,
  leaveContainers,
  markerColumns,
  rulePaint,
  ruleText,
  takeTask,
  writeLine,
  writeSpans,
  writeBlankLine,
} from './block-output.ts';
import {
  closeFence,
  closeIndented,
  openFence,
  writeCodeLine,
  writeIndentedLine,
} from './code-block.ts';
import { continuesLeaf, type LineStart, readLineStart } from './containers.ts';
import type { Style } from '../style.ts';
import type { InlineOptions } from './inline.ts';
import { endInline, inlineText, isInFormula } from './inline-text.ts';
import { mergeSpans, type Span, type SpanLook } from './span.ts';
import { htmlEnd, formulaEnd, isLongFormula } from './leaf-syntax.ts';
import type { BlockState, Formula } from './block-state.ts';
import { createParagraph, endParagraphLine, mayBeHeader, writeParagraph } from './paragraph.ts';
import { createTable } from './table.ts';
import { formulaRows } from '../formula/load-formulas.ts';
import { wrapText } from '../text/wrap.ts';

const indent = '  ';

/** A line of a displayed formula, which is shown when its end is known. */
function writeFormula(state: BlockState, text: string): void {
  const { output } = state;
  const isOpen = state.leaf.kind === 'formula';
  const formula: Formula =
    state.leaf.kind === 'formula'
      ? state.leaf
      : { kind: 'formula', close: formulaEnd(text) ?? '', lines: output.unicode ? [] : undefined };
  const ends = text.includes(formula.close, isOpen ? 0 : 2);
  if (formula.lines) {
    formula.lines.push(text);
    if (isLongFormula(formula.lines)) closeFormula(state, formula);
  } else writeSource(state, text);
  if (!ends) state.leaf = formula;
  else {
    if (formula.lines) writeWhole(state, formula.lines, formula.close);
    state.leaf = { kind: 'none' };
  }
}

/** A formula without an end is shown as it is written. */
function closeFormula(state: BlockState, formula: Formula): void {
  for (const line of formula.lines ?? []) writeSource(state, line);
  formula.lines = undefined;
}

function writeSource({ output }: BlockState, text: string): void {
  if (text.trim() === '') writeBlankLine(output);
  else writeLine(output, text);
}

function writeWhole(state: BlockState, lines: readonly string[], close: string): void {
  const source = lines.join('\n');
  const end = source.lastIndexOf(close) + close.length;
  const rows = formulaRows(source.slice(0, end));
  if (rows === undefined) {
    for (const line of lines) writeSource(state, line);
    return;
  }
  const { output, options } = state;
  const columns = Math.max(1, options.width() - markerColumns(output) - indent.length);
  const text = rows.join('\n') + source.slice(end).trim();
  for (const row of wrapText(text, columns)) writeLine(output, indent + row);
}

/** How a line starts; undefined while more of the line could change that. */
export function readLine(
  { leaf, row, output }: BlockState,
  text: string,
  complete: boolean,
): LineStart | undefined {
  const afterText = leaf.kind === 'paragraph' && mayBeHeader(leaf.paragraph);
  const open = {
    kind: row === undefined ? leaf.kind : 'paragraph',
    fence: leaf.kind === 'fence' ? leaf.mark : undefined,
    headerBefore: row !== undefined || afterText,
    endsAtBlank: leaf.kind === 'html' && leaf.end === undefined,
    inFormula: leaf.kind === 'paragraph' && isInFormula(leaf.paragraph.inline),
  } as const;
  return readLineStart({ text, complete, containers: output.containers, open });
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
      if (leaf.kind === 'paragraph') return writeText(state, rest);
      return openParagraph(state, rest, kind === 'definition');
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
      beginLine(output);
      return endLine(output, headingSpans(rest, output.style, state.options.inline));
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

function openParagraph(state: BlockState, text: string, definition: boolean): void {
  const { mark, rest } = takeTask(state.output, text);
  beginLine(state.output);
  const paragraph = createParagraph(state.options.inline);
  state.leaf = { kind: 'paragraph', paragraph, definition };
  if (mark) writeSpans(state.output, [mark]);
  writeText(state, rest);
}

function closeLeaf(state: BlockState): void {
  const { leaf, output } = state;
  if (leaf.kind === 'paragraph') {
    endLine(output, endInline(leaf.paragraph.inline));
  } else if (leaf.kind === 'table') writeLines(output, leaf.table.end());
  else if (leaf.kind === 'fence') closeFence(state, leaf);
  else if (leaf.kind === 'formula') closeFormula(state, leaf);
  else if (leaf.kind === 'indented') closeIndented(state, leaf.blankLines);
  state.leaf = { kind: 'none' };
}

/** The row turned out not to be a table header, so it is a line of text. */
function settleRow(state: BlockState): void {
  const { row } = state;
  if (row === undefined) return;
  state.row = undefined;
  if (state.leaf.kind === 'paragraph') writeText(state, row);
  else openParagraph(state, row, false);
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

function thematicBreak({ output, options }: BlockState, source: string): string {
  const { style } = output;
  if (!style.colored) return source.trimEnd();
  const columns = Math.max(3, options.width() - markerColumns(output));
  return rulePaint(style)(ruleText(output, columns));
}

function continues({ leaf, output }: BlockState, start: LineStart): boolean {
  const { kind } = start;
  const isDefinition = leaf.kind === 'paragraph' && leaf.definition;
  const joinsParagraph = kind === 'row' || (kind === 'definition' && !isDefinition);
  return continuesLeaf(leaf.kind, start, output.containers.length, joinsParagraph);
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

const looksOf: Readonly<Record<number, readonly SpanLook[]>> = {
  1: ['bold', 'underline', 'magenta'],
  2: ['bold', 'magenta'],
  3: ['bold'],
};

/** An ATX heading. With colour, styles replace its marks. */
function headingSpans(source: string, style: Style, inline: InlineOptions): readonly Span[] {
  const marks = /^#{1,6}/.exec(source)?.[0] ?? '';
  const spans = inlineText(withoutClosing(source.slice(marks.length).trim()), inline);
  if (!style.colored) {
    return [{ text: spans.length === 0 ? marks : `${marks} `, looks: [] }, ...spans];
  }
  const looks = style.own?.heading ? ['heading' as const] : (looksOf[marks.length] ?? ['italic']);
  return mergeSpans(
    spans.map((span) => ({ ...span, looks: [...new Set([...span.looks, ...looks])] })),
  );
}

/** `## Title ##` is `## Title`. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text;
}
