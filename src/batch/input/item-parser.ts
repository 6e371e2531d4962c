import { Failure } from '../../failure.ts';
import { isJsonObject, jsonProblem, parseJson } from '../../json.ts';
import type { CsvReader, CsvRecord } from './csv.ts';
import type { InputFormat } from './input-format.ts';
import type { InputLine } from './input-lines.ts';
import { itemContent, itemId, jsonItemContent } from './item-content.ts';
import type { ItemContent, ItemFields, Problem } from './item.ts';
import type { Template } from './template.ts';

/** An item before it is counted. */
export interface ParsedItem {
  readonly line: number;
  readonly id: string | undefined;
  readonly content: ItemContent | Problem;
}

/** Makes items of lines. */
export interface ItemParser {
  /** The item that the line ends; undefined for none. @throws Failure `usage` for a header that will not do */
  add(line: InputLine): ParsedItem | undefined;
  end(): ParsedItem | undefined;
}

const bad = (line: number, problem: string): ParsedItem => ({
  line,
  id: undefined,
  content: { problem },
});

const isBlank = ({ text, problem }: InputLine) => problem === undefined && text.trim() === '';

/** Blank lines are no items. */
function lineByLine(parse: (line: InputLine) => ParsedItem): ItemParser {
  return {
    add(line) {
      if (isBlank(line)) return undefined;
      return line.problem === undefined ? parse(line) : bad(line.number, line.problem);
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
  return lineByLine(({ number, text }) => {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line.includes('\0')) return bad(number, 'contains a NUL byte');
    const name = template === undefined ? 'prompt' : 'line';
    return itemOf(number, { [name]: line }, template);
  });
}

function jsonParser(template: Template | undefined): ItemParser {
  return lineByLine(({ number, text }) => {
    const value = parseJson(text);
    if (value === undefined) return bad(number, jsonProblem(text));
    if (!isJsonObject(value)) return bad(number, 'is not a JSON object');
    const content = jsonItemContent(text, value, template);
    return { line: number, id: itemId(value), content };
  });
}

/** @throws Failure `usage` */
function checkHeader({ fields, problem }: CsvRecord, template: Template | undefined): void {
  if (problem !== undefined) throw new Failure('usage', `the header of the table ${problem}`);
  const repeated = fields.find((name, index) => fields.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new Failure('usage', `the header of the table names "${repeated}" twice`);
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

/** An empty cell says nothing, unless a template asks for it. */
function cells(header: readonly string[], fields: readonly string[], isValue: boolean): ItemFields {
  const named = header.map((name, index): [string, unknown] => [name, fields[index]]);
  if (isValue) return Object.fromEntries(named);
  const said = named.filter(([, text]) => text !== '');
  return Object.fromEntries(
    said.map(([name, text]) => [name, name === 'max_tokens' ? Number(text) : text]),
  );
}

function tableParser(reader: CsvReader, template: Template | undefined): ItemParser {
  let header: readonly string[] | undefined;
  const parse = (record: CsvRecord | undefined): ParsedItem | undefined => {
    if (record === undefined) return undefined;
    const { line, fields, problem } = record;
    if (problem === undefined && fields.every((text) => text.trim() === '')) return undefined;
    if (header === undefined) {
      checkHeader(record, template);
      header = fields;
      return undefined;
    }
    if (problem !== undefined) return bad(line, problem);
    if (fields.length !== header.length) {
      const has = fields.length === 1 ? '1 field' : `${fields.length} fields`;
      return bad(line, `has ${has}, but the header has ${header.length}`);
    }
    return itemOf(line, cells(header, fields, template !== undefined), template);
  };
  return { add: (line) => parse(reader.add(line)), end: () => parse(reader.end()) };
}

/** The parser of a format; `template` makes the prompts. csv-parse is loaded for a table alone. */
export async function createItemParser(
  format: InputFormat,
  template: Template | undefined,
): Promise<ItemParser> {
  if (format === 'lines') return plainParser(template);
  if (format === 'jsonl') return jsonParser(template);
  const { createCsvReader } = await import('./csv.ts');
  return tableParser(createCsvReader(format === 'tsv' ? '\t' : ','), template);
}
