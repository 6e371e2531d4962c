import { openHighlight } from '../highlight.ts';
import { formulaRows } from '../formula.ts';
import type { Look, Style } from '../style.ts';
import { displayWidth } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import { BlockDriver } from './block-driver.ts';
import {
  inlineText,
  readSpans,
  type MarkdownLook,
  mergeSpans,
  paintSpans,
  type Span,
  visibleText,
} from './inline.ts';
import type { ReadPiece } from './paragraph.ts';
import type { Item, LineStart } from './line-start.ts';
import { createTable } from './table.ts';
import { createRows } from '../text/rows.ts';

/** Takes the first `length` characters out of spans, which are in reverse order. */
function takeSpans(reversed: Span[], length: number): readonly Span[] {
  const taken: Span[] = [];
  for (let left = length; left > 0;) {
    const span = reversed.pop();
    if (span === undefined) break;
    taken.push({ ...span, text: span.text.slice(0, left) });
    if (span.text.length > left) reversed.push({ ...span, text: span.text.slice(left) });
    left -= span.text.length;
  }
  return taken;
}

/** `words`: natter ends rows of prose between words; `none`: the terminal wraps lines. */
export type WrapMode = 'words' | 'none';

export interface MarkdownStreamOptions extends MarkdownLook {
  /** Columns of the terminal, read whenever a table or a rule is laid out. */
  readonly width: () => number;
  /** `none` by default. */
  readonly wrap?: WrapMode;
  /** What to type for a code block with this number, at the end of its rule. */
  readonly codeHint?: (block: number) => string;
}

type BlockKind = 'flow' | 'heading' | 'code' | 'table';

/** The columns of the shortest rule, also between the title and the hint of a code block. */
const minRule = 3;
/** The indentation of displayed formulas. */
const indent = '  ';

/** The looks of headings by their level; those of deeper ones are italic. */
const headingLooks: Readonly<Record<number, readonly Look[]>> = {
  1: ['bold', 'underline', 'magenta'],
  2: ['bold', 'magenta'],
  3: ['bold'],
};

/**
 * Takes sanitized Markdown in any pieces; the joined output does not depend on them. Setext headings and link
 * references are shown as written, because they can be recognised only by later text.
 */
export class ScreenMarkdown extends BlockDriver<Span> {
  protected readonly read: ReadPiece<Span>;
  readonly #options: MarkdownStreamOptions;
  readonly #style: Style;
  /** Undefined if the terminal wraps prose. */
  readonly #rows: ReturnType<typeof createRows> | undefined;
  /** The end of the paragraph or heading, whose place in rows depends on what follows. */
  #held: readonly Span[] = [];
  #previous: BlockKind | undefined;
  #table: ReturnType<typeof createTable> | undefined;
  /** The mark of the open code; undefined for indented code. */
  #fence: string | undefined;
  /** Styles the lines of the open code. */
  #highlight = unchanged;

  constructor(options: MarkdownStreamOptions) {
    super();
    const { style, width } = options;
    this.#options = options;
    this.#style = style;
    this.read = readSpans(options);
    this.#rows = options.wrap === 'words' ? createRows(width) : undefined;
  }

  protected beginBlock(kind: LineStart['kind']): void {
    if (kind === 'fence' || kind === 'indented') this.#begin('code');
    else this.#begin(kind === 'heading' ? 'heading' : 'flow');
  }

  /** Starts a block: with one blank line before it if the source had one, or if the kind needs one. */
  #begin(kind: BlockKind): void {
    const { blankBefore } = this;
    const isAfter = this.#previous === 'code' || this.#previous === 'table';
    const isApart = kind === 'heading' || kind === 'table' || isAfter;
    if (this.#previous && (blankBefore || isApart)) this.#writeBlankLine();
    this.blankBefore = false;
    this.#previous = kind;
  }

  protected emptyItem(): void {
    this.text += `${this.#markers('flow').trimEnd()}\n`;
  }

