// The blocks of an answer as labelled lines.
import {
  continuesLeaf,
  type Container,
  type LineStart,
  readLineStart,
  readFence,
  dedent,
  formulaEnd,
  htmlEnd,
  isLongFormula,
} from '../markdown/line-start.ts';
import { splitCells } from '../markdown/table.ts';
import { type WordRows, createWordRows } from '../markdown/rows.ts';
import { findSentence, isInFormula, spokenInline } from './spoken-inline.ts';
import { createLineDriver, type MarkdownStream } from '../markdown/line-driver.ts';

interface Fence {
  readonly kind: 'fence';
  /** The words after the opening fence, usually the language. */
  readonly language: string;
  readonly mark: string;
  /** Columns to remove from each line. */
  readonly indent: number;
  readonly code: SpokenCode;
}

/** The lines of a code block, which are held back until their number is known or there are too many. */
interface SpokenCode {
  readonly number: number;
  readonly label: string;
  lines: string[];
  /** Characters held back. */
  size: number;
  /** Lines that were already written. */
  written: number;
}

interface SpokenTable {
  readonly kind: 'table';
  readonly names: readonly string[];
  rows: number;
}

interface SpokenParagraph {
  readonly kind: 'paragraph';
  /** The text that is not written yet. */
  rest: string;
  /** Characters at its start in which no sentence ends. */
  searched: number;
  line: number;
  label: string;
  isWritten: boolean;
}

/** A displayed formula. */
interface SpokenFormula {
  readonly kind: 'formula';
  readonly label: string;
  readonly close: string;
  /** Its lines so far, which are read at its end; undefined if they are written as they arrive. */
  lines: string[] | undefined;
}

/** The block that the next line may continue. */
type SpokenLeaf =
  | { readonly kind: 'none' }
  | SpokenParagraph
  | Fence
  | { readonly kind: 'indented'; readonly code: SpokenCode; blankLines: number }
  | { readonly kind: 'html'; readonly end: RegExp | undefined }
  | SpokenFormula
  | SpokenTable;

interface SpokenState {
  /** Output that has not been taken yet. */
  text: string;
  /** Of all output but code. */
  readonly rows: WordRows;
  readonly containers: Container[];
  leaf: SpokenLeaf;
  /** A line with bars; the next line shows whether it is a table's header. */
  row: string | undefined;
  codeBlocks: number;
  /** The source had a blank line here. */
  blankBefore: boolean;
  hasBlocks: boolean;
  /** The depth of the last list item, which is spoken when it changes. */
  level: number;
}

function initialSpoken(rows: WordRows): SpokenState {
  return {
    text: '',
    rows,
    containers: [],
    leaf: { kind: 'none' },
    row: undefined,
    codeBlocks: 0,
    blankBefore: false,
    hasBlocks: false,
    level: 1,
  };
}

function writeLine(state: SpokenState, text: string): void {
  writeProse(state, `${text.replaceAll('\n', ' ')}\n`);
}

/** Text that is not code. */
function writeProse(state: SpokenState, text: string): void {
  state.text += state.rows.write(text);
}

/** The words before a block: of its quotes, and of the list items that it begins. Each item has them once. */
function takeLabel(state: SpokenState): string {
  const { containers } = state;
  const quotes = containers.filter(({ kind }) => kind === 'quote').length;
  const items = containers.filter((container) => container.kind === 'item');
  const begun = items.filter(({ shown }) => !shown);
  if (items.length === 0) state.level = 1;
  for (const item of begun) item.shown = true;
  const places: string[] = [];
  if (quotes > 0) places.push(quotes === 1 ? 'quote' : `quote in quote`);
  if (begun.length > 0 && items.length !== state.level) places.push(`level ${items.length}`);
  if (begun.length === 0) return places.map((place) => `${place}: `).join('');
  state.level = items.length;
  const markers = begun.map(({ marker }) =>
    marker.length === 1 ? 'bullet: ' : `${marker.slice(0, -1)}. `,
  );
  return places.map((place) => `${place}, `).join('') + markers.join('');
}

