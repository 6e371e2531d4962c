import { createCsvReader, type CsvReader, type CsvRecord, delimiterOf } from './csv.ts';
import type { InputLine } from './input-lines.ts';
import {
  type BatchItem,
  type InputFormat,
  itemContent,
  type ItemContent,
  type ItemFields,
  itemId,
  ItemProblem,
  refuse,
  type TableRow,
  type Template,
  type UnsendableItem,
} from './item.ts';
import { isBatchRequest, jsonItemContent, requestContent } from './json-item.ts';
import { Failure } from '../../failure.ts';
import { filledText, lineProblem, isJsonObject, parseJson } from '../../json.ts';

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
  return text.startsWith('{') && parseJson(text) !== undefined ? 'jsonl' : 'lines';
}

/** An item without its index. */
export type ParsedItem = Omit<BatchItem, 'index'> | Omit<UnsendableItem, 'index'>;

/** Parses the items of an input from its lines. */
export interface ItemParser {
  /** The item that the line completes; undefined for none. @throws Failure `usage` for an unusable header */
  add(line: InputLine): ParsedItem | undefined;
  end(): ParsedItem | undefined;
}

/** @param read throws an ItemProblem for an item that cannot be sent */
function parsed(
  place: { readonly line: number; readonly id: string | undefined; readonly row?: TableRow },
  read: () => ItemContent,
): ParsedItem {
  try {
    return { ...place, content: read() };
  } catch (error) {
    if (!(error instanceof ItemProblem)) throw error;
    return { ...place, problem: error.message };
  }
}

/** A parser for one item per line; skips blank lines. */
function lineParser(parse: (line: InputLine) => ParsedItem): ItemParser {
  return {
    add(line) {
      const { number, text, problem } = line;
      if (problem !== undefined) return { line: number, id: undefined, problem };
      return text.trim() === '' ? undefined : parse(line);
    },
    end: () => undefined,
  };
}

const plainParser = (template: Template | undefined): ItemParser =>
  lineParser(({ number, text }) => {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    const name = template === undefined ? 'prompt' : 'line';
    return parsed({ line: number, id: undefined }, () =>
      line.includes('\0') ? refuse('contains a NUL byte') : itemContent({ [name]: line }, template),
    );
  });

const jsonParser = (template: Template | undefined): ItemParser =>
  lineParser(({ number: line, text }) => {
    const value = parseJson(text);
    if (!isJsonObject(value)) {
      const problem = value === undefined ? lineProblem(text) : 'is not a JSON object';
      return { line, id: undefined, problem };
    }
    if (template === undefined && isBatchRequest(value)) {
      const id = filledText(value['custom_id']);
      return parsed({ line, id }, () => requestContent(text, value));
    }
    const id = itemId(value);
    return parsed({ line, id }, () => jsonItemContent(text, value, template));
  });

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

/** @param tabs between columns, whatever the header has */
function tableParser(tabs: boolean, template: Template | undefined): ItemParser {
  let table: { readonly reader: CsvReader; readonly delimiter: string } | undefined;
  let header: readonly string[] | undefined;
  const parse = (record: CsvRecord | undefined, delimiter: string): ParsedItem | undefined => {
    if (record === undefined) return undefined;
    const { line, fields: cells, problem } = record;
    if (problem === undefined && cells.every((text) => text.trim() === '')) return undefined;
    if (header === undefined) {
      checkHeader(record, template);
      header = cells;
      return undefined;
    }
    const row = { header, cells, delimiter };
    const has = cells.length === 1 ? '1 field' : `${cells.length} fields`;
    const wrong =
      cells.length === header.length
        ? undefined
        : `has ${has}, but the header has ${header.length}`;
    const found = problem ?? wrong;
    if (found !== undefined) return { line, id: undefined, row, problem: found };
    const fields = rowFields(header, cells, template);
    return parsed({ line, id: itemId(fields), row }, () => itemContent(fields, template));
  };
  return {
    add(line) {
      if (table === undefined) {
        const delimiter = tabs ? '\t' : delimiterOf(line.text);
        table = { reader: createCsvReader(delimiter), delimiter };
      }
      return parse(table.reader.add(line), table.delimiter);
    },
    end: () => table && parse(table.reader.end(), table.delimiter),
  };
}

/** The parser of a format. */
export function createItemParser(format: InputFormat, template: Template | undefined): ItemParser {
  if (format === 'lines') return plainParser(template);
  return format === 'jsonl' ? jsonParser(template) : tableParser(format === 'tsv', template);
}
