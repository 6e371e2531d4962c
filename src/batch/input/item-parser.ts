import { createCsvReader, type CsvReader, type CsvRecord, delimiterOf } from './csv.ts';
import type { InputLine } from './input-lines.ts';
import {
  type InputFormat,
  itemContent,
  type ItemContent,
  type ItemFields,
  itemId,
  type Problem,
  type TableRow,
  type Template,
} from './item.ts';
import { isBatchRequest, jsonItemContent, requestItem } from './json-item.ts';
import { Failure } from '../../failure.ts';
import { lineProblem } from '../../json-place.ts';
import { isJsonObject, parseJson } from '../../json.ts';

const extensions: Readonly<Record<string, InputFormat>> = {
  txt: 'lines',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
  tsv: 'tsv',
};

/** The format by the extension of a file name; undefined for an unknown extension. */
export function formatOfName(name: string): InputFormat | undefined {
  const extension = /\.(?<extension>\w+)$/.exec(name)?.groups?.['extension']?.toLowerCase() ?? '';
  return Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
}

/** The format by the first line that is not blank: `jsonl` if it is a JSON object, else `lines`. */
export function formatOfLine({ text }: InputLine): InputFormat {
  if (!text.startsWith('{')) return 'lines';
  try {
    JSON.parse(text);
    return 'jsonl';
  } catch {
    return 'lines';
  }
}

export interface ParsedItem {
  readonly line: number;
  readonly id: string | undefined;
  readonly content: ItemContent | Problem;
  readonly row?: TableRow;
}

export interface ItemParser {
  /** The item that the line completes; undefined for none. @throws Failure `usage` for an unusable header */
  add(line: InputLine): ParsedItem | undefined;
  end(): ParsedItem | undefined;
}

const badItem = (line: number, problem: string): ParsedItem => ({
  line,
  id: undefined,
  content: { problem },
});

const isBlank = ({ text, problem }: InputLine) => problem === undefined && text.trim() === '';

/** A parser for one item per line; skips blank lines. */
function lineParser(parse: (line: InputLine) => ParsedItem): ItemParser {
  return {
    add(line) {
      if (isBlank(line)) return undefined;
      return line.problem === undefined ? parse(line) : badItem(line.number, line.problem);
    },
    end: () => undefined,
  };
}

const itemOf = (line: number, fields: ItemFields, template: Template | undefined): ParsedItem => ({
  line,
  id: itemId(fields),
  content: itemContent(fields, template),
});

function plainParser(template: Template | undefined): ItemParser {
  return lineParser(({ number, text }) => {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line.includes('\0')) return badItem(number, 'contains a NUL byte');
    const name = template === undefined ? 'prompt' : 'line';
    return itemOf(number, { [name]: line }, template);
  });
}

function jsonParser(template: Template | undefined): ItemParser {
  return lineParser(({ number, text }) => {
    const value = parseJson(text);
    if (value === undefined) return badItem(number, lineProblem(text));
    if (!isJsonObject(value)) return badItem(number, 'is not a JSON object');
    if (template === undefined && isBatchRequest(value)) {
      return { line: number, ...requestItem(text, value) };
    }
    const content = jsonItemContent(text, value, template);
    return { line: number, id: itemId(value), content };
  });
}

/** @throws Failure `usage` */
function checkHeader({ fields, problem }: CsvRecord, template: Template | undefined): void {
  if (problem !== undefined) throw new Failure('usage', `the table header ${problem}`);
  const repeated = fields.find((name, index) => fields.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new Failure('usage', `the table header has "${repeated}" twice`);
  }
  const columns = `its columns are ${fields.join(', ')}`;
  if (template === undefined && !fields.includes('prompt')) {
    throw new Failure('usage', 'the table has no column "prompt"', {
      hint: `build prompts from other columns with --template "… {{column}} …"; ${columns}`,
    });
  }
  const missing = template?.names.find((name) => !fields.includes(name));
  if (missing !== undefined) {
    throw new Failure('usage', `"${missing}" in the template is not a column`, {
      hint: columns,
    });
  }
}

/** The fields of a row. Without a template, an empty cell is absent and `max_tokens` is a number. */
function rowFields(
  header: readonly string[],
  cells: readonly string[],
  template: Template | undefined,
): ItemFields {
  const named = header.map((name, index): [string, unknown] => [name, cells[index]]);
  if (template !== undefined) return Object.fromEntries(named);
  const filled = named.filter(([, text]) => text !== '');
  return Object.fromEntries(
    filled.map(([name, text]) => [name, name === 'max_tokens' ? Number(text) : text]),
  );
}

/** @param createReader makes the reader for the first line */
function tableParser(
  createReader: (line: InputLine) => { readonly reader: CsvReader; readonly delimiter: string },
  template: Template | undefined,
): ItemParser {
  let table: ReturnType<typeof createReader> | undefined;
  let header: readonly string[] | undefined;
  const parse = (record: CsvRecord | undefined, delimiter: string): ParsedItem | undefined => {
    if (record === undefined) return undefined;
    const { line, fields, problem } = record;
    if (problem === undefined && fields.every((text) => text.trim() === '')) return undefined;
    if (header === undefined) {
      checkHeader(record, template);
      header = fields;
      return undefined;
    }
    const row = { header, cells: fields, delimiter };
    if (problem !== undefined) return { ...badItem(line, problem), row };
    if (fields.length !== header.length) {
      const has = fields.length === 1 ? '1 field' : `${fields.length} fields`;
      return { ...badItem(line, `has ${has}, but the header has ${header.length}`), row };
    }
    return { ...itemOf(line, rowFields(header, fields, template), template), row };
  };
  return {
    add(line) {
      table ??= createReader(line);
      return parse(table.reader.add(line), table.delimiter);
    },
    end: () => (table === undefined ? undefined : parse(table.reader.end(), table.delimiter)),
  };
}

/** The parser of a format. */
export function createItemParser(format: InputFormat, template: Template | undefined): ItemParser {
  if (format === 'lines') return plainParser(template);
  if (format === 'jsonl') return jsonParser(template);
  const createReader = ({ text }: InputLine) => {
    const delimiter = format === 'tsv' ? '\t' : delimiterOf(text);
    return { reader: createCsvReader(delimiter), delimiter };
  };
  return tableParser(createReader, template);
}
