// CSV as RFC 4180 has it, and what spreadsheets make of it: a quote within an unquoted field is text.

import { CsvError, parse } from 'csv-parse/sync';
import { type InputLine, longestLine } from './input-lines.ts';

/** A row of a table. */
export interface CsvRecord {
  /** Line on which it begins. */
  readonly line: number;
  readonly fields: readonly string[];
  /** Why it cannot be read. */
  readonly problem?: string;
}

/** Puts lines together to records; a quoted field may hold line ends. */
export interface CsvReader {
  /** The record that the line ends; undefined while a quote is open. */
  add(line: InputLine): CsvRecord | undefined;
  /** The record that was not ended. */
  end(): CsvRecord | undefined;
}

const textAfterQuote = 'has text after a closing quote';

interface ParsedText {
  readonly fields: readonly string[];
  /** The last field is quoted, and its quote is not closed. */
  readonly isOpen: boolean;
  readonly problem?: typeof textAfterQuote;
}

/** @param text one record, or the beginning of one */
function parseText(text: string, delimiter: string): ParsedText {
  if (!text.includes('"')) return { fields: text.split(delimiter), isOpen: false };
  const fields: string[] = [];
  // csv-parse takes text after a closing quote for a part of the field. The fields written again show it.
  let written = '';
  const cast = (field: string, { quoting }: { readonly quoting: boolean }) => {
    fields.push(field);
    written += (quoting ? `"${field.replaceAll('"', '""')}"` : field) + delimiter;
    return field;
  };
  let isOpen = false;
  try {
    parse(text, { delimiter, record_delimiter: '\n', relax_quotes: true, cast });
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    isOpen = true;
  }
  const isWellFormed = `${text}${delimiter}`.startsWith(written);
  return isWellFormed ? { fields, isOpen } : { fields, isOpen, problem: textAfterQuote };
}

/** A record, as far as its lines were read. */
interface OpenRecord {
  readonly line: number;
  readonly lines: string[];
  /** UTF-16 units of its lines. */
  size: number;
}

/** @param delimiter one character, as `,` or a tab */
export function createCsvReader(delimiter: string): CsvReader {
  let open: OpenRecord | undefined;

  /** Keeps a line that ends within quotes. */
  const keep = (record: OpenRecord, text: string): CsvRecord | undefined => {
    record.lines.push(text);
    record.size += text.length;
    open = record.size > longestLine ? undefined : record;
    if (open !== undefined) return undefined;
    return { line: record.line, fields: [], problem: 'exceeds the context window of every model' };
  };

  return {
    add({ number, text, problem }) {
      const record = open ?? { line: number, lines: [], size: 0 };
      const { line, lines } = record;
      const ended = text.endsWith('\r') ? text.slice(0, -1) : text;
      // Alone, a line within quotes reads as if it began with one.
      const parsed = parseText(open === undefined ? ended : `"${ended}`, delimiter);
      const wrong = problem ?? parsed.problem;
      if (wrong === undefined && parsed.isOpen) return keep(record, text);
      open = undefined;
      if (wrong !== undefined) return { line, fields: parsed.fields, problem: wrong };
      if (lines.length === 0) return { line, fields: parsed.fields };
      return { line, fields: parseText([...lines, ended].join('\n'), delimiter).fields };
    },
    end() {
      if (open === undefined) return undefined;
      return { line: open.line, fields: [], problem: 'has an unclosed quote' };
    },
  };
}
