import { graphemes } from '../../terminal/text/width.ts';

/** UTF-16 units searched for a certain boundary; a longer run of joined characters is split. */
const maxSearched = 1024;
const plain = /[\n\x20-\x7e\u4e00-\u9fff]/;
const isPlain = (text: string, at: number) => plain.test(text.charAt(at));

/** A boundary before the offset, found without reading the whole text. */
function safeStart(text: string, offset: number): number {
  const limit = Math.max(0, offset - maxSearched);
  for (let at = offset - 1; at > limit; at -= 1) {
    // Two plain characters never join; a single one may belong to a preceding mark (UAX 29, GB9b).
    if (isPlain(text, at) && isPlain(text, at - 1)) return at;
  }
  // This may split a surrogate pair; its second half then counts as a character.
  return limit;
}

/** The first boundary between whole characters (UAX 29) at or after an offset in UTF-16 units. */
export function boundaryFrom(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  let boundary = offset <= 0 ? 0 : safeStart(text, offset);
  for (const character of graphemes(text.slice(boundary, offset + maxSearched))) {
    if (boundary >= offset) break;
    boundary += character.length;
  }
  return boundary;
}

/** The end of the character that starts at a boundary. */
export function nextBoundary(text: string, boundary: number): number {
  return boundaryFrom(text, boundary + 1);
}

/** The start of the character that ends at a boundary. */
export function previousBoundary(text: string, boundary: number): number {
  const before = text.slice(safeStart(text, boundary), boundary);
  return boundary - ([...graphemes(before)].at(-1)?.length ?? 0);
}

export function withoutLast(text: string): string {
  return text.slice(0, previousBoundary(text, text.length));
}

/** The start of the line, which a line end ends, not a wrap. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The offset of the line end, or of the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
