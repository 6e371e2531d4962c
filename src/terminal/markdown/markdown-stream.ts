import { type Highlighter, type HighlightLine, createHighlighter } from '../highlight/highlight.ts';
import {
  type BlockOutput,
  createBlockOutput,
  markers,
  takeText,
  rulePaint,
  ruleText,
  writeBlankLine,
  writeLine,
  beginBlock,
  beginLine,
  endLine,
  leaveContainers,
  markerColumns,
  takeTask,
  writeSpans,
} from './block-output.ts';
import {
  type InlineOptions,
  type Paragraph,
  undecidedInline,
  endInline,
  inlineText,
  isInFormula,
  createParagraph,
  endParagraphLine,
  mayBeHeader,
  writeParagraph,
} from './inline.ts';
import { type Table, createTable } from './table.ts';
import { formulaRows } from '../formula/formula.ts';
import type { Style } from '../style.ts';
import { createLineDriver, type MarkdownStream } from './line-driver.ts';
import { heldText } from './rows.ts';
import { displayWidth } from '../text/width.ts';
import {
  type LineStart,
  readFence,
  dedent,
  continuesLeaf,
  readLineStart,
  htmlEnd,
  formulaEnd,
  isLongFormula,
} from './line-start.ts';
import { mergeSpans, type Span, type SpanLook } from './span.ts';
import { wrapText } from '../text/wrap.ts';

interface BlockState {
  readonly output: BlockOutput;
  readonly options: BlockOptions;
  leaf: Leaf;
  /** A line with bars; the next line shows whether it is a table's header. */
  row: string | undefined;
  codeBlocks: number;
  /** Pending while something is loaded that the next text needs. */
  loading: Promise<void> | undefined;
}

interface BlockOptions {
  readonly highlighter: Highlighter;
  readonly inline: InlineOptions;
  /** Of the terminal, in columns. */
  readonly width: () => number;
  readonly codeHint: ((block: number) => string) | undefined;
}

interface Fence {
  readonly kind: 'fence';
  /** The fence as written, without its info string. */
  readonly mark: string;
  readonly language: string;
  /** Columns to remove from each line. */
  readonly indent: number;
  /** Set at the first line, when the language has been loaded. */
  highlight: HighlightLine | undefined;
}

/** A displayed formula. */
interface Formula {
  readonly kind: 'formula';
  readonly close: string;
  /** Its lines so far, which are shown together at its end; undefined if they are shown as they arrive. */
  lines: string[] | undefined;
}

type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly paragraph: Paragraph; readonly definition: boolean }
  | Fence
  | { readonly kind: 'indented'; blankLines: number }
  | { readonly kind: 'html'; readonly end: RegExp | undefined }
  | Formula
  | { readonly kind: 'table'; readonly table: Table };

/** `words`: natter ends rows of prose between words; `none`: the terminal wraps lines. */
export type WrapMode = 'words' | 'none';

export interface MarkdownStreamOptions {
  readonly style: Style;
  /** Columns of the terminal, read whenever a table or a rule is laid out. */
  readonly width: () => number;
  /** The terminal opens links (OSC 8). */
  readonly hyperlinks: boolean;
  /** It is known to, so that the label of a link is shown without its address. */
  readonly hidesAddresses?: boolean;
  /** The terminal shows `•`, `│` and `─`. */
  readonly unicode: boolean;
  /** `none` by default. */
  readonly wrap?: WrapMode;
  /** What to type for a code block with this number, at the end of its rule. */
  readonly codeHint?: (block: number) => string;
}

/**
 * Takes sanitized Markdown in any pieces; the joined output does not depend on them. Setext headings and link
 * references are shown as written, because they can be recognised only by later text.
 */
export function createMarkdownStream(options: MarkdownStreamOptions): MarkdownStream {
  const { style, width, hyperlinks, unicode, wrap, codeHint, hidesAddresses = false } = options;
  const inline = { marks: !style.colored, own: style.own, hyperlinks, hidesAddresses, unicode };
  const proseWidth = wrap === 'words' ? width : undefined;
  const output = createBlockOutput({ style, unicode, proseWidth });
  const state: BlockState = {
    output,
    options: { highlighter: createHighlighter(style), inline, width, codeHint },
    leaf: { kind: 'none' },
    row: undefined,
    codeBlocks: 0,
    loading: undefined,
  };
  return createLineDriver({
    readLine: (text, complete) => readLine(state, text, complete),
    acceptLine: (start) => acceptLine(state, start),
    writeText: (text) => writeText(state, text),
    endText: () => endText(state),
    longCode: {
      begin(start) {
        if (state.leaf.kind !== 'fence') return;
        output.text += markers(output, 'code') + codeText(state.leaf, start);
      },
      write: (text) => void (output.text += text),
      end: () => void (output.text += '\n'),
    },
    end: () => endBlocks(state),
    take: () => takeText(output),
    loading: () => state.loading,
    undecided: () => undecidedBlocks(state),
  });
}

