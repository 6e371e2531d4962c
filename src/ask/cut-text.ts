import { estimateTokens } from '../conversation/token-estimate.ts';

/** Where a text may be cut. */
export type Border = 'lines' | 'paragraphs';

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Each with the blank lines after it. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of linesOf(text)) {
    const isBlank = line.trim() === '';
    if (isOpen || (isBlank && paragraphs.length > 0)) {
      paragraphs[paragraphs.length - 1] += line;
    } else paragraphs.push(line);
    isOpen = !isBlank;
  }
  return paragraphs;
}

/** Never divides a surrogate pair. */
function cutLine(line: string, most: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < line.length;) {
    let end = at + most * 4;
    if (estimateTokens(line.slice(at, end)) > most) end = at + Math.max(most, 2);
    if (/[\uD800-\uDBFF]/.test(line.charAt(end - 1))) end -= 1;
    parts.push(line.slice(at, end));
    at = end;
  }
  return parts;
}

interface Unit {
  readonly text: string;
  readonly tokens: number;
}

/** The smallest pieces of the text: paragraphs or lines that fit, else lines of a paragraph, else parts of a line. */
function unitsOf(text: string, border: Border, most: number, onLong: () => void): readonly Unit[] {
  const pieces = border === 'paragraphs' ? paragraphsOf(text) : linesOf(text);
  return pieces.flatMap((piece): readonly Unit[] => {
    const tokens = estimateTokens(piece);
    if (tokens <= most) return [{ text: piece, tokens }];
    if (border === 'paragraphs') return unitsOf(piece, 'lines', most, onLong);
    onLong();
    return cutLine(piece, most).map((part) => ({ text: part, tokens: estimateTokens(part) }));
  });
}

/**
 * Cuts a text into parts of at most `most` estimated tokens, at borders where that is possible. Joined, they are the text.
 * @returns the parts, and the number of lines longer than a part, which were cut between characters
 */
export function cutText(
  text: string,
  border: Border,
  most: number,
): { readonly parts: readonly string[]; readonly longLines: number } {
  let longLines = 0;
  const parts: string[] = [];
  let size = Infinity;
  for (const unit of unitsOf(text, border, most, () => (longLines += 1))) {
    if (size + unit.tokens > most) {
      parts.push(unit.text);
      size = unit.tokens;
    } else {
      parts[parts.length - 1] += unit.text;
      size += unit.tokens;
    }
  }
  return { parts, longLines };
}
