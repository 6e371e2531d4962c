import { BlockDriver } from './block-driver.ts';
import type { Container, LineStart } from './line-start.ts';
import { createWordRows } from '../text/rows.ts';
import { escapeMarks, lexInline, mapFormulas, withCharacters } from './inline.ts';
import { Paragraph, type ReadPiece } from './paragraph.ts';
import { splitCells } from './table.ts';
import type { Token, Tokens } from 'marked';
import { withoutMarks } from '../formula.ts';
import { sanitizeLine } from '../safety/sanitizer.ts';

/** Tags that change only the look of their content. */
const lookTag =
  /^<\/?(?:kbd|b|i|em|strong|u|s|sub|sup|mark|small|span|code|center|summary|details|p|div)(?:\s[^<>]*)?>$/i;
const breakTag = /^<(?:br|hr|wbr)\s*\/?>$/i;

/** `[^1]` is "(note 1)", `[text][1]` is "text (link 1)". */
function withNotes(text: string): string {
  return text
    .replaceAll(/ ?\[\^([^\][\s]+)\]/g, ' (note $1)')
    .replaceAll(/\[([^\][]+)\]\[([^\][]+)\]/g, '$1 (link $2)');
}

/** A line `[^1]: text` is "note 1: text". A piece has the line end before its text. */
function withDefinitions(text: string): string {
  return text
    .replaceAll(/(^|\n)\[\^([^\]]+)\]:/g, '$1note $2:')
    .replaceAll(/(^|\n)\[([^\]]+)\]:/g, '$1link $2:');
}

function linkText(token: Tokens.Link | Tokens.Image): string {
  const label = token.type === 'image' ? token.text : tokensText(token.tokens);
  const target = [token.href, token.title ?? ''].filter((part) => part !== '').join(', ');
  // The lexer decodes character references in addresses: the result must not control or hide anything.
  if (sanitizeLine(target) !== target) return token.raw;
  if (token.type === 'image') return `(image: ${[label, target].filter(Boolean).join(', ')})`;
  const isAddress = [label, `http://${label}`, `mailto:${label}`].includes(target);
  return isAddress || target === '' ? label : `${label} (link: ${target})`;
}

function tokenText(token: Token): string {
  switch (token.type) {
    case 'strong':
    case 'em':
      return tokensText(token.tokens ?? []);
    case 'del': {
      const text = tokensText(token.tokens ?? []);
      // A single tilde usually means "about".
      return token.raw.startsWith('~~') ? `(deleted: ${text})` : `~${text}~`;
    }
    case 'codespan':
    case 'escape':
      return (token as Tokens.Codespan).text;
    case 'link':
    case 'image':
      return linkText(token as Tokens.Link);
    case 'br':
      return '\n';
    case 'html':
      if (breakTag.test(token.raw)) return '\n';
      return lookTag.test(token.raw) ? '' : token.raw;
    default:
      return withNotes(withCharacters(token.raw));
  }
}

/** Inline Markdown as text: without its marks, links with their addresses, formulas as TeX. */
const tokensText = (tokens: readonly Token[]): string => tokens.map(tokenText).join('');

/** A piece of inline Markdown as text. Line ends stay. */
const readSpoken: ReadPiece<string> = (text, formulas) => {
  if (formulas === undefined) return [withNotes(withDefinitions(text))];
  const [lead = ''] = /^\s*/.exec(text) ?? [];
  const spoken = (formula: string) => escapeMarks(withoutMarks(formula).trim());
  const source = withDefinitions(mapFormulas(text, formulas, spoken));
  return [lead + tokensText(lexInline(source.slice(lead.length)))];
};

function spokenInline(source: string): string {
  return new Paragraph(readSpoken).whole(source).join('');
}

/** Beyond either, code is written as it arrives, and the number of its lines is at its end. */
const maxLines = 400;
const maxSize = 64 * 1024;
/** A longer sentence is written before its end. */
const maxSentence = 4000;

/**
 * Markdown as labelled text, for screen readers and dumb terminals: `Heading 2: …`, `row 1, name: …`,
 * `code 1, bash, 3 lines`. A block is written when it is complete, text by sentences. Takes sanitized Markdown in any
 * pieces; the joined output does not depend on them. Rows end between words, except in code.
 */
