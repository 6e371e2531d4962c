import { isJsonObject, parseJson } from '../../json.ts';
import { parseFingerprint } from '../fingerprint.ts';

/** What a line of a result file says of its item, apart from the answer. */
export interface ResultLine {
  /** From 1. */
  readonly index: number;
  /** Of the prompt; absent for an item that could not be read. */
  readonly fingerprint: bigint | undefined;
  /** There is an answer, and it is whole. */
  readonly isAnswered: boolean;
}

/** How every line begins. */
const resultBeginning = '{"index":';

/** More than any batch holds; memory for an index is taken up to the highest one, which a damaged line may name. */
const highestIndex = 1e8;

/** Reads a line of a result file; undefined for any other line. */
export function parseResultLine(text: string): ResultLine | undefined {
  if (!text.startsWith(resultBeginning)) return undefined;
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { index } = value;
  if (typeof index !== 'number' || !Number.isInteger(index)) return undefined;
  if (index < 1 || index > highestIndex) return undefined;
  return {
    index,
    fingerprint: parseFingerprint(value['prompt_hash']),
    isAnswered: value['error'] === undefined,
  };
}

/** Whether `text` may be the beginning of a line that was not written to its end. */
export function isTornResult(text: string): boolean {
  return text.startsWith(resultBeginning) || resultBeginning.startsWith(text);
}