/** `[ ] text` in a list item is "to do: text". */
function taskText(label: string, text: string): string {
  const [mark, done] = /^\[([ xX])\](?:\s+|$)/.exec(text) ?? [];
  if (mark === undefined || !/(?:bullet: |\d\. )$/.test(label)) return label + text;
  const state = done === ' ' ? 'to do: ' : 'done: ';
  return label.replace(/bullet: $/, '') + state + text.slice(mark.length);
}

// Code has its number, language and number of lines before it, and its end after it.

/** Beyond either, code is written as it arrives, and the number of its lines is at its end. */
const maxLines = 400;
const maxSize = 64 * 1024;

function openCode(state: SpokenState, label: string): SpokenCode {
  state.codeBlocks += 1;
  return { number: state.codeBlocks, label, lines: [], size: 0, written: 0 };
}

function openFence(state: SpokenState, start: LineStart, label: string): Fence {
  const { mark, info, indent } = readFence(start, state.containers);
  return { kind: 'fence', language: info, mark, indent, code: openCode(state, label) };
}

const lineCount = (lines: number) => (lines === 1 ? '1 line' : `${lines} lines`);

function nameOf({ number }: SpokenCode, language: string): string {
  return language === '' ? `code ${number}` : `code ${number}, ${language}`;
}

function writeHeld(state: SpokenState, code: SpokenCode, language: string, size: string): void {
  if (code.written === 0) writeLine(state, `${code.label}${nameOf(code, language)}${size}:`);
  state.text += code.lines.map((line) => `${line}\n`).join('');
  code.written += code.lines.length;
  code.lines = [];
}

function addCodeLine(state: SpokenState, code: SpokenCode, language: string, line: string): void {
  code.lines.push(line);
  code.size += line.length;
  const isLong = code.written > 0 || code.lines.length > maxLines || code.size > maxSize;
  if (isLong) writeHeld(state, code, language, '');
}

function fencedLine(fence: Fence, { rest, column }: LineStart): string {
  return dedent(rest, column, fence.indent);
}

function closeCode(state: SpokenState, code: SpokenCode, language = ''): void {
  const { number, written, lines, label } = code;
  if (written + lines.length === 0) {
    writeLine(state, `${label}${nameOf(code, language)}, empty`);
    return;
  }
  writeHeld(state, code, language, `, ${lineCount(lines.length)}`);
  writeLine(state, `end of code ${number}${written > 0 ? `, ${lineCount(code.written)}` : ''}`);
}

/** A line of a displayed formula, which is written when its end is known. */
function addFormulaLine(state: SpokenState, text: string): void {
  const isOpen = state.leaf.kind === 'formula';
  const formula = state.leaf.kind === 'formula' ? state.leaf : openFormula(state, text);
  if (formula.lines) {
    formula.lines.push(text);
    if (isLongFormula(formula.lines)) closeFormula(state, formula);
  } else writeLine(state, spokenInline(text).trim());
  if (!text.includes(formula.close, isOpen ? 0 : 2)) state.leaf = formula;
  else {
    if (formula.lines) writeFormula(state, formula.label, formula.lines.join('\n'));
    state.leaf = none;
  }
}

function openFormula(state: SpokenState, text: string): SpokenFormula {
  return { kind: 'formula', label: takeLabel(state), close: formulaEnd(text) ?? '', lines: [] };
}

/** A formula without an end is text. */
function closeFormula(state: SpokenState, formula: SpokenFormula): void {
  const lines = formula.lines ?? [];
  formula.lines = undefined;
  const end = lines.findLastIndex((line) => line.trim() !== '') + 1;
  for (const [index, line] of lines.slice(0, end).entries()) {
    writeLine(state, spokenInline((index === 0 ? formula.label : '') + line).trim());
  }
  state.blankBefore ||= end < lines.length;
}

