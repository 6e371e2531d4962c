import { wrapText } from '../../terminal/text/wrap.ts';

/** Indented lines of at most 80 columns. */
export function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  return wrapText(text, 80 - indent)
    .map((row) => margin + row)
    .join('\n');
}

/** A paragraph, and lines to type. */
export interface Passage {
  readonly text: string;
  readonly lines?: readonly string[];
}

const formatPassage = ({ text, lines = [] }: Passage) =>
  [wrap(text, 0), ...lines.map((line) => `  $ ${line}`)].join('\n');

/** Paragraphs with their lines to type. */
export const formatGuide = (passages: readonly Passage[]) =>
  `${passages.map(formatPassage).join('\n\n')}\n`;
