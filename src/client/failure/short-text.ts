const longest = 500;

/** Masks the secrets in a text. */
export type Mask = (text: string) => string;

/** For texts that come from no service. */
export const unmasked: Mask = (text) => text;

/**
 * Service text for one line of a message: white space collapsed, cut after 500 characters. Secrets are masked first,
 * as a part of one would not be recognised afterwards.
 */
export function shortText(text: string, mask: Mask): string {
  const line = mask(text)
    .slice(0, longest * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= longest) return line;
  return `${line.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