/** A formula is read as TeX. */
function writeFormula(state: SpokenState, label: string, source: string): void {
  const [, body = source, after = ''] =
    /^\s*(?:\$\$|\\\[)([^]*?)(?:\$\$|\\\])([^]*)$/.exec(source) ?? [];
  writeLine(state, `${label}formula: ${body.trim().replaceAll(/\s+/g, ' ')}${after.trimEnd()}`);
}

/** A longer sentence is written before its end. */
const maxSentence = 4000;

const none: SpokenLeaf = { kind: 'none' };

function writePart(state: SpokenState, paragraph: SpokenParagraph, length: number): void {
  const part = paragraph.rest.slice(0, length);
  paragraph.rest = paragraph.rest.slice(length);
  paragraph.searched = 0;
  if (part === '') return;
  const text = spokenInline(part);
  writeProse(state, paragraph.isWritten ? text : taskText(paragraph.label, text));
  paragraph.isWritten = true;
}

/** The length, or one less if it is within a surrogate pair. */
const wholeCharacters = (text: string, length: number) =>
  /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length;

/** The length of the next part to write; 0 if it is not complete. */
function partLength(paragraph: SpokenParagraph): number {
  const { rest, line, isWritten } = paragraph;
  const { length, searched } = findSentence(rest.slice(0, maxSentence), paragraph.searched);
  paragraph.searched = searched;
  const isHeaderPossible = line === 1 && !isWritten && rest.slice(0, length).includes('|');
  if (length > 0 && !isHeaderPossible) return length;
  if (rest.length < maxSentence) return 0;
  return rest.lastIndexOf(' ', maxSentence - 1) + 1 || wholeCharacters(rest, maxSentence);
}

/** Adds a part of the current line, and writes the sentences that are complete. */
function writeText(state: SpokenState, text: string): void {
  const { leaf } = state;
  if (leaf.kind !== 'paragraph') return;
  leaf.rest += text;
  for (let length = partLength(leaf); length > 0; length = partLength(leaf))
    writePart(state, leaf, length);
}

/** `[^1]: text` is "note 1: text". */
function definitionText(text: string): string {
  return text.replace(/^\[\^([^\]]+)\]:/, 'note $1:').replace(/^\[([^\]]+)\]:/, 'link $1:');
}

function openParagraph(state: SpokenState): void {
  const label = takeLabel(state);
  state.leaf = { kind: 'paragraph', rest: '', searched: 0, line: 1, label, isWritten: false };
}

function closeParagraph(state: SpokenState, paragraph: SpokenParagraph): void {
  paragraph.rest = paragraph.rest.trimEnd();
  writePart(state, paragraph, paragraph.rest.length);
  if (paragraph.isWritten) writeProse(state, '\n');
}

function closeLeaf(state: SpokenState): void {
  const { leaf } = state;
  if (leaf.kind === 'paragraph') closeParagraph(state, leaf);
  else if (leaf.kind === 'fence') closeCode(state, leaf.code, leaf.language);
  else if (leaf.kind === 'indented') {
    closeCode(state, leaf.code);
    state.blankBefore ||= leaf.blankLines > 0;
  } else if (leaf.kind === 'formula') closeFormula(state, leaf);
  state.leaf = none;
}

/** The row turned out not to be a table header, so it is a line of text. */
function settleRow(state: SpokenState): void {
  const { row } = state;
  if (row === undefined) return;
  state.row = undefined;
  if (state.leaf.kind === 'paragraph') beginLine(state.leaf);
  else openParagraph(state);
  writeText(state, row);
}

function beginLine(paragraph: SpokenParagraph): void {
  paragraph.line += 1;
  paragraph.rest = `${paragraph.rest.trimEnd()}\n`;
}

const cellText = (cell: string) =>
  spokenInline(cell)
    .trim()
    .replaceAll(/\s*\n\s*/g, ', ');