  /** With colour, a mark is shown for the box at the start of a task (`[x] `). */
  protected openParagraph(text: string): string {
    const item = this.containers.at(-1);
    const box = this.#drawsMarks() ? /^\[([ xX])\] /.exec(text)?.[1] : undefined;
    const isTask = box !== undefined && item?.kind === 'item' && !item.shown;
    if (isTask) item.task = box === ' ' ? 'open' : 'done';
    this.#beginLine();
    return isTask ? text.slice(4) : text;
  }

  protected writeParts(spans: readonly Span[]): void {
    if (spans.length > 0) this.#writeSpans(spans, false);
  }

  protected closeParagraph(spans: readonly Span[]): void {
    this.#endLine(spans);
  }

  protected mayBeHeading(): boolean {
    return false;
  }

  /** With colour, styles replace the marks. */
  protected heading(marks: string, title: string): void {
    this.#beginLine();
    const spans = inlineText(title, this.#options);
    if (!this.#style.colored) {
      const shown = spans.length === 0 ? marks : `${marks} `;
      return this.#endLine([{ text: shown, looks: [] }, ...spans]);
    }
    const looks: readonly Look[] = this.#style.hasOwnHeading
      ? ['heading']
      : (headingLooks[marks.length] ?? ['italic']);
    const styled = spans.map((span) => {
      return { ...span, looks: [...new Set([...span.looks, ...looks])] };
    });
    return this.#endLine(mergeSpans(styled));
  }

  protected underline(source: string): void {
    this.#writeLine(this.#style.dim(source));
  }

  protected rule(source: string): void {
    if (this.#style.colored) this.#writeRule('flow');
    else this.#writeLine(source.trimEnd());
  }

  #writeRule(kind: BlockKind): void {
    const prefix = this.#markers(kind);
    const columns = Math.max(minRule, this.#options.width() - displayWidth(prefix));
    this.text += `${prefix}${this.#style.rule(this.#dashes(columns))}\n`;
  }

  /** Writes a rule with the block's number and language; without colour, both after the fence. */
  protected openCode(block: number, info: string, fence: string | undefined): void {
    this.#fence = fence;
    this.#highlight = openHighlight(info.split(/\s/, 1)[0] ?? '', this.#style);
    if (!this.#style.colored) {
      if (fence !== undefined) this.#writeLine(`${fence} ${block} ${info}`.trimEnd(), 'code');
      return;
    }
    // `── 1 ts ──────── /copy 1`; in a narrow window, less of it.
    const prefix = this.#markers('code');
    const start = `${this.#dashes(2)} ${block} ${info}`.trimEnd();
    const hint = this.#options.codeHint?.(block);
    const end = hint === undefined ? '' : ` ${hint}`;
    const room = this.#options.width() - displayWidth(prefix) - displayWidth(start) - 1;
    const shown = room - end.length >= minRule ? end : '';
    const rule = room > 0 ? ` ${this.#dashes(room - shown.length)}` : '';
    this.text += `${prefix}${this.#style.rule(`${start}${rule}${shown}`)}\n`;
  }

  protected codeLine(text: string): void {
    if (this.#fence !== undefined) return this.#writeLine(this.#highlight(text), 'code');
    if (text === '') return this.#writeBlankLine();
    return this.#writeLine(this.#style.colored ? text : `    ${text}`, 'code');
  }

  protected closeCode(): void {
    if (this.#style.colored) this.#writeRule('code');
    else if (this.#fence !== undefined) this.#writeLine(this.#fence, 'code');
  }

  protected formula(lines: readonly string[], close: string): void {
    const source = lines.join('\n');
    const end = source.lastIndexOf(close) + close.length;
    const rows = this.#options.unicode ? formulaRows(source.slice(0, end)) : undefined;
    if (rows === undefined) return this.formulaSource(lines);
    const columns = Math.max(1, this.#options.width() - this.#markerColumns() - indent.length);
    const text = rows.join('\n') + source.slice(end).trim();
    for (const row of wrapText(text, columns)) this.#writeLine(indent + row);
  }

  protected formulaSource(lines: readonly string[]): void {
    for (const line of lines) {
      if (line.trim() === '') this.#writeBlankLine();
      else this.#writeLine(line);
    }
  }

  protected openTable(header: string | undefined, delimiter: string, isAfterText: boolean): void {
    if (isAfterText && header !== undefined) this.#begin('table');
    this.#previous = 'table';
    const width = () => this.#options.width() - this.#markerColumns();
    this.#table = createTable(this.#options, width, header, delimiter);
  }

  protected tableRow(row: string): void {
    for (const line of this.#table?.add(row) ?? []) this.#writeLine(line);
  }

  protected closeTable(): void {
    for (const line of this.#table?.end() ?? []) this.#writeLine(line);
    this.#table = undefined;
  }

  protected undecidedBlock(): string {
    return this.#table?.undecided() ?? visibleText(this.#held);
  }

  #writeBlankLine(): void {
    const quotes = this.containers.filter(({ kind }) => kind === 'quote');
    this.text += `${quotes.map(() => this.#quoteBar()).join(' ')}\n`;
  }

  #beginLine(): void {
    this.text += this.#markers('flow');
    this.#rows?.begin(this.#markerColumns());
  }

  /**
   * Writes what is decided, with the markers after each line end in the spans, and in each row if they are wrapped here.
   * @param isEnd no text follows in this paragraph
   */
  #writeSpans(spans: readonly Span[], isEnd: boolean): void {
    const all = [...this.#held, ...spans];
    const text = visibleText(all);
    const { breaks, placed } = this.#rows?.place(text, isEnd) ?? lineEnds(text);
    const reversed = all.toReversed();
    let at = 0;
    for (const { from, to } of breaks) {
      this.text += paintSpans(takeSpans(reversed, from - at), this.#style);
      this.text += `\n${this.#markers('flow')}`;
      takeSpans(reversed, to - from);
      at = to;
    }
    this.text += paintSpans(takeSpans(reversed, placed - at), this.#style);
    this.#held = reversed.toReversed();
  }

  #endLine(spans: readonly Span[]): void {
    this.#writeSpans(spans, true);
    this.text += '\n';
  }

  #writeLine(text: string, kind: BlockKind = 'flow'): void {
    this.text += `${this.#markers(kind)}${text}\n`;
  }

  #markerColumns(): number {
    const columns = this.containers.map((one) => (one.kind === 'quote' ? 2 : itemIndent(one)));
    return columns.reduce((sum, column) => sum + column, 0);
  }

  /** The markers before a row. Code has no list indentation, so that it can be copied. */
  #markers(kind: BlockKind): string {
    let text = '';
    for (const container of this.containers) {
      if (container.kind === 'quote') text += `${this.#quoteBar()} `;
      else if (!container.shown) text += `${this.#bullet(container)} `;
      else if (kind !== 'code') text += ' '.repeat(itemIndent(container));
      if (container.kind === 'item') container.shown = true;
    }
    return text;
  }

  #drawsMarks(): boolean {
    return this.#options.unicode && this.#style.colored;
  }

  /** Without colour, the marker of the source is shown. The mark of a task replaces a bullet, and follows a number. */
  #bullet({ marker, task }: Item): string {
    if (!this.#drawsMarks()) return marker;
    const mark = task === 'done' ? this.#style.green('✓') : '○';
    if (marker.length > 1) return task === undefined ? marker : `${marker} ${mark}`;
    return task === undefined ? '•' : mark;
  }

  #quoteBar(): string {
    return this.#style.quote(this.#drawsMarks() ? '│' : '>');
  }

  #dashes(columns: number): string {
    return (this.#options.unicode ? '─' : '-').repeat(Math.max(0, columns));
  }
}

const unchanged = (line: string) => line;

/** The rows of a text that the terminal wraps. */
function lineEnds(text: string) {
  const breaks = Array.from(text.matchAll(/\n/g), ({ index }) => ({ from: index, to: index + 1 }));
  return { breaks, placed: text.length };
}

function itemIndent({ marker, task }: Item): number {
  const mark = task === undefined || marker.length === 1 ? 0 : 2;
  return displayWidth(marker) + 1 + mark;
}
