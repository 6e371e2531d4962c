// Results of other engines: lines of an OpenAI batch output or error file, as vLLM run-batch writes them too.

import { createLineSplitter } from '../input/input-lines.ts';
import { createIdLines } from '../input/read-items.ts';
import { createResultIndex, type IndexedResult } from './result-index.ts';
import { isAccepted, parseResultLine, parseResultName } from './result-line.ts';
import { fileBlocks } from './write-results.ts';
import { Failure } from '../../failure.ts';
import { filledText, isJsonObject, type JsonObject, parseJson } from '../../json.ts';

/** How a result names its item. */
type ItemReference =
  | { readonly index: number; readonly fingerprint: bigint | undefined }
  | { readonly id: string };

/** Finds items by the names that results have for them. */
export interface ItemNames {
  /** @param fingerprint undefined for an item that cannot be sent */
  add(index: number, id: string | undefined, fingerprint: bigint | undefined): void;
  /** The index of the item; undefined for none, also if its prompt is a different one. */
  find(reference: ItemReference): number | undefined;
}

export function createItemNames(): ItemNames {
  const items = createResultIndex();
  const ids = createIdLines();
  return {
    add(index, id, fingerprint) {
      items.set({ index, fingerprint, isAnswered: false, file: 0, offset: 0, length: 0 });
      if (id !== undefined) ids.add(id, index);
    },
    find(reference) {
      if ('id' in reference) return ids.find(reference.id);
      const item = items.get(reference.index);
      const { fingerprint } = reference;
      const isSame = fingerprint === undefined || item?.fingerprint === fingerprint;
      return isSame ? item?.index : undefined;
    },
  };
}

interface Reading {
  readonly reference: ItemReference;
  readonly isAnswered: boolean;
}

/** Undefined for a line that is not a result. */
function readReference(text: string): Reading | undefined {
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
  const splitter = createLineSplitter(Number.POSITIVE_INFINITY);
  let number = 0;
  let offset = 0;
  const add = (bytes: Buffer = Buffer.alloc(0)) => {
    number += 1;
    const start = offset;
    offset += bytes.length + 1;
    const text = bytes.toString();
    if (text.trim() === '') return;
    const read = readReference(text);
    if (read === undefined) throw notResult(name, number);
    const index = names.find(read.reference);
    if (index === undefined) throw unknownItem(name, number, read.reference);
    const { isAnswered } = read;
    onResult({
      index,
      fingerprint: undefined,
      isAnswered,
      file,
      offset: start,
      length: bytes.length,
    });
  };
  for (const block of fileBlocks(descriptor)) splitter.add(block).forEach(add);
  splitter.end().forEach(add);
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

/** A result of natter as it is, or the response of another engine. @param text a scanned line */
export function parseForeignResult(text: string): string | ForeignResponse {
  const format = parseResultLine(text)?.format;
  if (format === 'jsonl') return `${text}\n`;
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a scanned result is not JSON');
  return responseOf(value);
}
