import type { InlineOptions } from './inline.ts';
import { createInlineText, type InlineText } from './inline-text.ts';
import type { Span } from './span.ts';

/** The running text of one paragraph: its source lines joined by spaces, hard breaks kept. */
export interface Paragraph {
  readonly inline: InlineText;
  /** White space and backslashes at the end of the line: what they mean depends on what follows. */
  trail: string;
  /** The ends of lines that nothing has followed yet, without the last one's break. */
  before: string;
  lineBreak: string;
  backslash: string;
  /** The number of the present line. */
  line: number;
  /** The first line has a bar in it. */
  bar: boolean;
}

export function createParagraph(options: InlineOptions): Paragraph {
  const inline = createInlineText(options);
  return { inline, trail: '', before: '', lineBreak: '', backslash: '', line: 1, bar: false };
}

/** A part of the present line, which begins after its indentation. */
export function writeParagraph(paragraph: Paragraph, text: string): Span[] {
  if (paragraph.line === 1 && !paragraph.bar) paragraph.bar = text.includes('|');
  let end = text.length;
  while (end > 0 && isTrail(text[end - 1])) end -= 1;
  if (end === 0) {
    paragraph.trail += text;
    return [];
  }
  const { before, lineBreak, trail } = paragraph;
  paragraph.trail = text.slice(end);
  paragraph.before = paragraph.lineBreak = paragraph.backslash = '';
  return paragraph.inline.write(before + lineBreak + trail + text.slice(0, end));
}

/** The present line is over: its break is a space, or kept when it is a hard one. */
export function endParagraphLine(paragraph: Paragraph): void {
  const { trail } = paragraph;
  const content = trail.trimEnd();
  const hard = trail.length - content.length >= 2;
  const backslash = content === trail && endsWithOddBackslashes(trail) ? '\\' : '';
  paragraph.before += paragraph.lineBreak + content.slice(0, content.length - backslash.length);
  paragraph.backslash = backslash;
  paragraph.lineBreak = hard || backslash !== '' ? '\n' : ' ';
  paragraph.trail = '';
  paragraph.line += 1;
}

/** The line that is over stays a line of its own. */
export function keepBreak(paragraph: Paragraph): void {
  paragraph.lineBreak = '\n';
}

export function endParagraph({ inline, before, backslash, trail }: Paragraph): Span[] {
  const rest = before + backslash + trail.trimEnd();
  return [...(rest === '' ? [] : inline.write(rest)), ...inline.end()];
}

/** It is one line so far, with a bar in it: a table's header may have gone out as text. */
export function mayBeHeader({ bar, line }: Paragraph): boolean {
  return bar && line === 2;
}

function isTrail(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\\';
}

function endsWithOddBackslashes(text: string): boolean {
  let count = 0;
  while (text[text.length - 1 - count] === '\\') count += 1;
  return count % 2 === 1;
}
