// What natter adds to a prompt and to a request with a schema, and the value of the answer. docs/json.md shows the texts.

import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject, jsonProblem, jsonTokens, parseJson } from '../json.ts';

/** Where and how a value does not conform to a schema. */
export interface Violation {
  /** A JSON Pointer; empty for the whole answer. */
  readonly path: string;
  /** A predicate: `must be integer`. */
  readonly message: string;
}

/** `/age must be integer`, `the answer is not JSON`. */
export function describeViolation({ path, message }: Violation): string {
  return `${path === '' ? 'the answer' : path} ${message}`;
}

/** The first violation, and how many more there are. */
export function describeViolations([first, ...others]: readonly Violation[]): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `${describeViolation(first)}${more}`;
}

/** The first ones of a long list are enough to correct an answer. */
const maxListed = 20;

const only = 'Write only the JSON: no code fence and no other text.';

/** The prompt with the schema behind it. */
export function withInstruction(prompt: string, schema: JsonObject): string {
  const instruction = `Answer with one JSON value that conforms to the JSON Schema below. ${only}`;
  return `${prompt}\n\n${instruction}\n\n${JSON.stringify(schema)}`;
}

/** The prompt that follows an answer with violations. */
export function correctionPrompt(violations: readonly Violation[]): string {
  const lines = violations.slice(0, maxListed).map((one) => `- ${describeViolation(one)}`);
  return `Your answer does not conform to the JSON Schema:\n\n${lines.join('\n')}\n\nAnswer again with one JSON value that conforms to it. ${only}`;
}

const members = (value: unknown): readonly unknown[] =>
  isJsonObject(value) ? Object.values(value) : [];

/**
 * Whether services can enforce a schema strictly: each object names all its properties as required, and allows no
 * others.
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isJsonObject(schema)) return true;
  const { type, properties, required, additionalProperties, items, anyOf, $defs, definitions } =
    schema;
  const isObject = properties !== undefined || type === 'object';
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const isClosed = additionalProperties === false && names.every(isRequired);
  if (isObject && !isClosed) return false;
  return [items, anyOf, ...members(properties), ...members($defs), ...members(definitions)].every(
    isStrict,
  );
}

/** A service takes letters, digits, _ and -, at most 64. */
function nameOf({ title }: JsonObject): string {
  const name = typeof title === 'string' ? title.replaceAll(/[^\w-]+/g, '_').slice(0, 64) : '';
  return name === '' ? 'answer' : name;
}

/**
 * The value of the field `response_format`, which the contract does not have. It sends a schema besides the prompt;
 * undefined for `none`.
 */
export function responseFormat(
  type: 'none' | 'json_object' | 'json_schema',
  schema: JsonObject,
): object | undefined {
  if (type === 'none') return undefined;
  if (type === 'json_object') return { type };
  return { type, json_schema: { name: nameOf(schema), schema, strict: isStrict(schema) } };
}

/** The JSON value of an answer. */
export interface AnswerValue {
  /** The text that the model wrote, without spaces around it. */
  readonly text: string;
  readonly value: unknown;
}

const openingFence = /^ {0,3}(?<fence>`{3,}|~{3,})[^\n]*(?:\n|$)/m;

/** The first code block of a text; undefined without one that is closed. */
function firstBlock(text: string) {
  const opening = openingFence.exec(text);
  const fence = opening?.groups?.['fence'];
  if (opening === null || fence === undefined) return undefined;
  const rest = text.slice(opening.index + opening[0].length);
  const closing = new RegExp(`^ {0,3}${fence}[ \\t\\r]*$`, 'm').exec(rest);
  if (closing === null) return undefined;
  return {
    content: rest.slice(0, closing.index).trim(),
    before: text.slice(0, opening.index),
    after: rest.slice(closing.index + closing[0].length),
  };
}

/** Whether text around a block may be the answer as well as the block: a line is JSON, or the part in brackets. */
function hasJson(text: string): boolean {
  const bracketed = /[[{][^]*[\]}]/.exec(text)?.[0] ?? '';
  const parts = [bracketed, ...text.split('\n')].map((part) => part.trim());
  return parts.some((part) => part !== '' && parseJson(part) !== undefined);
}

/**
 * The value of an answer that is JSON, or has it in its only code block and none around it. Nothing is repaired.
 * @returns the violation of any other answer
 */
export function readAnswerValue(content: string): AnswerValue | Violation {
  const refuse = (message: string): Violation => ({ path: '', message });
  let text = content.trim();
  if (parseJson(text) === undefined && openingFence.test(text)) {
    const block = firstBlock(text);
    if (block === undefined) return refuse('has a code block without an end');
    if (openingFence.test(block.after)) return refuse('has more than one code block');
    if (hasJson(block.before) || hasJson(block.after)) {
      return refuse('has JSON inside and outside a code block');
    }
    text = block.content;
  }
  const value = parseJson(text);
  if (value === undefined) return refuse(text === '' ? 'is empty' : jsonProblem(text));
  return { text, value };
}

/** Git Bash turns an argument such as `/name` into the path of a file. */
const isConverted = (text: string) => /^[A-Za-z]:[\\/]/.test(text);

/** The names and indexes of the JSON Pointer of `--select` (RFC 6901). @throws Failure `usage` */
export function parsePointer(text: string): readonly string[] {
  if (text === '') return [];
  if (!text.startsWith('/')) {
    throw new Failure('usage', '--select must be a JSON Pointer such as /items/0/name', {
      hint: isConverted(text)
        ? 'Git Bash turned it into a path; set MSYS_NO_PATHCONV=1'
        : 'begin it with /, and put / between names and indexes (from 0)',
    });
  }
  if (/~(?![01])/.test(text)) {
    throw new Failure('usage', '--select has a ~ that is not part of ~0 or ~1', {
      hint: 'in a name, write ~0 for ~ and ~1 for /',
    });
  }
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The last member of an object with this name, as `JSON.parse` takes it, or the item of a list. */
function memberOf(json: string, name: string): string | undefined {
  const isObject = json.startsWith('{');
  let found: string | undefined;
  let index = 0;
  let depth = 0;
  /** The current member: its name, and where its value starts. */
  let key: string | undefined;
  let start: number | undefined;
  let end = 0;
  for (const { token, start: at } of jsonTokens(json)) {
    const isClosing = token === '}' || token === ']';
    if (depth === 1 && (isClosing || token === ',')) {
      const isNamed = (isObject ? key : String(index)) === name;
      if (isNamed && start !== undefined) found = json.slice(start, end);
      index += 1;
      key = start = undefined;
    } else if (depth === 1 && isObject && key === undefined) key = JSON.parse(token) as string;
    else if (depth === 1 && token !== ':') start ??= at;
    if (isClosing) depth -= 1;
    else if (token === '{' || token === '[') depth += 1;
    end = at + token.length;
  }
  return found;
}

/** The text of the value at a pointer, with its own spaces and digits; undefined if there is none. @param json valid JSON */
export function textAt(json: string, pointer: readonly string[]): string | undefined {
  let found: string | undefined = json.trim();
  for (const token of pointer) {
    if (found === undefined) return undefined;
    found = memberOf(found, token);
  }
  return found;
}

/** JSON text on one line: without the spaces between its tokens. @param json valid JSON */
export function compactJson(json: string): string {
  return json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/gs, '$1');
}
