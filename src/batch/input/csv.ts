// CSV as in RFC 4180, with one deviation that spreadsheets produce: a quote inside an unquoted field is text.

import { type InputLine, maxLineLength, tooLong } from './input-lines.ts';

export interface CsvRecord {
  /** Number of its first line. */
  readonly line: number;
  readonly fields: readonly string[];
  /** Why the record cannot be read, as a predicate. */
  readonly problem?: string;
}

/** Assembles records from lines; a quoted field may contain line ends. */
export interface CsvReader {
  /** The record that the line completes; undefined while a quote is open. */
  add(line: InputLine): CsvRecord | undefined;
  /** A record with a problem if a quote is still open. */
  end(): CsvRecord | undefined;
}

const textAfterQuote = 'has text after a closing quote';

/** Where the quoted field at the beginning of a text ends; -1 if the text ends inside it. Not a pattern: V8 limits those. */
function closingQuote(text: string): number {
  let at = text.indexOf('"', 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** @param text a record, or the beginning of one, whose last field has no closing quote: then it is open */
function parseText(text: string, delimiter: string) {
  const fields: string[] = [];
  let problem: { readonly problem?: typeof textAfterQuote } = {};
  let rest = text;
  for (;;) {
    const hasQuote = rest.startsWith('"');
    const closing = hasQuote ? closingQuote(rest) : -1;
    if (hasQuote && closing === -1) return { fields, isOpen: true, ...problem };
    const found = rest.indexOf(delimiter, closing + 1);
    const end = found === -1 ? rest.length : found;
    const isQuoted = hasQuote && end === closing + 1;
    if (hasQuote && !isQuoted) problem = { problem: textAfterQuote };
    fields.push(isQuoted ? rest.slice(1, closing).replaceAll('""', '"') : rest.slice(0, end));
    if (found === -1) return { fields, isOpen: false, ...problem };
    rest = rest.slice(end + delimiter.length);
  }
}

/** Of tables whose extension does not determine it, the most usual one first. */
const delimiters = [',', ';', '\t'];

/** The delimiter that a table header contains most often, outside quotes; a comma if it contains none. */
export function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"(?:[^"]|"")*(?:"|$)/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** @param delimiter one character, such as `,` or a tab */
export function createCsvReader(delimiter: string): CsvReader {
  /** `size` is the UTF-16 units of the lines. */
  let open: { readonly line: number; readonly lines: string[]; size: number } | undefined;

  const keepOpen = (record: NonNullable<typeof open>, text: string): CsvRecord | undefined => {
    record.lines.push(text);
    record.size += text.length;
    open = record.size > maxLineLength ? undefined : record;
    return open === undefined ? { line: record.line, fields: [], problem: tooLong } : undefined;
  };

  return {
    add({ number, text, problem: lineProblem }) {
      const record = open ?? { line: number, lines: [], size: 0 };
      const { line, lines } = record;
      const withoutEnd = text.endsWith('\r') ? text.slice(0, -1) : text;
      // A line that continues a quoted field is parsed as if a quote opened it.
      const parsed = parseText(open === undefined ? withoutEnd : `"${withoutEnd}`, delimiter);
      const problem = lineProblem ?? parsed.problem;
      if (problem === undefined && parsed.isOpen) return keepOpen(record, text);
      open = undefined;
      if (problem !== undefined) return { line, fields: parsed.fields, problem };
      if (lines.length === 0) return { line, fields: parsed.fields };
      return { line, fields: parseText([...lines, withoutEnd].join('\n'), delimiter).fields };
    },
    end() {
      if (open === undefined) return undefined;
      return { line: open.line, fields: [], problem: 'has an unclosed quote' };
    },
  };
}
