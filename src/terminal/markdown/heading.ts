import type { Look, Style } from '../style.ts';
import type { InlineOptions } from './inline.ts';
import { inlineText } from './inline-text.ts';
import { mergeSpans, paintSpans } from './span.ts';

const looksOf: Readonly<Record<number, readonly Look[]>> = {
  1: ['bold', 'underline', 'magenta'],
  2: ['bold', 'magenta'],
};

/** An ATX heading. With colour, styles replace its marks. */
export function paintHeading(source: string, style: Style, inline: InlineOptions): string {
  const marks = /^#{1,6}/.exec(source)?.[0] ?? '';
  const spans = inlineText(withoutClosing(source.slice(marks.length).trim()), inline);
  if (!style.colored) return `${marks} ${paintSpans(spans, style)}`.trimEnd();
  const looks = looksOf[marks.length] ?? ['bold'];
  return paintSpans(
    mergeSpans(spans.map((span) => ({ ...span, looks: [...new Set([...span.looks, ...looks])] }))),
    style,
  );
}

/** `## Title ##` is `## Title`. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text;
}