function undecidedBlocks({ leaf, row, output }: BlockState): readonly string[] {
  const parts: string[] = [];
  if (leaf.kind === 'paragraph') {
    const held = output.rows ? heldText(output.rows) : '';
    parts.push(held + undecidedInline(leaf.paragraph.inline) + leaf.paragraph.trail);
  }
  if (leaf.kind === 'table') parts.push(leaf.table.undecided());
  if (leaf.kind === 'formula' && leaf.lines) parts.push(leaf.lines.join('\n'));
  if (row !== undefined) parts.push(row);
  return parts;
}

/** Writes a rule with the block's number and language; without colour, both after the fence. */
function openFence(state: BlockState, start: LineStart): void {
  const { output, options } = state;
  const { mark, info, indent } = readFence(start, output.containers);
  const language = info.split(/\s/, 1)[0] ?? '';
  state.codeBlocks += 1;
  if (output.style.colored) writeHead(state, info);
  else writeLine(output, `${mark} ${state.codeBlocks} ${info}`.trimEnd(), 'code');
  state.leaf = { kind: 'fence', mark, language, indent, highlight: undefined };
  state.loading = options.highlighter.load()?.then(() => {
    state.loading = undefined;
  });
}

/** The shortest rule between the title and the hint, in columns. */
const MIN_RULE = 3;

/** `── 1 ts ──────── /copy 1`; in a narrow window, less of it. */
function writeHead({ output, options, codeBlocks }: BlockState, info: string): void {
  const { style } = output;
  const prefix = markers(output, 'code');
  const columns = options.width() - displayWidth(prefix);
  const start = `${ruleText(output, 2)} ${codeBlocks} ${info}`.trimEnd();
  const hint = options.codeHint?.(codeBlocks);
  const end = hint === undefined ? '' : ` ${hint}`;
  const room = columns - displayWidth(start) - 1;
  const shown = room - end.length >= MIN_RULE ? end : '';
  const rule = room > 0 ? ` ${ruleText(output, room - shown.length)}` : '';
  output.text += `${prefix}${rulePaint(style)(`${start}${rule}${shown}`)}\n`;
}

function writeFoot(output: BlockOutput, width: () => number): void {
  const prefix = markers(output, 'code');
  const columns = Math.max(MIN_RULE, width() - displayWidth(prefix));
  output.text += `${prefix}${rulePaint(output.style)(ruleText(output, columns))}\n`;
}

function writeCodeLine(state: BlockState, fence: Fence, start: LineStart): void {
  fence.highlight ??= state.options.highlighter.open(fence.language);
  writeLine(state.output, fence.highlight(codeText(fence, start)), 'code');
}

function codeText(fence: Fence, { rest, column }: LineStart): string {
  return dedent(rest, column, fence.indent);
}

function closeFence({ output, options }: BlockState, fence: Fence): void {
  if (output.style.colored) writeFoot(output, options.width);
  else writeLine(output, fence.mark, 'code');
}

function closeIndented({ output, options }: BlockState, blankLines: number): void {
  if (output.style.colored) writeFoot(output, options.width);
  if (blankLines > 0) output.blankBefore = true;
}

function writeIndentedLine(state: BlockState, text: string): void {
  const { output, leaf } = state;
  const { colored } = output.style;
  if (leaf.kind === 'indented') {
    for (; leaf.blankLines > 0; leaf.blankLines -= 1) writeBlankLine(output);
  } else {
    state.codeBlocks += 1;
    if (colored) writeHead(state, '');
    state.leaf = { kind: 'indented', blankLines: 0 };
  }
  writeLine(output, colored ? text : `    ${text}`, 'code');
}

// The block structure of one answer, line by line.

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
function readLine(
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
function acceptLine(state: BlockState, start: LineStart): void {
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

function writeText(state: BlockState, text: string): void {
  if (state.leaf.kind === 'paragraph') {
    writeSpans(state.output, writeParagraph(state.leaf.paragraph, text));
  }
}

function endText({ leaf }: BlockState): void {
  if (leaf.kind === 'paragraph') endParagraphLine(leaf.paragraph);
}

/** Shows everything that is still open at the end of the input. */
function endBlocks(state: BlockState): void {
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
