const maxLength = 500;

/** Replaces each secret in a text with a mark. */
export type Mask = (text: string) => string;

/**
 * Text from the service as a part of one line: white space collapsed, cut after 500 characters. Secrets are masked
 * before the cut, because a part of one would not be recognised.
 */
export function shortText(text: string, mask: Mask): string {
  const line = mask(text)
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
