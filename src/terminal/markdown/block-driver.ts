// Reads Markdown that arrives in any pieces as blocks, for a renderer that shows them on a screen or as spoken text.
import { Paragraph, type ReadPiece } from './paragraph.ts';
import {
  type Container,
  dedent,
  formulaEnd,
  isUndecided,
  type LineStart,
  readFence,
  readLineStart,
} from './line-start.ts';

/** Turns text into what a terminal shows. Output is final. */
export interface TextTransform {
  /** The output that this part of the text decides. */
  write(text: string): string;
  /** The rest. */
  end(): string;
}

/** The output ends with a line end, unless there was no text. */
export interface MarkdownStream extends TextTransform {
  /** The source of what is not decided yet, for a preview. */
  undecided(): string;
}

/** Shows the blocks of one answer. Each call may add to the output. */
export interface BlockRenderer<Part> {
  /** The open quotes and list items. */
  readonly containers: Container[];
  /** The source had a blank line here. */
  blankBefore: boolean;
  /** Begins a block, in further containers. */
  beginBlock(kind: LineStart['kind'], opened: readonly Container[]): void;
  /** Shows a list item without content. */
  emptyItem(): void;
  /** Reads a piece of a paragraph. */
  readonly read: ReadPiece<Part>;
  /** @returns the text that is to be written, without what a mark replaces */
  openParagraph(text: string): string;
  writeParts(parts: readonly Part[], paragraph: Paragraph<Part>): void;
  /** Takes the last parts. */
  closeParagraph(parts: readonly Part[]): void;
  /** Whether a line of dashes or equals signs below a paragraph of one line makes it a heading. */
  mayBeHeading(): boolean;
  /** Shows an ATX heading. @param marks `#` to `######` */
  heading(marks: string, title: string): void;
  underline(source: string): void;
  rule(source: string): void;
  /** @param fence the mark as written; undefined for indented code */
  openCode(block: number, info: string, fence: string | undefined): void;
  codeLine(text: string): void;
  closeCode(): void;
  formula(lines: readonly string[], close: string): void;
  /** Shows lines of a formula without an end as they are written. */
  formulaSource(lines: readonly string[]): void;
  /**
   * @param header undefined if the paragraph before may be the header
   * @param paragraph it is still open, and is to be closed
   */
  openTable(
    header: string | undefined,
    delimiter: string,
    paragraph: Paragraph<Part> | undefined,
  ): void;
  tableRow(row: string): void;
  closeTable(): void;
  /** The output so far, which is taken once. */
  take(): string;
  /** The source of the open table, or of the decided text of a paragraph, that is not shown yet. */
  undecided(): string;
}

type Leaf<Part> =
  | { readonly kind: 'none' | 'table' }
  | { readonly kind: 'paragraph'; readonly inline: Paragraph<Part> }
  | { readonly kind: 'fence'; readonly mark: string; readonly indent: number }
  | { readonly kind: 'indented'; blankLines: number }
  | { readonly kind: 'formula'; readonly close: string; readonly lines: string[] };

/** A longer line start that is still ambiguous is text. */
const maxStart = 1000;

/** UTF-16 units of a displayed formula; a longer one is text. */
const maxFormula = 4000;

/** The blocks in which the end of a line decides what it is. */
const readWhole: ReadonlySet<string> = new Set(['fence', 'formula', 'table']);

/** Reads text in any pieces for a renderer; the joined output does not depend on the pieces. */
export class BlockDriver<Part> implements MarkdownStream {
  readonly #renderer: BlockRenderer<Part>;
  /** The block that the next line may continue. */
  #leaf: Leaf<Part> = { kind: 'none' };
  /** A line with bars; the next line shows whether it is a table's header. */
  #row: string | undefined;
  #codeBlocks = 0;
  /** The part of the current line that is not accepted yet. */
  #line = '';
  /** What to do with more of the line: detect its kind, collect it, or write it as text. */
  #mode: 'start' | 'whole' | 'text' = 'start';

  constructor(renderer: BlockRenderer<Part>) {
    this.#renderer = renderer;
  }

