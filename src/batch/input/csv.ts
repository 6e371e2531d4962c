// CSV as in RFC 4180, with one deviation that spreadsheets produce: a quote inside an unquoted field is text.

import { CsvError, parse } from 'csv-parse/sync';
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

interface ParsedText {
  readonly fields: readonly string[];
  /** The last field has no closing quote. */
  readonly isOpen: boolean;
  readonly problem?: typeof textAfterQuote;
}

/** @param text a record, or the beginning of one */
function parseText(text: string, delimiter: string): ParsedText {
  if (!text.includes('"')) return { fields: text.split(delimiter), isOpen: false };
  const fields: string[] = [];
  // csv-parse accepts text after a closing quote as part of the field. Such text makes the fields, formatted as CSV
  // again, differ from the input.
  let formatted = '';
  const cast = (field: string, { quoting }: { readonly quoting: boolean }) => {
    fields.push(field);
    formatted += (quoting ? `"${field.replaceAll('"', '""')}"` : field) + delimiter;
    return field;
  };
  let isOpen = false;
  try {
    parse(text, { delimiter, record_delimiter: '\n', relax_quotes: true, cast });
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    isOpen = true;
  }
  const isWellFormed = `${text}${delimiter}`.startsWith(formatted);
  return isWellFormed ? { fields, isOpen } : { fields, isOpen, problem: textAfterQuote };
}

interface OpenRecord {
  readonly line: number;
  readonly lines: string[];
  /** UTF-16 units of its lines. */
  size: number;
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
  let open: OpenRecord | undefined;

  const keepOpen = (record: OpenRecord, text: string): CsvRecord | undefined => {
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
