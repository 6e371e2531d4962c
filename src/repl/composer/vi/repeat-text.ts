/** UTF-16 units. Large counts are for short texts: a long one would need more memory than there is. */
const maxLength = 1_000_000;

/** The text `count` times, or as often as is possible in a million characters, but at least once. */
export function repeatText(text: string, count: number, separator = ''): string {
  const possible = Math.floor(maxLength / Math.max(1, text.length + separator.length));
  const copies = Math.min(count, Math.max(1, possible));
  return Array<string>(copies).fill(text).join(separator);
}