  write(text: string): string {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#endLine();
      if (part !== '') this.#feed(part);
    }
    return this.#renderer.take();
  }

  end(): string {
    if (this.#line !== '') this.#endLine();
    this.#settleRow();
    this.#closeLeaf();
    this.#leaveContainers(0);
    return this.#renderer.take();
  }

  undecided(): string {
    const leaf = this.#leaf;
    const inline = leaf.kind === 'paragraph' ? leaf.inline.undecided() : '';
    const formula = leaf.kind === 'formula' ? leaf.lines.join('\n') : '';
    const parts = [this.#renderer.undecided() + inline, formula, this.#row];
    return [...parts, this.#line].filter(Boolean).join('\n');
  }

  #feed(part: string): void {
    if (this.#mode === 'text') return this.#writeText(part);
    if (this.#mode === 'whole' || readWhole.has(this.#leaf.kind)) {
      this.#line += part;
      return;
    }
    const room = maxStart - this.#line.length;
    this.#line += part.slice(0, room);
    const isKnown = !isUndecided(this.#line);
    if (!isKnown && this.#line.length < maxStart) return;
    const start = this.#readLine(this.#line);
    const isText = !isKnown || start.kind === 'text';
    if (isText) {
      this.#acceptLine(isKnown ? start : { ...start, kind: 'text' });
      this.#line = '';
    }
    this.#mode = isText ? 'text' : 'whole';
    if (part.length > room) this.#feed(part.slice(room));
  }

  #endLine(): void {
    const line = this.#line;
    const isText = this.#mode === 'text';
    this.#mode = 'start';
    this.#line = '';
    if (isText) return this.#endText();
    const start = this.#readLine(line);
    this.#acceptLine(start);
    if (start.kind === 'text') this.#endText();
  }

  #writeText(text: string): void {
    if (this.#leaf.kind !== 'paragraph') return;
    const { inline } = this.#leaf;
    this.#renderer.writeParts(inline.write(text), inline);
  }

  #endText(): void {
    if (this.#leaf.kind === 'paragraph') this.#leaf.inline.endLine();
  }

  #readLine(text: string): LineStart {
    const leaf = this.#leaf;
    const inline = leaf.kind === 'paragraph' ? leaf.inline : undefined;
    return readLineStart(text, this.#renderer.containers, {
      kind: this.#row === undefined ? leaf.kind : 'paragraph',
      fence: leaf.kind === 'fence' ? leaf.mark : undefined,
      headerBefore: this.#row !== undefined || inline?.mayBeHeader() === true,
      inFormula: inline?.isInFormula === true,
    });
  }

  /** Takes the start of a text line, or all of any other line. */
  #acceptLine(read: LineStart): void {
    const { kind, rest } = read;
    if (kind === 'delimiter') {
      const inline = this.#leaf.kind === 'paragraph' ? this.#leaf.inline : undefined;
      this.#renderer.openTable(this.#row, rest, inline);
      this.#row = undefined;
      this.#leaf = { kind: 'table' };
      return;
    }
    const isUnderline = kind === 'rule' && /^-+[ \t]*$/.test(rest) && this.#isHeading(read);
    const start: LineStart = isUnderline ? { ...read, kind: 'underline' } : read;
    this.#settleRow();
    if (!this.#continues(start)) this.#move(start);
    this.#acceptRest(start);
  }

  #isHeading({ opened, continued }: LineStart): boolean {
    const isInside = opened.length === 0 && continued === this.#renderer.containers.length;
    const isOneLine = this.#leaf.kind === 'paragraph' && this.#leaf.inline.endedLines === 1;
    return isInside && isOneLine && this.#renderer.mayBeHeading();
  }

  /** Whether a line belongs to the open block. */
  #continues(start: LineStart): boolean {
    const leaf = this.#leaf;
    const { kind, opened, continued } = start;
    const isWhole = opened.length === 0 && continued === this.#renderer.containers.length;
    switch (leaf.kind) {
      case 'paragraph':
        if (kind === 'text') return opened.length === 0;
        if (kind === 'underline') return this.#isHeading(start);
        return isWhole && kind === 'row';
      case 'fence':
        return kind === 'code' || kind === 'closing-fence';
      case 'formula':
        return kind === 'formula' && opened.length === 0;
      case 'indented':
        return isWhole && (kind === 'indented' || kind === 'blank');
      case 'table':
        return isWhole && kind === 'row';
      case 'none':
        return false;
    }
  }

  /** Closes what the line does not continue, and opens its containers. */
  #move({ kind, opened, continued }: LineStart): void {
    const renderer = this.#renderer;
    this.#closeLeaf();
    this.#leaveContainers(continued);
    if (kind === 'blank') renderer.blankBefore ||= opened.length === 0;
    else {
      renderer.beginBlock(kind, opened);
      renderer.blankBefore = false;
    }
    renderer.containers.push(...opened);
  }

  /** Closes the containers after the first `continued`. An item without content is still shown. */
  #leaveContainers(continued: number): void {
    const { containers } = this.#renderer;
    const left = containers.slice(continued);
    const isEmpty = left.some((container) => container.kind === 'item' && !container.shown);
    if (isEmpty) this.#renderer.emptyItem();
    containers.length = continued;
  }

  /** Takes a line within its containers. */
  #acceptRest(start: LineStart): void {
    const leaf = this.#leaf;
    const renderer = this.#renderer;
    const { kind, rest } = start;
    switch (kind) {
      case 'text':
        return this.#addText(rest);
      case 'row':
        if (leaf.kind === 'table') renderer.tableRow(rest);
        else this.#row = rest;
        return;
      case 'code':
        if (leaf.kind === 'fence') renderer.codeLine(dedent(rest, start.column, leaf.indent));
        return;
      case 'closing-fence':
        return this.#closeLeaf();
      case 'fence': {
        const { mark, info, indent } = readFence(start, renderer.containers);
        this.#codeBlocks += 1;
        this.#leaf = { kind: 'fence', mark, indent };
        renderer.openCode(this.#codeBlocks, info, mark);
        return;
      }
      case 'indented':
        return this.#addIndented(rest);
      case 'blank':
        if (leaf.kind === 'indented') leaf.blankLines += 1;
        return;
      case 'formula':
        return this.#addFormulaLine(rest);
      case 'heading': {
        const [marks = ''] = /^#+/.exec(rest) ?? [];
        const title = rest.slice(marks.length).trim();
        // `## Title ##` is `## Title`.
        return renderer.heading(marks, title.replace(/(?:^|[ \t])#+$/, '').trimEnd());
      }
      case 'underline':
        renderer.underline(rest);
        return this.#closeLeaf();
      case 'rule':
        return renderer.rule(rest);
      case 'delimiter':
        return undefined;
    }
  }

  #addText(text: string): void {
    const isOpen = this.#leaf.kind === 'paragraph';
    if (!isOpen) this.#leaf = { kind: 'paragraph', inline: new Paragraph(this.#renderer.read) };
    this.#writeText(isOpen ? text : this.#renderer.openParagraph(text));
  }

  /** The row turned out not to be a table header, so it is a line of text. */
  #settleRow(): void {
    const row = this.#row;
    if (row === undefined) return;
    this.#row = undefined;
    this.#addText(row);
    this.#endText();
  }

  #addIndented(text: string): void {
    const renderer = this.#renderer;
    if (this.#leaf.kind === 'indented') {
      for (; this.#leaf.blankLines > 0; this.#leaf.blankLines -= 1) renderer.codeLine('');
    } else {
      this.#codeBlocks += 1;
      this.#leaf = { kind: 'indented', blankLines: 0 };
      renderer.openCode(this.#codeBlocks, '', undefined);
    }
    renderer.codeLine(text);
  }

  /** A line of a displayed formula, which is shown when its end is known. */
  #addFormulaLine(text: string): void {
    const isFirst = this.#leaf.kind !== 'formula';
    const formula =
      this.#leaf.kind === 'formula'
        ? this.#leaf
        : { kind: 'formula' as const, close: formulaEnd(text) ?? '', lines: [] };
    const { close, lines } = formula;
    lines.push(text);
    this.#leaf = formula;
    if (text.includes(close, isFirst ? 2 : 0)) {
      this.#leaf = { kind: 'none' };
      this.#renderer.formula(lines, close);
    } else if (lines.reduce((sum, line) => sum + line.length + 1, 0) > maxFormula) {
      this.#closeLeaf();
    }
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    const renderer = this.#renderer;
    this.#leaf = { kind: 'none' };
    if (leaf.kind === 'paragraph') renderer.closeParagraph(leaf.inline.end());
    else if (leaf.kind === 'table') renderer.closeTable();
    else if (leaf.kind === 'formula') renderer.formulaSource(leaf.lines);
    else if (leaf.kind === 'fence' || leaf.kind === 'indented') {
      renderer.closeCode();
      if (leaf.kind === 'indented') renderer.blankBefore ||= leaf.blankLines > 0;
    }
  }
}
