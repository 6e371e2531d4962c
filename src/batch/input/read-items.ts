import { type CsvRecord, readCsv } from './csv.ts';
import { type InputLine, readInputLines } from './input-lines.ts';
import {
  type InputFormat,
  type InputItem,
  itemContent,
  type ItemContent,
  type ItemFields,
  itemId,
  ItemProblem,
  refuse,
  type TableRow,
  type Template,
} from './item.ts';
import { isBatchRequest, parametersOf, refuseInexact, requestContent } from './json-item.ts';
import { fingerprint } from '../fingerprint.ts';
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

/** A line or a row of the input. */
interface ItemSource {
  readonly id?: string | undefined;
  readonly row?: TableRow;
  /** @throws ItemProblem for an item that cannot be sent */
  readonly read: () => ItemContent;
}

function plainItem(text: string, template: Template | undefined): ItemSource {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  const name = template === undefined ? 'prompt' : 'line';
  const read = () =>
    line.includes('\0') ? refuse('contains a NUL byte') : itemContent({ [name]: line }, template);
  return { read };
}

function jsonItem(text: string, template: Template | undefined): ItemSource {
  const value = parseJson(text);
  if (!isJsonObject(value)) {
    return { read: () => refuse(value === undefined ? lineProblem(text) : 'is not a JSON object') };
  }
  if (template === undefined && isBatchRequest(value)) {
    return { id: filledText(value['custom_id']), read: () => requestContent(text, value) };
  }
  const read = () => {
    refuseInexact(text, template);
    const content = itemContent(value, template);
    return template === undefined ? { ...content, ...parametersOf(value) } : content;
  };
  return { id: itemId(value), read };
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

/** @throws Failure `usage` for an unusable header */
async function* tableItems(
  lines: AsyncIterable<InputLine>,
  given: string | undefined,
  template: Template | undefined,
): AsyncGenerator<ItemSource & { readonly line: number }, void> {
  let header: readonly string[] | undefined;
  for await (const record of readCsv(lines, given)) {
    const { line, fields: cells, delimiter, problem } = record;
    if (problem === undefined && cells.every((text) => text.trim() === '')) continue;
    if (header === undefined) {
      checkHeader(record, template);
      header = cells;
      continue;
    }
    const row = { header, cells, delimiter };
    if (problem !== undefined || cells.length !== header.length) {
      const has = cells.length === 1 ? '1 field' : `${cells.length} fields`;
      const found = problem ?? `has ${has}, but the header has ${header.length}`;
      yield { line, row, read: () => refuse(found) };
      continue;
    }
    const named = header.map((name, index): [string, unknown] => [name, cells[index]]);
    // Without a template, an empty cell is absent and `max_tokens` is a number.
    const valueOf = (name: string, text: unknown) => (name === 'max_tokens' ? Number(text) : text);
    const filled = named.filter(([, text]) => text !== '');
    const values = filled.map(([name, text]) => [name, valueOf(name, text)]);
    const fields: ItemFields = Object.fromEntries(template === undefined ? values : named);
    yield { line, id: itemId(fields), row, read: () => itemContent(fields, template) };
  }
}

/**
 * One item for each line that is not blank.
 * @param format undefined: JSON lines if the first of them is JSON and begins with a brace, else plain lines
 */
async function* lineItems(
  lines: AsyncIterable<InputLine>,
  format: 'lines' | 'jsonl' | undefined,
  template: Template | undefined,
): AsyncGenerator<ItemSource & { readonly line: number }, void> {
  let isJson = format === undefined ? undefined : format === 'jsonl';
  for await (const { number: line, text, problem } of lines) {
    if (problem !== undefined) yield { line, read: () => refuse(problem) };
    else if (text.trim() !== '') {
      isJson ??= text.startsWith('{') && parseJson(text) !== undefined;
      yield { line, ...(isJson ? jsonItem(text, template) : plainItem(text, template)) };
    }
  }
}

/**
 * The items of an input, in order. An item that cannot be sent has a `problem`; it does not stop the others.
 * @param plan its format is undefined if the first line that is not blank decides
 * @throws Failure `usage` for an unusable header; errors of `source`
 */
export async function* readItems(
  source: AsyncIterable<Uint8Array>,
  plan: { readonly format: InputFormat | undefined; readonly template: Template | undefined },
): AsyncGenerator<InputItem, void> {
  const { format, template } = plan;
  /** The first line of each id. Hashes, because an id may be a part of a long line, which would stay in memory. */
  const lines = new Map<string, number>();
  let index = 0;
  const inputLines = readInputLines(source);
  const items =
    format === 'csv' || format === 'tsv'
      ? tableItems(inputLines, format === 'tsv' ? '\t' : undefined, template)
      : lineItems(inputLines, format, template);
  for await (const { read, id, ...rest } of items) {
    index += 1;
    const place = { index, id, ...rest };
    const key = id === undefined ? undefined : fingerprint(id);
    const earlier = key === undefined ? undefined : lines.get(key);
    if (key !== undefined && earlier === undefined) lines.set(key, rest.line);
    let item: InputItem;
    try {
      if (earlier !== undefined) refuse(`repeats the id "${id}" of line ${earlier}`);
      item = { ...place, content: read() };
    } catch (error) {
      if (!(error instanceof ItemProblem)) throw error;
      item = { ...place, problem: error.message };
    }
    yield item;
  }
}
