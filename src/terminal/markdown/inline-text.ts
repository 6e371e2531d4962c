import { isDisplayFormula } from './formula.ts';
import { inlineSpans, type InlineOptions } from './inline.ts';
import { endScan, scan, takeFormulas } from './inline-scanner.ts';
import { initialScan, type ScanState } from './scan-state.ts';
import { plainSpan, type Span } from './span.ts';

/** Inline Markdown of one paragraph, which arrives in any pieces. */
export interface InlineText {
  readonly options: InlineOptions;
  readonly scanned: ScanState;
}

export function createInlineText(options: InlineOptions): InlineText {
  return { options, scanned: initialScan() };
}

/** The spans that further text can no longer change. */
export function writeInline(inline: InlineText, text: string): Span[] {
  scan(inline.scanned, text);
  return takeSpans(inline);
}

/** The rest. */
export function endInline(inline: InlineText): Span[] {
  endScan(inline.scanned);
  return takeSpans(inline);
}

function takeSpans({ options, scanned }: InlineText): Span[] {
  const spans: Span[] = [];
  for (const piece of scanned.decided) {
    const text = scanned.text.slice(piece.from, piece.to);
    if (piece.plain) spans.push(plainSpan(text));
    else spans.push(...inlineSpans(text, options, takeFormulas(scanned, piece)));
  }
  scanned.decided = [];
  return spans;
}

export function undecidedInline({ scanned }: InlineText): string {
  return scanned.text.slice(scanned.start);
}

/** A displayed formula (`$$`, `\[`) may be open; the next line then belongs to it. */
export function isInFormula({ scanned }: InlineText): boolean {
  return isDisplayFormula(scanned.enclosure);
}

const mark = /[\\`*_~[\]<&@/.$]/;

/** The spans of a whole text, for headings and cells. */
export function inlineText(source: string, options: InlineOptions): Span[] {
  if (source !== '' && !mark.test(source)) return [plainSpan(source)];
  const text = createInlineText(options);
  return [...writeInline(text, source), ...endInline(text)];
}
