const longest = 500;

/** Service text for one line of a message: white space collapsed, cut after 500 characters. */
export function shortText(text: string): string {
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= longest) return line;
  return `${line.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