/** The header is the row before, or the paragraph if that is a single line with bars. */
function openTable(state: SpokenState, delimiter: string): void {
  const { leaf } = state;
  let header = state.row;
  let label = '';
  state.row = undefined;
  if (leaf.kind === 'paragraph' && header === undefined && !leaf.isWritten) {
    header = leaf.rest;
    ({ label } = leaf);
  } else {
    closeLeaf(state);
    label = takeLabel(state);
  }
  const cells = splitCells(header ?? delimiter);
  const names = cells.map((cell, column) =>
    header === undefined ? `column ${column + 1}` : cellText(cell),
  );
  const columns = names.length === 1 ? '1 column' : `${names.length} columns`;
  writeLine(state, `${label}table with ${columns}: ${names.join(', ')}`);
  state.leaf = { kind: 'table', names, rows: 0 };
}

function writeRow(state: SpokenState, row: string): void {
  if (state.leaf.kind !== 'table') return;
  state.leaf.rows += 1;
  const { names, rows } = state.leaf;
  const cells = splitCells(row).map((cell, column) => {
    const text = cellText(cell) || 'empty';
    const name = names[column] ?? '';
    return `${name === '' ? `column ${column + 1}` : name}: ${text}`;
  });
  writeLine(state, `row ${rows}, ${cells.join(', ')}`);
}

