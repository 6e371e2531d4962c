// Writes a result in the formats of `--output-format`, from natter's own.

import type { InputItem, TableRow } from '../input/item.ts';
import { resultName } from './result-line.ts';
import { textMessages } from '../../conversation/message-text.ts';
import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { readFingerprint } from '../fingerprint.ts';
import { escapeJson } from '../../terminal/safety/sanitizer.ts';

/** `jsonl`: natter's own; `openai`: as an OpenAI batch; `csv`: the input's columns and the answers. */
export const outputFormats = ['jsonl', 'openai', 'csv'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The fields of a result. @param line in natter's own format */
function resultFields(line: string): JsonObject {
  const result = parseJson(line);
  if (!isJsonObject(result)) throw new Error('a result is not JSON');
  return result;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Spaces at an end are quoted, because some programs remove them. */
function formatCell(text: string, delimiter: string): string {
  const isPlain = !/["\r\n]|^\s|\s$/.test(text) && !text.includes(delimiter);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const formatRow = (cells: readonly string[], delimiter: string) =>
  `${cells.map((cell) => formatCell(cell, delimiter)).join(delimiter)}\n`;

const plainTable = { header: ['id', 'prompt'], delimiter: ',' };

/** An item as a row of a table; an input that is no table has the columns id and prompt. */
function rowOf({ row, id = '', content, given = content }: InputItem): TableRow {
  if (row !== undefined) return row;
  const messages = textMessages(given?.messages ?? []);
  const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return { ...plainTable, cells: [id, prompt] };
}

/** The row of an item, followed by its result. @param line a result in natter's own format; undefined without one */
export function formatResultRow(item: InputItem, line: string | undefined): string {
  const { header, cells, delimiter } = rowOf(item);
  const input = header.map((_, at) => cells[at] ?? '');
  if (line === undefined) return formatRow([...input, '', ''], delimiter);
  const { content, error } = resultFields(line);
  const failure = isJsonObject(error)
    ? `${String(error['kind'])}: ${String(error['message'])}`
    : '';
  return formatRow([...input, textOf(content), failure], delimiter);
}

/**
 * The header of a table of results.
 * @param item any item of the input @param answer the name of the column for answers
 * @throws Failure `usage` if the input has such a column
 */
export function tableHeader(item: InputItem, answer: string): string {
  const { header, delimiter } = item.row ?? plainTable;
  const added = [answer, `${answer}_error`];
  const taken = added.find((name) => header.includes(name));
  if (taken === undefined) return formatRow([...header, ...added], delimiter);
  throw new Failure('usage', `the input has a column "${taken}" already`, {
    hint: 'choose a different one for the answers, such as --answer-column result',
  });
}

/**
 * A line of an OpenAI batch output file: {"id", "custom_id", "response", "error"}. A refused request has the response of
 * the service, any other failure an `error` and what was received.
 * @param line a result in natter's own format @param date of the completion
 */
export function openaiLine(line: string, date: Date): string {
  const result = resultFields(line);
  const { index, prompt_hash: hash, id, model, content, usage, error: failure } = result;
  const { kind, message, status, request_id: request } = isJsonObject(failure) ? failure : {};
  const isRefused = content === undefined && typeof status === 'number' && status >= 400;
  const answer = { role: 'assistant', content, refusal: result['refusal'] ?? null };
  const reason = result['finish_reason'] ?? null;
  const completion = {
    id: textOf(result['completion_id']),
    object: 'chat.completion',
    created: Math.floor(date.getTime() / 1000),
    model,
    choices: [{ index: 0, message: answer, logprobs: null, finish_reason: reason }],
    ...(isJsonObject(usage) ? { usage } : {}),
  };
  const response = {
    status_code: isRefused ? status : 200,
    request_id: textOf(request),
    body: isRefused ? { error: { message, type: kind, param: null, code: null } } : completion,
  };
  const name = resultName(Number(index), readFingerprint(hash));
  const found = {
    id: name,
    custom_id: typeof id === 'string' ? id : name,
    response: content === undefined && !isRefused ? null : response,
    error: isRefused || !isJsonObject(failure) ? null : { code: kind, message },
  };
  return `${escapeJson(JSON.stringify(found))}\n`;
}
