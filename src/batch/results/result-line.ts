import { sandboxIdStart } from '../../client/contract.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { readFingerprint } from '../fingerprint.ts';
import type { ResultLine } from './result-index.ts';

/** More than any batch has. A damaged line may name a higher one. */
const highestIndex = 1e8;

const namePattern = /^natter-(?<index>\d{1,9})(?:-(?<hash>[\da-f]{16}))?$/;

/** The `id` of a result in the format of OpenAI, and the `custom_id` of an item without an id: `natter-7-f6e863f79b241bbe`. */
export function resultName(index: number, fingerprint: string | undefined): string {
  const hash = fingerprint === undefined ? '' : `-${fingerprint}`;
  return `natter-${index}${hash}`;
}

/** The item that {@link resultName} names; undefined for any other text. */
export function parseResultName(text: unknown) {
  const { index, hash } = (typeof text === 'string' ? namePattern.exec(text)?.groups : null) ?? {};
  if (index === undefined) return undefined;
  return { index: Number(index), fingerprint: hash };
}

/** Whether the response of an OpenAI batch is an answer. */
export function isAccepted({ response, error }: JsonObject): boolean {
  if (!isJsonObject(response) || (error !== null && error !== undefined)) return false;
  const status = response['status_code'] ?? 200;
  return typeof status === 'number' && status >= 200 && status < 300;
}

/** The beginning of the lines that natter writes. */
const beginning = '{"index":';

/** Undefined for a line that is not a result of natter. */
export function parseResultLine(text: string): ResultLine | undefined {
  const value = text.startsWith(beginning) ? parseJson(text) : undefined;
  if (!isJsonObject(value)) return undefined;
  const { index, prompt_hash: hash, completion_id: id, error } = value;
  if (typeof index !== 'number' || !Number.isInteger(index)) return undefined;
  if (index < 1 || index > highestIndex) return undefined;
  return {
    index,
    fingerprint: readFingerprint(hash),
    isAnswered: error === undefined,
    isFromSandbox: typeof id === 'string' && id.startsWith(sandboxIdStart),
  };
}

/** Whether `text` can be the beginning of a result that was not written completely. */
export function isTornResult(text: string): boolean {
  return text.startsWith(beginning) || beginning.startsWith(text);
}
