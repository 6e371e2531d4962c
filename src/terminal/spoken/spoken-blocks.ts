// The blocks of an answer as labelled lines.
import type { LineStart } from '../markdown/containers.ts';
import { htmlEnd } from '../markdown/leaf-syntax.ts';
import { splitCells } from '../markdown/table.ts';
import { addCodeLine, closeCode, fencedLine, openCode, openFence } from './spoken-code.ts';
import { addFormulaLine, closeFormula } from './spoken-formula-block.ts';
import { findSentence, isInFormula, spokenInline } from './spoken-inline.ts';
import {
  takeLabel,
  taskText,
  writeLine,
  writeProse,
  type SpokenLeaf,
  type SpokenParagraph,
  type SpokenState,
} from './spoken-state.ts';

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
export function writeText(state: SpokenState, text: string): void {
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

export function closeLeaf(state: SpokenState): void {
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
export function settleRow(state: SpokenState): void {
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
export function openTable(state: SpokenState, delimiter: string): void {
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
export function acceptRest(state: SpokenState, start: LineStart): void {
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

export function paragraphInFormula({ leaf }: SpokenState): boolean {
  return leaf.kind === 'paragraph' && isInFormula(leaf.rest);
}
