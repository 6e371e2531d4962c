import type { Style } from '../style.ts';
import { Rows } from '../text/rows.ts';
import { paintSpans, visibleText, type Span } from './span.ts';

/** The rows of the paragraph or heading that is written. Each text is written once, after what was written before. */
export class ProseRows {
  readonly #rows: Rows;
  readonly #style: Style;
  /** The markers of each further row. */
  readonly #prefix: () => string;
  /** The end of the text, whose place depends on what follows. */
  #held: readonly Span[] = [];

  constructor(width: () => number, style: Style, prefix: () => string) {
    this.#rows = new Rows(width);
    this.#style = style;
    this.#prefix = prefix;
  }

  /** Call after the markers of the first row, which have `indent` columns. */
  begin(indent: number): void {
    this.#rows.begin(indent);
  }

  /**
   * The styled text of the spans that is decided now, with row ends.
   * @param isEnd no text follows in this paragraph
   */
  write(spans: readonly Span[], isEnd: boolean): string {
    const all = this.#held.length === 0 ? spans : [...this.#held, ...spans];
    const text = visibleText(all);
    const { breaks, placed } = this.#rows.place(text, isEnd);
    this.#held = sliceSpans(all, placed, text.length);
    let output = '';
    let at = 0;
    for (const { from, to } of breaks) {
      output += `${paintSpans(sliceSpans(all, at, from), this.#style)}\n${this.#prefix()}`;
      at = to;
    }
    return output + paintSpans(sliceSpans(all, at, placed), this.#style);
  }

  /** The text that is not written yet. */
  held(): string {
    return visibleText(this.#held);
  }
}

function sliceSpans(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const slices: Span[] = [];
  let at = 0;
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text !== '') slices.push({ ...span, text });
    at += span.text.length;
  }
  return slices;
}