function writeHeading(state: SpokenState, source: string): void {
  const marks = /^#{1,6}/.exec(source)?.[0] ?? '';
  const title = source
    .slice(marks.length)
    .trim()
    .replace(/(?:^|\s)#+$/, '');
  writeLine(state, `${takeLabel(state)}Heading ${marks.length}: ${spokenInline(title)}`);
}

/** `===` or `---` below a line: a heading if that line is not written yet. */
function writeUnderline(state: SpokenState, rest: string): void {
  const { leaf } = state;
  const level = rest.startsWith('=') ? 1 : 2;
  if (leaf.kind === 'paragraph' && !leaf.isWritten) leaf.label += `Heading ${level}: `;
  closeLeaf(state);
}

function writeMarkup(state: SpokenState, text: string): void {
  const end = state.leaf.kind === 'html' ? state.leaf.end : htmlEnd(text);
  const label = state.leaf.kind === 'html' ? '' : takeLabel(state);
  const shown = spokenInline(text).trim();
  if (shown !== '') writeLine(state, label + shown);
  state.leaf = end?.test(text) ? none : { kind: 'html', end };
}

function addText(state: SpokenState, text: string): void {
  if (state.leaf.kind === 'paragraph') beginLine(state.leaf);
  else openParagraph(state);
  writeText(state, text);
}

function addIndented(state: SpokenState, text: string): void {
  if (state.leaf.kind !== 'indented') {
    state.leaf = { kind: 'indented', code: openCode(state, takeLabel(state)), blankLines: 0 };
  }
  const { code, blankLines } = state.leaf;
  for (let line = 0; line < blankLines; line += 1) addCodeLine(state, code, '', '');
  state.leaf.blankLines = 0;
  addCodeLine(state, code, '', text);
}

/** Takes a line within its containers. */
function acceptRest(state: SpokenState, start: LineStart): void {
  const { leaf } = state;
  const { kind, rest } = start;
  switch (kind) {
    case 'text':
      return addText(state, rest);
    case 'definition':
      return addText(state, definitionText(rest));
    case 'row':
      if (leaf.kind === 'table') writeRow(state, rest);
      else state.row = rest;
      return;
    case 'code':
      if (leaf.kind !== 'fence') return;
      return addCodeLine(state, leaf.code, leaf.language, fencedLine(leaf, start));
    case 'closing-fence':
      return closeLeaf(state);
    case 'fence':
      state.leaf = openFence(state, start, takeLabel(state));
      return;
    case 'indented':
      return addIndented(state, rest);
    case 'blank':
      if (leaf.kind === 'indented') leaf.blankLines += 1;
      return;
    case 'html':
    case 'markup':
      return writeMarkup(state, rest);
    case 'formula':
      return addFormulaLine(state, rest);
    case 'heading':
      return writeHeading(state, rest);
    case 'underline':
      return writeUnderline(state, rest);
    case 'rule':
      return writeLine(state, `${takeLabel(state)}separator`);
    case 'delimiter':
      return openTable(state, rest);
  }
}

/** How a line starts; undefined while more of the line could change that. */
function readLine(state: SpokenState, text: string, complete: boolean): LineStart | undefined {
  const { leaf, row, containers } = state;
  const isHeader = leaf.kind === 'paragraph' && leaf.line === 1 && leaf.rest.includes('|');
  const open = {
    kind: row === undefined ? leaf.kind : 'paragraph',
    fence: leaf.kind === 'fence' ? leaf.mark : undefined,
    headerBefore: row !== undefined || isHeader,
    endsAtBlank: leaf.kind === 'html' && leaf.end === undefined,
    inFormula: leaf.kind === 'paragraph' && isInFormula(leaf.rest),
  } as const;
  return readLineStart({ text, complete, containers, open });
}

function continues({ leaf, containers }: SpokenState, start: LineStart): boolean {
  const joinsParagraph = start.kind === 'row' || start.kind === 'underline';
  return continuesLeaf(leaf.kind, start, containers.length, joinsParagraph);
}

/** An item without content still has its label. */
function leaveContainers(state: SpokenState, continued: number): void {
  const left = state.containers.slice(continued);
  if (left.some((container) => container.kind === 'item' && !container.shown))
    writeLine(state, `${takeLabel(state)}empty`);
  state.containers.length = continued;
}

/** Closes what the line does not continue, and opens its containers. */
function move(state: SpokenState, { kind, opened, continued }: LineStart): void {
  closeLeaf(state);
  leaveContainers(state, continued);
  if (kind === 'blank') {
    state.blankBefore ||= opened.length === 0;
    state.containers.push(...opened);
    return;
  }
  state.containers.push(...opened);
  const isInList = state.containers.some((container) => container.kind === 'item');
  if (state.hasBlocks && state.blankBefore && !isInList) state.text += '\n';
  state.hasBlocks = true;
  state.blankBefore = false;
}

/** `---` right below a line that is not written yet is the underline of a heading. */
function isUnderline({ leaf, containers }: SpokenState, start: LineStart): boolean {
  if (leaf.kind !== 'paragraph' || leaf.isWritten || leaf.line > 1) return false;
  const { kind, opened, continued, rest } = start;
  const isInside = opened.length === 0 && continued === containers.length;
  return kind === 'rule' && isInside && /^-+[ \t]*$/.test(rest);
}

/** Takes the start of a line of text, or all of any other line. */
function acceptLine(state: SpokenState, read: LineStart): void {
  const start = isUnderline(state, read) ? ({ ...read, kind: 'underline' } as const) : read;
  if (start.kind === 'delimiter') return openTable(state, start.rest);
  settleRow(state);
  if (!continues(state, start)) move(state, start);
  acceptRest(state, start);
}

/** Writes everything that is still open. */
function endBlocks(state: SpokenState): void {
  settleRow(state);
  closeLeaf(state);
  leaveContainers(state, 0);
}

/**
 * Markdown as labelled text, for screen readers and dumb terminals: `Heading 2: …`, `row 1, name: …`,
 * `code 1, bash, 3 lines`. A block is written when it is complete, text by sentences. Takes sanitized Markdown in any
 * pieces; the joined output does not depend on them. Rows end between words, except in code.
 * @param width columns of a row, infinite to leave wrapping to the terminal
 * @param column used columns of the first row
 */
export function createSpokenMarkdown(width: () => number, column = 0): MarkdownStream {
  const state = initialSpoken(createWordRows(width, column));
  return createLineDriver({
    readLine: (text, complete) => readLine(state, text, complete),
    acceptLine: (start) => acceptLine(state, start),
    writeText: (text) => writeText(state, text),
    endText: () => undefined,
    end: () => endBlocks(state),
    take() {
      const { text } = state;
      state.text = '';
      return text;
    },
    loading: () => undefined,
    undecided: () => [],
  });
}
