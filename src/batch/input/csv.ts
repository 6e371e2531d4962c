// CSV as in RFC 4180, with one deviation that spreadsheets produce: a quote inside an unquoted field is text.

import { type InputLine, maxLineLength, tooLong } from './input-lines.ts';

export interface CsvRecord {
  /** Number of its first line. */
  readonly line: number;
  readonly fields: readonly string[];
  readonly delimiter: string;
  /** Why the record cannot be read, as a predicate. */
  readonly problem?: string;
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

/** The separators of tables whose extension does not determine it, the most usual one first. */
const delimiters = [',', ';', '\t'];

/** The delimiter that a table header contains most often, outside quotes; a comma if it contains none. */
function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"(?:[^"]|"")*(?:"|$)/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * The records of a table; a quoted field may contain line ends.
 * @param given the delimiter; undefined: the first line that is not blank decides
 */
export async function* readCsv(
  lines: AsyncIterable<InputLine> | Iterable<InputLine>,
  given: string | undefined,
): AsyncGenerator<CsvRecord, void> {
  let delimiter = given ?? ',';
  let isKnown = given !== undefined;
  /** A record whose last field is not closed yet. */
  let open: { readonly line: number; readonly texts: string[]; size: number } | undefined;
  for await (const { number, text, problem: lineProblem } of lines) {
    if (!isKnown && text.trim() !== '') {
      delimiter = delimiterOf(text);
      isKnown = true;
    }
    const withoutEnd = text.endsWith('\r') ? text.slice(0, -1) : text;
    // A line that continues a quoted field is parsed as if a quote opened it.
    const parsed = parseText(open === undefined ? withoutEnd : `"${withoutEnd}`, delimiter);
    const record = open ?? { line: number, texts: [], size: 0 };
    const { line, texts } = record;
    record.size += text.length;
    texts.push(parsed.isOpen ? text : withoutEnd);
    const overflow = parsed.isOpen && record.size > maxLineLength ? tooLong : undefined;
    const problem = lineProblem ?? parsed.problem ?? overflow;
    open = parsed.isOpen && problem === undefined ? record : undefined;
    if (open !== undefined) continue;
    if (problem !== undefined) yield { line, fields: parsed.fields, delimiter, problem };
    else if (texts.length === 1) yield { line, fields: parsed.fields, delimiter };
    else yield { line, fields: parseText(texts.join('\n'), delimiter).fields, delimiter };
  }
  if (open === undefined) return;
  yield { line: open.line, fields: [], delimiter, problem: 'has an unclosed quote' };
}
