// Writes a result in the formats of `--output-format`, from natter's own.

import type { InputItem } from '../input/item.ts';
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

function plainCells({ id = '', content, given = content }: InputItem): readonly string[] {
  const messages = textMessages(given?.messages ?? []);
  return [id, messages.findLast(({ role }) => role === 'user')?.content ?? ''];
}

/** The names of the columns of the input, and the delimiter of the table that is written. */
const columnsOf = ({ row }: InputItem) => row ?? { header: ['id', 'prompt'], delimiter: ',' };

/** The row of an item, followed by its result. @param line a result in natter's own format; undefined without one */
export function formatResultRow(item: InputItem, line: string | undefined): string {
  const { header, delimiter } = columnsOf(item);
  const cells = item.row?.cells ?? plainCells(item);
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
  const { header, delimiter } = columnsOf(item);
  const added = [answer, `${answer}_error`];
  const taken = added.find((name) => header.includes(name));
  if (taken === undefined) return formatRow([...header, ...added], delimiter);
  throw new Failure('usage', `the input has a column "${taken}" already`, {
    hint: 'choose a different one for the answers, such as --answer-column result',
  });
}

/** A completion as the service returns it. @param created seconds since 1970 */
function completionOf(result: JsonObject, created: number): object {
  const { completion_id: id, model, content, refusal, finish_reason: reason, usage } = result;
  const message = { role: 'assistant', content, refusal: refusal ?? null };
  return {
    id: textOf(id),
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason ?? null }],
    ...(isJsonObject(usage) ? { usage } : {}),
  };
}

/** A refused request has the response of the service, any other failure an `error` and what was received. */
function outcomeOf(result: JsonObject, created: number): object {
  const body = result['content'] === undefined ? undefined : completionOf(result, created);
  const error = result['error'];
  const respond = (status: number, request: unknown, responded: unknown) => ({
    status_code: status,
    request_id: textOf(request),
    body: responded,
  });
  if (!isJsonObject(error)) return { response: respond(200, '', body), error: null };
  const { kind, message, status, request_id: request } = error;
  if (typeof status === 'number' && status >= 400 && body === undefined) {
    const refusal = { error: { message, type: kind, param: null, code: null } };
    return { response: respond(status, request, refusal), error: null };
  }
  const response = body === undefined ? null : respond(200, request, body);
  return { response, error: { code: kind, message } };
}

/**
 * A line of an OpenAI batch output file: {"id", "custom_id", "response", "error"}.
 * @param line a result in natter's own format @param date of the completion
 */
export function openaiLine(line: string, date: Date): string {
  const result = resultFields(line);
  const name = resultName(Number(result['index']), readFingerprint(result['prompt_hash']));
  const id = typeof result['id'] === 'string' ? result['id'] : name;
  const outcome = outcomeOf(result, Math.floor(date.getTime() / 1000));
  return `${escapeJson(JSON.stringify({ id: name, custom_id: id, ...outcome }))}\n`;
}
