import type { InputItem } from '../input/item.ts';
import { textMessages } from '../../conversation/message-text.ts';
import { Failure } from '../../failure.ts';
import { isJsonObject, parseJson } from '../../json.ts';

/** Spaces at an end are quoted, because some programs remove them. */
function formatCell(text: string, delimiter: string): string {
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(delimiter);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const formatRow = (cells: readonly string[], delimiter: string) =>
  `${cells.map((cell) => formatCell(cell, delimiter)).join(delimiter)}\n`;

/** The columns of an item whose input is not a table. */
const plainColumns = ['id', 'prompt'];

function plainCells({ id = '', content, given = content }: InputItem): readonly string[] {
  const messages = textMessages(given?.messages ?? []);
  return [id, messages.findLast(({ role }) => role === 'user')?.content ?? ''];
}

/** The names of the columns of the input, and the delimiter of the table that is written. */
function columnsOf({ row }: InputItem): {
  readonly header: readonly string[];
  readonly delimiter: string;
} {
  return row ?? { header: plainColumns, delimiter: ',' };
}

/** The answer and the error of a result in natter's own format. */
function resultCells(line: string): readonly string[] {
  const result = parseJson(line);
  if (!isJsonObject(result)) throw new Error('a result is not JSON');
  const { content, error } = result;
  const failure = isJsonObject(error)
    ? `${String(error['kind'])}: ${String(error['message'])}`
    : '';
  return [typeof content === 'string' ? content : '', failure];
}

/** The row of an item, followed by its result. @param line a result in natter's own format; undefined without one */
export function formatResultRow(item: InputItem, line: string | undefined): string {
  const { header, delimiter } = columnsOf(item);
  const cells = item.row?.cells ?? plainCells(item);
  const input = header.map((_, at) => cells[at] ?? '');
  return formatRow([...input, ...(line === undefined ? ['', ''] : resultCells(line))], delimiter);
}

/**
 * The header of a table of results.
 * @param item any item of the input @param answer the name of the column for answers
 * @throws Failure `usage` if the input has such a column
 */
export function tableHeader(item: InputItem, answer: string): string {
  const { header, delimiter } = columnsOf(item);
  const added = [answer, `${answer}_error`];
  const taken = added.find((name) => header.includes(name));
  if (taken === undefined) return formatRow([...header, ...added], delimiter);
  throw new Failure('usage', `the input has a column "${taken}" already`, {
    hint: 'choose a different one for the answers, such as --answer-column result',
  });
}