export class SpokenMarkdown extends BlockDriver<string> {
  protected readonly read = readSpoken;
  /** The rows of all output but code. */
  readonly #rows: ReturnType<typeof createWordRows>;
  #hasBlocks = false;
  /** The depth of the last list item, which is spoken when it changes. */
  #level = 1;
  /** The open or last paragraph; `ready` is decided, but not written yet. */
  #paragraph = { ready: '', label: '', isWritten: false };
  /** The open or last code; its lines are held back until their number is known or there are too many. */
  #code = { number: 0, head: '', lines: [] as string[], size: 0, written: 0 };
  /** The names of the columns of the open table, and the number of its rows so far. */
  #table: { readonly names: readonly string[]; rows: number } = { names: [], rows: 0 };

  /**
   * @param width columns of a row, infinite to leave wrapping to the terminal
   * @param column used columns of the first row
   */
  constructor(width: () => number, column = 0) {
    super();
    this.#rows = createWordRows(width, column);
  }

  protected beginBlock(_kind: LineStart['kind'], opened: readonly Container[]): void {
    const isInList = [...this.containers, ...opened].some(({ kind }) => kind === 'item');
    if (this.#hasBlocks && this.blankBefore && !isInList) this.text += '\n';
    this.#hasBlocks = true;
  }

  protected emptyItem(): void {
    this.#writeLine(`${this.#takeLabel()}empty`);
  }

  protected openParagraph(text: string): string {
    this.#paragraph = { ready: '', label: this.#takeLabel(), isWritten: false };
    return text;
  }

  protected writeParts(parts: readonly string[], words: Paragraph<string>): void {
    this.#paragraph.ready += parts.join('');
    if (this.#paragraph.ready === '') return;
    this.#writePart(partLength(this.#paragraph.ready, words.undecided()));
  }

  #writePart(length: number): void {
    const { ready, label, isWritten } = this.#paragraph;
    const text = ready.slice(0, length);
    if (text === '') return;
    this.#writeProse(isWritten ? text : taskText(label, text));
    this.#paragraph = { ready: ready.slice(length), label, isWritten: true };
  }

  protected closeParagraph(parts: readonly string[]): void {
    this.#paragraph.ready += parts.join('').trimEnd();
    this.#writePart(this.#paragraph.ready.length);
    if (this.#paragraph.isWritten) this.#writeProse('\n');
  }

  protected mayBeHeading(): boolean {
    return !this.#paragraph.isWritten;
  }

  protected heading(marks: string, title: string): void {
    this.#writeLine(`${this.#takeLabel()}Heading ${marks.length}: ${spokenInline(title)}`);
  }

  protected underline(source: string): void {
    this.#paragraph.label += `Heading ${source.startsWith('=') ? 1 : 2}: `;
  }

  protected rule(): void {
    this.#writeLine(`${this.#takeLabel()}separator`);
  }

  protected openCode(number: number, language: string): void {
    const head = `${this.#takeLabel()}code ${number}${language === '' ? '' : `, ${language}`}`;
    this.#code = { number, head, lines: [], size: 0, written: 0 };
  }

  protected codeLine(text: string): void {
    const code = this.#code;
    code.lines.push(text);
    code.size += text.length;
    const isLong = code.written > 0 || code.lines.length > maxLines || code.size > maxSize;
    if (isLong) this.#writeHeld('');
  }

  #writeHeld(size: string): void {
    const code = this.#code;
    if (code.written === 0) this.#writeLine(`${code.head}${size}:`);
    this.text += code.lines.map((line) => `${line}\n`).join('');
    code.written += code.lines.length;
    code.lines = [];
  }

  protected closeCode(): void {
    const { number, written, lines, head } = this.#code;
    if (written + lines.length === 0) return this.#writeLine(`${head}, empty`);
    this.#writeHeld(`, ${lineCount(lines.length)}`);
    const size = written > 0 ? `, ${lineCount(this.#code.written)}` : '';
    return this.#writeLine(`end of code ${number}${size}`);
  }

  protected formula(lines: readonly string[]): void {
    const source = lines.join('\n');
    const [, body = source, after = ''] =
      /^\s*(?:\$\$|\\\[)([^]*?)(?:\$\$|\\\])([^]*)$/.exec(source) ?? [];
    const text = body.trim().replaceAll(/\s+/g, ' ');
    this.#writeLine(`${this.#takeLabel()}formula: ${text}${after.trimEnd()}`);
  }

  protected formulaSource(lines: readonly string[]): void {
    const end = lines.findLastIndex((line) => line.trim() !== '') + 1;
    for (const [index, line] of lines.slice(0, end).entries()) {
      const label = index === 0 ? this.#takeLabel() : '';
      this.#writeLine(spokenInline(label + line).trim());
    }
    this.blankBefore ||= end < lines.length;
  }

  /** The header is the row before; a line of text with bars was read as text. */
  protected openTable(header: string | undefined, delimiter: string): void {
    const label = this.#takeLabel();
    const names = splitCells(header ?? delimiter).map((cell, column) =>
      header === undefined ? `column ${column + 1}` : cellText(cell),
    );
    const columns = names.length === 1 ? '1 column' : `${names.length} columns`;
    this.#writeLine(`${label}table with ${columns}: ${names.join(', ')}`);
    this.#table = { names, rows: 0 };
  }

  protected tableRow(row: string): void {
    this.#table.rows += 1;
    const { names, rows } = this.#table;
    const cells = splitCells(row).map((cell, column) => {
      const text = cellText(cell) || 'empty';
      return `${names[column] || `column ${column + 1}`}: ${text}`;
    });
    this.#writeLine(`row ${rows}, ${cells.join(', ')}`);
  }

  protected closeTable(): void {
    // Each row is written when it is complete.
  }

  protected undecidedBlock(): string {
    return this.#paragraph.ready;
  }

  #writeLine(text: string): void {
    this.#writeProse(`${text.replaceAll('\n', ' ')}\n`);
  }

