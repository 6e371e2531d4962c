import { graphemes } from '../../terminal/text/width.ts';

/** UTF-16 units searched backwards for a certain boundary; a longer run of joined characters is split. */
const maxLookBehind = 1024;
const plain = /[\n\x20-\x7e\u4e00-\u9fff]/;
const lowSurrogate = /[\udc00-\udfff]/;
const highSurrogate = /[\ud800-\udbff]/;

function isPlain(text: string, at: number): boolean {
  return plain.test(text.charAt(at));
}

/** A boundary at or before the offset, found without reading the whole text. */
function safeStart(text: string, offset: number): number {
  const limit = Math.max(0, offset - maxLookBehind);
  for (let at = offset - 1; at > limit; at -= 1) {
    // Two plain characters never join; a single one may belong to a preceding mark (UAX 29, GB9b).
    if (isPlain(text, at) && isPlain(text, at - 1)) return at;
  }
  return splitsPair(text, limit) ? limit + 1 : limit;
}

function splitsPair(text: string, at: number): boolean {
  return lowSurrogate.test(text.charAt(at)) && highSurrogate.test(text.charAt(at - 1));
}

/** The first boundary between whole characters (UAX 29) at or after an offset in UTF-16 units. */
export function boundaryFrom(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (offset <= 0) return 0;
  const start = safeStart(text, offset);
  for (let size = 64; ; size *= 2) {
    const part = text.slice(start, offset + size);
    let boundary = start;
    for (const character of graphemes(part)) {
      if (boundary >= offset) break;
      boundary += character.length;
    }
    // The end of the part may be inside a character; the end of the text cannot.
    if (boundary < start + part.length || start + part.length === text.length) return boundary;
  }
}

/** The end of the character that starts at a boundary. */
export function nextBoundary(text: string, boundary: number): number {
  return boundaryFrom(text, boundary + 1);
}

/** The start of the character that ends at a boundary. */
export function previousBoundary(text: string, boundary: number): number {
  const start = safeStart(text, boundary);
  let previous = start;
  let end = start;
  for (const character of graphemes(text.slice(start, boundary))) {
    previous = end;
    end += character.length;
  }
  return previous;
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
