import { cleanText, isBeyondTyping, isLongPaste } from './keys/paste.ts';
import { createBuffer, draftFrom, draftOf, insertPaste, type Draft } from './text-buffer.ts';

/** UTF-16 units. */
const longestHeading = 500;

/** What a long text begins with: most often a question, and then what it is about. */
function headingOf(text: string): string {
  const start = text.slice(0, longestHeading);
  const [paragraph = ''] = /^[^]*?\n\n/.exec(start) ?? [];
  if (paragraph !== '' && !isLongPaste(paragraph)) return paragraph;
  return /^.*\n/.exec(start)?.[0] ?? '';
}

/**
 * A text of which nobody knows any more what of it was pasted. Where it is longer than anybody types, all but its
 * heading is a marker; `number` is the marker's.
 */
export function recalledDraft(text: string, number = 1): Draft {
  const clean = cleanText(text);
  if (!isBeyondTyping(clean)) return draftFrom(clean);
  const heading = headingOf(clean);
  const buffer = { ...createBuffer(heading), pasteCount: number - 1 };
  return draftOf(insertPaste(buffer, clean.slice(heading.length)));
}
