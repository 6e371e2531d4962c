import type { InlineOptions } from './inline.ts';
import { createInlineText, type InlineText } from './inline-text.ts';
import type { Span } from './span.ts';

/** The running text of one paragraph, line by line as it is written. */
export interface Paragraph {
  readonly inline: InlineText;
  /** White space at the end of the line: it is shown only if something follows. */
  trail: string;
  /** The break of a line that nothing has followed yet. */
  lineBreak: string;
  /** The number of the present line. */
  line: number;
  /** The first line has a bar in it. */
  bar: boolean;
}

export function createParagraph(options: InlineOptions): Paragraph {
  return { inline: createInlineText(options), trail: '', lineBreak: '', line: 1, bar: false };
}

/** A part of the present line, which begins after its indentation. */
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
  return paragraph.inline.write(lineBreak + trail + text.slice(0, end));
}

/** The present line is over. */
export function endParagraphLine(paragraph: Paragraph): void {
  paragraph.lineBreak = '\n';
  paragraph.trail = '';
  paragraph.line += 1;
}

export function endParagraph({ inline }: Paragraph): Span[] {
  return inline.end();
}

/** It is one line so far, with a bar in it: a table's header may have gone out as text. */
export function mayBeHeader({ bar, line }: Paragraph): boolean {
  return bar && line === 2;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
