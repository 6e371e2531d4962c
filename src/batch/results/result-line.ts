import { sandboxIdStart } from '../../client/contract.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { readFingerprint } from '../fingerprint.ts';
import type { ResultLine } from './result-index.ts';

/** `jsonl`: natter's own; `openai`: as in the output file of an OpenAI batch. */
export type ResultFormat = 'jsonl' | 'openai';

/** A parsed line of a results file. */
export interface FormattedResult extends ResultLine {
  readonly format: ResultFormat;
}

/** More than any batch has. A damaged line may name a higher one. */
const highestIndex = 1e8;

const namePattern = /^natter-(?<index>\d{1,9})(?:-(?<hash>[\da-f]{16}))?$/;

/** The `id` of a result in the format `openai`, and the `custom_id` of an item without an id: `natter-7-f6e863f79b241bbe`. */
export function resultName(index: number, fingerprint: string | undefined): string {
  const hash = fingerprint === undefined ? '' : `-${fingerprint}`;
  return `natter-${index}${hash}`;
}

/** The item that {@link resultName} names; undefined for any other text. */
export function parseResultName(
  text: unknown,
): { readonly index: number; readonly fingerprint: string | undefined } | undefined {
  const { index, hash } = (typeof text === 'string' ? namePattern.exec(text)?.groups : null) ?? {};
  if (index === undefined) return undefined;
  return { index: Number(index), fingerprint: hash };
}

const isIndex = (index: unknown): index is number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 1 && index <= highestIndex;

/** Whether an id is one of `natter sandbox` or `--sandbox`. */
const isSandboxId = (id: unknown) => typeof id === 'string' && id.startsWith(sandboxIdStart);

function ownResult(value: JsonObject): FormattedResult | undefined {
  const { index } = value;
  if (!isIndex(index)) return undefined;
  const fingerprint = readFingerprint(value['prompt_hash']);
  const isAnswered = value['error'] === undefined;
  const isFromSandbox = isSandboxId(value['completion_id']);
  return { format: 'jsonl', index, fingerprint, isAnswered, isFromSandbox };
}

/** Whether the response of an OpenAI batch is an answer. */
export function isAccepted({ response, error }: JsonObject): boolean {
  if (!isJsonObject(response) || (error !== null && error !== undefined)) return false;
  const status = response['status_code'] ?? 200;
  return typeof status === 'number' && status >= 200 && status < 300;
}

function batchResult(value: JsonObject): FormattedResult | undefined {
  const named = parseResultName(value['id']);
  if (named === undefined || !isIndex(named.index)) return undefined;
  const { response } = value;
  const body = isJsonObject(response) ? response['body'] : undefined;
  const isFromSandbox = isJsonObject(body) && isSandboxId(body['id']);
  return { format: 'openai', ...named, isAnswered: isAccepted(value), isFromSandbox };
}

/** The beginnings of the lines that natter writes. */
const beginnings = ['{"index":', '{"id":"natter-'] as const;

/** Undefined for a line that is not a result of natter. */
export function parseResultLine(text: string): FormattedResult | undefined {
  if (!beginnings.some((beginning) => text.startsWith(beginning))) return undefined;
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  return text.startsWith(beginnings[0]) ? ownResult(value) : batchResult(value);
}

/** Whether `text` can be the beginning of a result that was not written completely. */
export function isTornResult(text: string): boolean {
  return beginnings.some((beginning) => text.startsWith(beginning) || beginning.startsWith(text));
}
