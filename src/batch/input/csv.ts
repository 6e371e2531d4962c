// CSV as RFC 4180 has it, and what spreadsheets make of it: a quote within an unquoted field is text.

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
  /** The record that the line ends; undefined while it goes on. */
  add(line: InputLine): CsvRecord | undefined;
  /** The record that was not ended. */
  end(): CsvRecord | undefined;
}

const withoutReturn = (text: string) => (text.endsWith('\r') ? text.slice(0, -1) : text);

/** A record, as far as its lines were read. */
interface OpenRecord {
  readonly line: number;
  readonly delimiter: string;
  readonly fields: string[];
  /** Parts of the quoted field that is being read. */
  quoted: string[] | undefined;
  /** UTF-16 units of quoted lines so far. */
  size: number;
}

const tooLong = 'is longer than any model can take';
const textAfterQuote = 'has text after a closing quote';

/** Goes on in a quoted field. @returns where the text goes on after it; undefined where the line ends in it */
function readQuoted(record: OpenRecord, text: string, from: number): number | undefined {
  const parts = (record.quoted ??= []);
  for (let at = from; ;) {
    const close = text.indexOf('"', at);
    if (close < 0) {
      parts.push(`${text.slice(at)}\n`);
      return undefined;
    }
    parts.push(text.slice(at, close));
    if (text[close + 1] !== '"') return close + 1;
    parts.push('"');
    at = close + 2;
  }
}

/** @returns where the next field begins; undefined after the last */
function readPlain(
  { fields, delimiter }: OpenRecord,
  text: string,
  at: number,
): number | undefined {
  const next = text.indexOf(delimiter, at);
  fields.push(next < 0 ? withoutReturn(text.slice(at)) : text.slice(at, next));
  return next < 0 ? undefined : next + 1;
}

/** What a line made of its record; anything but the first two is what is wrong with it. */
type LineEnd = 'whole' | 'goes on' | typeof tooLong | typeof textAfterQuote;

function readLine(record: OpenRecord, text: string): LineEnd {
  record.size += text.length;
  for (let at: number | undefined = 0; at !== undefined;) {
    if (record.quoted === undefined && text[at] !== '"') {
      at = readPlain(record, text, at);
      continue;
    }
    const end = readQuoted(record, text, record.quoted === undefined ? at + 1 : at);
    if (end === undefined) return record.size > longestLine ? tooLong : 'goes on';
    record.fields.push((record.quoted ?? []).join(''));
    record.quoted = undefined;
    if (withoutReturn(text.slice(end)) === '') return 'whole';
    if (text[end] !== record.delimiter) return textAfterQuote;
    at = end + 1;
  }
  return 'whole';
}

/** @param delimiter one character, as `,` or a tab */
export function createCsvReader(delimiter: string): CsvReader {
  let open: OpenRecord | undefined;
  return {
    add({ number, text, problem }) {
      const record = open ?? { line: number, delimiter, fields: [], quoted: undefined, size: 0 };
      const { line, fields } = record;
      const end = problem ?? readLine(record, text);
      open = end === 'goes on' ? record : undefined;
      if (end === 'goes on') return undefined;
      return end === 'whole' ? { line, fields } : { line, fields, problem: end };
    },
    end() {
      if (open === undefined) return undefined;
      const { line, fields } = open;
      return { line, fields, problem: 'opens a quote that is never closed' };
    },
  };
}
