import { cleanText, isBeyondTyping, isLongPaste } from './paste.ts';
import { createBuffer, draftFrom, draftOf, insertPaste, type Draft } from './text-buffer.ts';

/** UTF-16 units. */
const longestHeading = 500;

/** The first paragraph or line of a long text, which is often the question about the rest. */
function headingOf(text: string): string {
  const start = text.slice(0, longestHeading);
  const [paragraph = ''] = /^[^]*?\n\n/.exec(start) ?? [];
  if (paragraph !== '' && !isLongPaste(paragraph)) return paragraph;
  return /^.*\n/.exec(start)?.[0] ?? '';
}

/**
 * A draft of a stored text, whose pastes are no longer known. If it is longer than anyone types, everything after its
 * heading becomes a paste marker with `number`.
 */
export function recalledDraft(text: string, number = 1): Draft {
  const clean = cleanText(text);
  if (!isBeyondTyping(clean)) return draftFrom(clean);
  const heading = headingOf(clean);
  const buffer = { ...createBuffer(heading), pasteCount: number - 1 };
  return draftOf(insertPaste(buffer, clean.slice(heading.length)));
}