  /** Writes text that is not code. */
  #writeProse(text: string): void {
    this.text += this.#rows(text, true);
  }

  /** The words before a block, which name its quotes and the list items that it begins. Each item has them once. */
  #takeLabel(): string {
    const quotes = this.containers.filter(({ kind }) => kind === 'quote').length;
    const items = this.containers.filter((container) => container.kind === 'item');
    const begun = items.filter(({ shown }) => !shown);
    if (items.length === 0) this.#level = 1;
    for (const item of begun) item.shown = true;
    const places: string[] = [];
    if (quotes > 0) places.push(quotes === 1 ? 'quote' : 'quote in quote');
    if (begun.length > 0 && items.length !== this.#level) places.push(`level ${items.length}`);
    if (begun.length === 0) return places.map((place) => `${place}: `).join('');
    this.#level = items.length;
    const markers = begun.map(({ marker }) =>
      marker.length === 1 ? 'bullet: ' : `${marker.slice(0, -1)}. `,
    );
    return places.map((place) => `${place}, `).join('') + markers.join('');
  }
}

/** Where a sentence or a line ends, before the space that follows. */
const sentenceEnd = /[.!?:…。！？]["'”’)\]]*(?=\s)|[。！？]["'”’)\]]*(?=.)|(?=\n)/g;

/** The length of the text to write: whole sentences and lines. */
function partLength(ready: string, undecided: string): number {
  if (ready.length > maxSentence) return ready.length;
  const text = ready + undecided.slice(0, maxSentence);
  const ends = Array.from(text.matchAll(sentenceEnd), (found) => found.index + found[0].length);
  return ends.findLast((end) => end <= ready.length) ?? 0;
}

/** `[ ] text` in a list item is "to do: text". */
function taskText(label: string, text: string): string {
  const [mark, done] = /^\[([ xX])\](?:[ \t]+|(?=\n)|$)/.exec(text) ?? [];
  if (mark === undefined || !/(?:bullet: |\d\. )$/.test(label)) return label + text;
  const state = done === ' ' ? 'to do: ' : 'done: ';
  return label.replace(/bullet: $/, '') + state + text.slice(mark.length);
}

const lineCount = (lines: number) => (lines === 1 ? '1 line' : `${lines} lines`);

const cellText = (cell: string) =>
  spokenInline(cell)
    .trim()
    .replaceAll(/\s*\n\s*/g, ', ');
