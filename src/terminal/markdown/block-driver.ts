// Reads Markdown that arrives in any pieces as blocks, for a renderer that shows them on a screen or as spoken text.
import { Paragraph, type ReadPiece } from './paragraph.ts';
import {
  type Container,
  dedent,
  formulaEnd,
  type LineStart,
  readLineStart,
  undecidedStart,
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

type Leaf<Part> =
  | { readonly kind: 'none' | 'table' }
  | { readonly kind: 'paragraph'; readonly inline: Paragraph<Part> }
  /** `indent`: the columns to remove from each line */
  | { readonly kind: 'fence'; readonly mark: string; readonly indent: number }
  | { readonly kind: 'indented'; blankLines: number }
  | { readonly kind: 'formula'; readonly lines: string[] };

/** A longer line start that is still ambiguous is text. */
const maxStart = 1000;

/** UTF-16 units of a displayed formula; a longer one is text. */
const maxFormula = 4000;

/**
 * Reads text in any pieces; the joined output does not depend on the pieces. A renderer is a subclass that adds each
 * block to `text`.
 */
export abstract class BlockDriver<Part> implements MarkdownStream {
  /** The open quotes and list items. */
  protected readonly containers: Container[] = [];
  /** The source had a blank line here. */
  protected blankBefore = false;
  /** The output that is not taken yet. */
  protected text = '';
  /** The block that the next line may continue. */
  #leaf: Leaf<Part> = { kind: 'none' };
  /** A line with bars; the next line shows whether it is a table's header. */
  #row: string | undefined;
  #codeBlocks = 0;
  /** The part of the current line that is not accepted yet. */
  #line = '';
  /** What to do with more of the line: detect its kind, collect it, or write it as text. */
  #mode: 'start' | 'whole' | 'text' = 'start';

  /** Begins a block, in further containers. */
  protected abstract beginBlock(kind: LineStart['kind'], opened: readonly Container[]): void;
  protected abstract emptyItem(): void;
  protected abstract readonly read: ReadPiece<Part>;
  /** @returns the text that is to be written, without what a mark replaces */
  protected abstract openParagraph(text: string): string;
  protected abstract writeParts(parts: readonly Part[], paragraph: Paragraph<Part>): void;
  protected abstract closeParagraph(parts: readonly Part[]): void;
  /** Whether a line of dashes or equals signs below a paragraph of one line makes it a heading. */
  protected abstract mayBeHeading(): boolean;
  /** Shows an ATX heading. @param marks `#` to `######` */
  protected abstract heading(marks: string, title: string): void;
  protected abstract underline(source: string): void;
  protected abstract rule(source: string): void;
  /** @param info its first word is usually the language @param fence as written; undefined for indented code */
  protected abstract openCode(block: number, info: string, fence: string | undefined): void;
  protected abstract codeLine(text: string): void;
  protected abstract closeCode(): void;
  protected abstract formula(lines: readonly string[], close: string): void;
  /** Shows lines of a formula without an end as they are written. */
  protected abstract formulaSource(lines: readonly string[]): void;
  /**
   * @param header undefined if it was shown as the text of a paragraph
   * @param isAfterText a paragraph ends before the header
   */
  protected abstract openTable(
    header: string | undefined,
    delimiter: string,
    isAfterText: boolean,
  ): void;
  protected abstract tableRow(row: string): void;
  protected abstract closeTable(): void;
  /** The source of the open table, or of the decided text of a paragraph, that is not shown yet. */
  protected abstract undecidedBlock(): string;

  write(text: string): string {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#endLine();
      if (part !== '') this.#feed(part);
    }
    return this.#take();
  }

  end(): string {
    if (this.#line !== '') this.#endLine();
    this.#settleRow();
    this.#closeLeaf();
    this.#leaveContainers(0);
    return this.#take();
  }

  undecided(): string {
    const leaf = this.#leaf;
    const text = this.undecidedBlock() + (this.#inline?.undecided() ?? '');
    const formula = leaf.kind === 'formula' ? leaf.lines.join('\n') : '';
    return [text, formula, this.#row, this.#line].filter(Boolean).join('\n');
  }

  #take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }

  #feed(part: string): void {
    if (this.#mode === 'text') return this.#writeText(part);
    // In these blocks, the end of a line decides what it is.
    const isWhole = ['fence', 'formula', 'table'].includes(this.#leaf.kind);
    if (this.#mode === 'whole' || isWhole) {
      this.#line += part;
      return;
    }
    const room = maxStart - this.#line.length;
    this.#line += part.slice(0, room);
    const isKnown = !undecidedStart.test(this.#line);
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
    const start = isText ? undefined : this.#readLine(line);
    if (start !== undefined) this.#acceptLine(start);
    if (isText || start?.kind === 'text') this.#inline?.endLine();
  }

  get #inline(): Paragraph<Part> | undefined {
    return this.#leaf.kind === 'paragraph' ? this.#leaf.inline : undefined;
  }

  #writeText(text: string): void {
    const inline = this.#inline;
    if (inline !== undefined) this.writeParts(inline.write(text), inline);
  }

  #readLine(text: string): LineStart {
    const leaf = this.#leaf;
    const inline = this.#inline;
    return readLineStart(text, this.containers, {
      kind: this.#row === undefined ? leaf.kind : 'paragraph',
      fence: leaf.kind === 'fence' ? leaf.mark : undefined,
      headerBefore: this.#row !== undefined || inline?.mayBeHeader() === true,
      isTitle: this.#isTitle(),
      inFormula: inline?.isInFormula === true,
    });
  }

  /** The line before may be the whole title of a heading. */
  #isTitle(): boolean {
    return this.#inline?.endedLines === 1 && this.mayBeHeading();
  }

  /** Takes the start of a text line, or all of any other line. */
  #acceptLine(start: LineStart): void {
    const { kind, rest, opened, continued } = start;
    if (kind !== 'delimiter') this.#settleRow();
    if (kind !== 'delimiter' && !this.#continues(start)) {
      this.#closeLeaf();
      this.#leaveContainers(continued);
      if (kind === 'blank') this.blankBefore ||= opened.length === 0;
      else {
        this.beginBlock(kind, opened);
        this.blankBefore = false;
      }
      this.containers.push(...opened);
    }
    const leaf = this.#leaf;
    switch (kind) {
      case 'text':
        return this.#addText(rest);
      case 'delimiter': {
        const header = this.#row;
        this.#row = undefined;
        this.#closeLeaf();
        this.openTable(header, rest, leaf.kind === 'paragraph');
        this.#leaf = { kind: 'table' };
        return;
      }
      case 'row':
        if (leaf.kind === 'table') this.tableRow(rest);
        else this.#row = rest;
        return;
      case 'code':
        if (leaf.kind === 'fence') this.codeLine(dedent(rest, start.column, leaf.indent));
        return;
      case 'closing-fence':
        return this.#closeLeaf();
      case 'fence': {
        const mark = /^(?:`+|~+)/.exec(rest)?.[0] ?? '';
        const around = this.containers.map((one) => (one.kind === 'item' ? one.indent : 2));
        const indent = around.reduce((left, columns) => left - columns, start.column);
        this.#codeBlocks += 1;
        this.#leaf = { kind: 'fence', mark, indent };
        this.openCode(this.#codeBlocks, rest.slice(mark.length).trim(), mark);
        return;
      }
      case 'indented':
        if (leaf.kind === 'indented') {
          for (; leaf.blankLines > 0; leaf.blankLines -= 1) this.codeLine('');
        } else {
          this.#codeBlocks += 1;
          this.#leaf = { kind: 'indented', blankLines: 0 };
          this.openCode(this.#codeBlocks, '', undefined);
        }
        return this.codeLine(rest);
      case 'blank':
        if (leaf.kind === 'indented') leaf.blankLines += 1;
        return;
      case 'formula':
        return this.#addFormulaLine(rest);
      case 'heading': {
        const [marks = ''] = /^#+/.exec(rest) ?? [];
        const title = rest.slice(marks.length).trim();
        // `## Title ##` is `## Title`.
        return this.heading(marks, title.replace(/(?:^|[ \t])#+$/, '').trimEnd());
      }
      case 'underline':
        this.underline(rest);
        return this.#closeLeaf();
      case 'rule':
        return this.rule(rest);
    }
  }

  #continues({ kind, opened, continued }: LineStart): boolean {
    const leaf = this.#leaf;
    const isWhole = opened.length === 0 && continued === this.containers.length;
    switch (leaf.kind) {
      case 'paragraph':
        if (kind === 'text') return opened.length === 0;
        if (kind === 'underline') return isWhole && this.#isTitle();
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

  /** Closes the containers after the first `continued`. An item without content is still shown. */
  #leaveContainers(continued: number): void {
    const { containers } = this;
    const left = containers.slice(continued);
    const isEmpty = left.some((container) => container.kind === 'item' && !container.shown);
    if (isEmpty) this.emptyItem();
    containers.length = continued;
  }

  #addText(text: string): void {
    const isOpen = this.#leaf.kind === 'paragraph';
    if (!isOpen) this.#leaf = { kind: 'paragraph', inline: new Paragraph(this.read) };
    this.#writeText(isOpen ? text : this.openParagraph(text));
  }

  /** The row turned out not to be a table header, so it is a line of text. */
  #settleRow(): void {
    const row = this.#row;
    if (row === undefined) return;
    this.#row = undefined;
    this.#addText(row);
    this.#inline?.endLine();
  }

  /** A line of a displayed formula, which is shown when its end is known. */
  #addFormulaLine(text: string): void {
    const lines = this.#leaf.kind === 'formula' ? this.#leaf.lines : [];
    lines.push(text);
    this.#leaf = { kind: 'formula', lines };
    const close = formulaEnd(lines[0] ?? '') ?? '';
    if (text.includes(close, lines.length === 1 ? 2 : 0)) {
      this.#leaf = { kind: 'none' };
      this.formula(lines, close);
    } else if (lines.reduce((sum, line) => sum + line.length + 1, 0) > maxFormula) {
      this.#closeLeaf();
    }
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = { kind: 'none' };
    if (leaf.kind === 'paragraph') this.closeParagraph(leaf.inline.end());
    else if (leaf.kind === 'table') this.closeTable();
    else if (leaf.kind === 'formula') this.formulaSource(leaf.lines);
    else if (leaf.kind === 'fence' || leaf.kind === 'indented') {
      this.closeCode();
      if (leaf.kind === 'indented') this.blankBefore ||= leaf.blankLines > 0;
    }
  }
}
