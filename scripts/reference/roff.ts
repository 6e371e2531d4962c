/** Escapes control characters of roff, and makes dashes that can be copied. */
export function roff(text: string): string {
  const escaped = text
    .replaceAll('`', '')
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('…', '...');
  return /^[.']/.test(escaped) ? String.raw`\&${escaped}` : escaped;
}

/** A line in bold. Quotes would group the words of the macro. */
export const bold = (text: string) => `.B ${roff(text).replaceAll('"', String.raw`\(dq`)}`;

/** A term, and its description beside or below it. */
export const tagged = (term: string, description: string) =>
  `.TP\n${bold(term)}\n${description === '' ? String.raw`\&` : roff(description)}`;

/** Lines that are not filled, indented. */
export function verbatim(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ['.RS', '.nf', ...lines.map(roff), '.fi', '.RE'];
}

/** The reference to a page of section 1. */
export const pageName = (name: string) => `.BR ${roff(name)} (1)`;

/** References in one sentence, each followed by a comma but the last. */
export function pageNames(names: readonly string[]): readonly string[] {
  return names.map((name, index) =>
    index < names.length - 1 ? `${pageName(name)},` : pageName(name),
  );
}
