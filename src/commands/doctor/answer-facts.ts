// What a server sends beyond the text of an answer, from the bytes of its responses.
import { createParser } from 'eventsource-parser';
import { isJsonObject, parseAnyJson, type JsonObject } from '../../json.ts';

export interface StreamFacts {
  /** Events with data, without `[DONE]`. */
  readonly events: number;
  readonly hasDone: boolean;
  readonly finishReason: string | undefined;
  readonly usage: 'none' | 'finish' | 'last' | 'every';
  /** Comment lines, which keep a connection alive. */
  readonly comments: number;
  /** Lines of the event stream other than data and comments: `event`, `id`, `retry`. */
  readonly otherLines: readonly string[];
  /** Fields that the contract does not name, as `choices.delta.role`. */
  readonly extraFields: readonly string[];
}

const chunkFields = new Set(['id', 'object', 'choices', 'choices.index', 'choices.delta']);
const wholeFields = new Set(
  'id object model choices choices.index choices.message choices.message.role choices.message.content choices.finish_reason usage usage.prompt_tokens usage.completion_tokens usage.total_tokens'.split(
    ' ',
  ),
);

const maxFields = 12;
const maxDepth = 3;

/** The paths of all fields, without indexes of lists; those in `known` are left out. */
function fieldPaths(value: unknown, prefix = '', depth = 0): readonly string[] {
  if (Array.isArray(value))
    return value.slice(0, 3).flatMap((one) => fieldPaths(one, prefix, depth));
  if (!isJsonObject(value) || depth >= maxDepth) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...fieldPaths(inner, path, depth + 1)];
  });
}

function extraOf(values: readonly unknown[], known: ReadonlySet<string>): readonly string[] {
  const paths = new Set(values.flatMap((value) => fieldPaths(value)));
  const extra = [...paths].filter((path) => {
    const parent = path.replace(/\.[^.]+$/, '');
    return !known.has(path) && (parent === path || known.has(parent));
  });
  return extra.slice(0, maxFields);
}

function firstChoice(value: JsonObject): JsonObject {
  const choices: unknown = value['choices'];
  const [first]: unknown[] = Array.isArray(choices) ? choices : [];
  return isJsonObject(first) ? first : {};
}

const finishReasonOf = (value: JsonObject): string | undefined => {
  const reason = firstChoice(value)['finish_reason'];
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
};

const hasUsage = (value: JsonObject) =>
  isJsonObject(value['usage']) || isJsonObject(firstChoice(value)['usage']);

function usagePlace(chunks: readonly JsonObject[]): StreamFacts['usage'] {
  const having = chunks.filter(hasUsage);
  if (having.length === 0) return 'none';
  if (having.length > 1) return 'every';
  return having.some((chunk) => finishReasonOf(chunk) !== undefined) ? 'finish' : 'last';
}

const lineNames = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

/** The facts of the body of a streamed answer; undefined for a body that is not an event stream. */
export function streamFacts(body: string): StreamFacts | undefined {
  const payloads: string[] = [];
  const text = body.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  // The client also reads a last event without a blank line after it.
  createParser({ onEvent: ({ data }) => void payloads.push(data) }).feed(`${text}\n\n`);
  if (payloads.length === 0) return undefined;
  const chunks = payloads.map((data) => parseAnyJson(data)).filter(isJsonObject);
  return {
    events: payloads.filter((data) => data !== '[DONE]').length,
    hasDone: payloads.includes('[DONE]'),
    finishReason: chunks.map(finishReasonOf).find((reason) => reason !== undefined),
    usage: usagePlace(chunks),
    comments: lineNames(text, /^(:)/gm).length,
    otherLines: [...new Set(lineNames(text, /^(event|id|retry)(?::|$)/gm))],
    extraFields: extraOf(chunks, new Set([...chunkFields, 'choices.delta.content'])),
  };
}

export interface WholeFacts {
  readonly hasUsage: boolean;
  readonly finishReason: string | undefined;
  readonly extraFields: readonly string[];
}

/** The facts of an answer in one JSON body; undefined for any other body. */
export function wholeFacts(body: string): WholeFacts | undefined {
  const value = parseAnyJson(body);
  if (!isJsonObject(value) || !Array.isArray(value['choices'])) return undefined;
  return {
    hasUsage: hasUsage(value),
    finishReason: finishReasonOf(value),
    extraFields: extraOf([value], wholeFields),
  };
}

/** The form of an error's body: `JSON with error.message, error.type`. */
export function errorForm(body: string): string {
  const start = body.trimStart();
  if (start === '') return 'an empty body';
  if (start.startsWith('<')) return 'a web page';
  const value = parseAnyJson(start);
  if (!isJsonObject(value)) return value === undefined ? 'plain text' : 'JSON without fields';
  const paths = fieldPaths(value);
  const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
  return leaves.length === 0
    ? 'an empty JSON object'
    : `JSON with ${leaves.slice(0, maxFields).join(', ')}`;
}
