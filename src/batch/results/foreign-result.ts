// Results of other engines: lines of an OpenAI batch output or error file, as vLLM run-batch writes them too.

import { fileLines } from './read-results.ts';
import type { IndexedResult } from './result-index.ts';
import { isAccepted, parseResultLine, parseResultName } from './result-line.ts';
import { Failure } from '../../failure.ts';
import { filledText, isJsonObject, type JsonObject, parseJson } from '../../json.ts';

/** How a result names its item. */
type ItemReference =
  | { readonly index: number; readonly fingerprint: bigint | undefined }
  | { readonly id: string };

/** Finds items by the names that results have for them. */
export class ItemNames {
  readonly #fingerprints = new Map<number, bigint | undefined>();
  readonly #ids = new Map<string, number>();

  /** @param fingerprint undefined for an item that cannot be sent */
  add(index: number, id: string | undefined, fingerprint: bigint | undefined): void {
    this.#fingerprints.set(index, fingerprint);
    if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, index);
  }

  /** The index of the item; undefined for none, also if its prompt is a different one. */
  find(reference: ItemReference): number | undefined {
    if ('id' in reference) return this.#ids.get(reference.id);
    const { index, fingerprint } = reference;
    if (!this.#fingerprints.has(index)) return undefined;
    const isSame = fingerprint === undefined || this.#fingerprints.get(index) === fingerprint;
    return isSame ? index : undefined;
  }
}

/** The item of a result; undefined for a line that is not one. */
function readReference(
  text: string,
): { readonly reference: ItemReference; readonly isAnswered: boolean } | undefined {
  const own = parseResultLine(text);
  if (own !== undefined) return { reference: own, isAnswered: own.isAnswered };
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const id = filledText(value['custom_id']);
  if (id === undefined || !('response' in value || 'error' in value)) return undefined;
  return { reference: parseResultName(id) ?? { id }, isAnswered: isAccepted(value) };
}

function notResult(name: string, line: number): Failure {
  return new Failure('usage', `line ${line} of ${name} is not a result of a batch`, {
    hint: 'name output and error files of an OpenAI batch or of vllm run-batch, or results of natter',
  });
}

function unknownItem(name: string, line: number, reference: ItemReference): Failure {
  const item =
    'id' in reference
      ? `${JSON.stringify(reference.id)}, which the input does not have`
      : `item ${reference.index} of a different input`;
  return new Failure('usage', `line ${line} of ${name} is the result of ${item}`, {
    hint: 'name the input of these results, with the same --template and --system',
  });
}

/**
 * Reports the result in each line of a file. An item's result may be in several lines.
 * @param name the file's name in messages @param file the number of the file in results
 * @throws Failure `usage` for a line that is not a result, or not of an item; the system's error
 */
export function scanForeignResults(
  descriptor: number,
  name: string,
  file: number,
  names: ItemNames,
  onResult: (result: IndexedResult) => void,
): void {
  for (const { number, offset, bytes } of fileLines(descriptor)) {
    const text = bytes.toString();
    if (text.trim() === '') continue;
    const read = readReference(text);
    if (read === undefined) throw notResult(name, number);
    const index = names.find(read.reference);
    if (index === undefined) throw unknownItem(name, number, read.reference);
    const { isAnswered } = read;
    const length = bytes.length + 1;
    onResult({ index, fingerprint: undefined, isAnswered, file, offset, length });
  }
}

/** What an engine returned for a request. */
export interface ForeignResponse {
  /** Undefined if no response arrived. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** JSON of the response's body. */
  readonly body: string | undefined;
  /** The error beside or in the response; undefined for an answer. */
  readonly error: unknown;
}

function responseOf({ response, error }: JsonObject): ForeignResponse {
  const { status_code: status, request_id: id, body } = isJsonObject(response) ? response : {};
  const found = error ?? (typeof status === 'number' && status >= 400 ? body : undefined);
  return {
    status: typeof status === 'number' ? status : undefined,
    requestId: filledText(id),
    body: isJsonObject(body) ? JSON.stringify(body) : undefined,
    error: found ?? undefined,
  };
}

/** A result of natter as it is, or the response of another engine. @param text a scanned line with its end */
export function parseForeignResult(text: string): string | ForeignResponse {
  const format = parseResultLine(text)?.format;
  if (format === 'jsonl') return text;
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a scanned result is not JSON');
  return responseOf(value);
}
