/** Lines of at most 80 columns; for words of plain ASCII. */
export function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  const lines = text.match(new RegExp(String.raw`\S.{0,${79 - indent}}(?=\s|$)`, 'g')) ?? [];
  return lines.map((line) => margin + line.trimEnd()).join('\n');
}
