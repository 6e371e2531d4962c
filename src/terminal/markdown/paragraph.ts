import type { InlineOptions } from './inline.ts';
import { createInlineText, writeInline, type InlineText } from './inline-text.ts';
import type { Span } from './span.ts';

export interface Paragraph {
  readonly inline: InlineText;
  /** White space at the end of the line, shown only if something follows. */
  trail: string;
  /** A line break that nothing has followed yet. */
  lineBreak: string;
  line: number;
  /** The first line contains a bar. */
  bar: boolean;
}

export function createParagraph(options: InlineOptions): Paragraph {
  return { inline: createInlineText(options), trail: '', lineBreak: '', line: 1, bar: false };
}

/** Takes a part of the current line, without its indentation. */
export function writeParagraph(paragraph: Paragraph, text: string): Span[] {
  if (paragraph.line === 1 && !paragraph.bar) paragraph.bar = text.includes('|');
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1])) end -= 1;
  if (end === 0) {
    paragraph.trail += text;
    return [];
  }
  const { lineBreak, trail } = paragraph;
  paragraph.trail = text.slice(end);
  paragraph.lineBreak = '';
  return writeInline(paragraph.inline, lineBreak + trail + text.slice(0, end));
}

export function endParagraphLine(paragraph: Paragraph): void {
  paragraph.lineBreak = '\n';
  paragraph.trail = '';
  paragraph.line += 1;
}

/** Its only line has a bar, so it may be a table's header that was written as text. */
export function mayBeHeader({ bar, line }: Paragraph): boolean {
  return bar && line === 2;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
