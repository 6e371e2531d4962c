import { isTooDeep, jsonProblem } from './json.ts';

/** What may come next. `item` and `first key` are also the places where `]` and `}` end an empty list or object. */
type Expected = 'value' | 'item' | 'key' | 'first key' | 'colon' | 'next';

const closers: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const blank = /[ \t\r\n]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const stringPart = /[\u0020\u0021\u0023-\u005b\u005d-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

/** The end of a string; `start` if it has none, or an invalid character. */
function stringEnd(text: string, start: number): number {
  let end = start + 1;
  for (let next = endOf(stringPart, text, end); next > end; next = endOf(stringPart, text, end)) {
    end = next;
  }
  return text[end] === '"' ? end + 1 : start;
}

const isValuePlace = (expected: Expected) => expected === 'value' || expected === 'item';
const isKeyPlace = (expected: Expected) => expected === 'key' || expected === 'first key';

/** What may follow a token, by its first character; undefined if the token is not expected. */
function follow(expected: Expected, first: string, open: string[]): Expected | undefined {
  const closer = open.at(-1);
  if (closers[first] !== undefined && isValuePlace(expected)) {
    open.push(closers[first]);
    return first === '{' ? 'first key' : 'item';
  }
  if (first === closer && /^(?:item|first key|next)$/.test(expected)) {
    open.pop();
    return 'next';
  }
  if (first === '"' && isKeyPlace(expected)) return 'colon';
  if (first === ':' && expected === 'colon') return 'value';
  if (first === ',' && expected === 'next') {
    if (closer === undefined) return undefined;
    return closer === '}' ? 'key' : 'value';
  }
  return isValuePlace(expected) && !/[{}[\],:]/.test(first) ? 'next' : undefined;
}

function tokenEnd(text: string, start: number): number {
  const first = text[start] ?? '';
  if (/[{}[\],:]/.test(first)) return start + 1;
  return first === '"' ? stringEnd(text, start) : endOf(scalar, text, start);
}

/** The offset of the first token that makes text invalid JSON; the end of an incomplete one. */
function errorOffset(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  for (let at = endOf(blank, text, 0); at < text.length;) {
    const end = tokenEnd(text, at);
    const next: Expected | undefined =
      end === at ? undefined : follow(expected, text[at] ?? '', open);
    if (next === undefined) return at;
    expected = next;
    at = endOf(blank, text, end);
  }
  return text.trimEnd().length;
}

/** {@link jsonProblem} with the place where the text stops being JSON; the parser of Node names none for short texts. */
export function locatedProblem(text: string): string {
  if (isTooDeep(text)) return jsonProblem(text);
  const lines = text.slice(0, errorOffset(text)).split('\n');
  return `is not JSON at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** {@link locatedProblem} for a text that is one line of a file. */
export const lineProblem = (text: string): string =>
  isTooDeep(text) ? jsonProblem(text) : `is not JSON at column ${errorOffset(text) + 1}`;
