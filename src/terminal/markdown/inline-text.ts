import { inlineSpans, type InlineOptions } from './inline.ts';
import { createInlineScanner, type Segment } from './inline-scanner.ts';
import type { Span } from './span.ts';

/** Inline Markdown of one paragraph, in any pieces. Spans are returned as soon as they can no longer change. */
export interface InlineText {
  write(text: string): Span[];
  end(): Span[];
  undecided(): string;
  /** A displayed formula may be open. */
  isInFormula(): boolean;
}

export function createInlineText(options: InlineOptions): InlineText {
  const scanner = createInlineScanner();
  const spans = (segments: readonly Segment[]) => {
    const all: Span[] = [];
    for (const { text, plain, formulas } of segments) {
      if (plain) all.push({ text, looks: [] });
      else for (const span of inlineSpans(text, options, formulas)) all.push(span);
    }
    return all;
  };
  return {
    write: (text) => spans(scanner.write(text)),
    end: () => spans(scanner.end()),
    undecided: () => scanner.undecided(),
    isInFormula: () => scanner.isInFormula(),
  };
}

/** The spans of a whole text, for headings and cells. */
export function inlineText(source: string, options: InlineOptions): Span[] {
  const text = createInlineText(options);
  return [...text.write(source), ...text.end()];
}
