import type { Style } from '../style.ts';
import type { InlineOptions } from './inline.ts';
import { inlineText } from './inline-text.ts';
import { mergeSpans, type Span, type SpanLook } from './span.ts';

const looksOf: Readonly<Record<number, readonly SpanLook[]>> = {
  1: ['bold', 'underline', 'magenta'],
  2: ['bold', 'magenta'],
  3: ['bold'],
};

/** An ATX heading. With colour, styles replace its marks. */
export function headingSpans(source: string, style: Style, inline: InlineOptions): readonly Span[] {
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
