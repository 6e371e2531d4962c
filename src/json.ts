/** A JSON object with unknown fields. `JSON.parse` makes a `__proto__` an ordinary own field. */
export type JsonObject = Readonly<Record<string, unknown>>;

const prototypeNames = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a name would set the prototype of an object. */
export const isPrototypeName = (name: string): boolean => prototypeNames.has(name);

/** Whether a parsed JSON value is an object: neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Index of the closing quote of the string that begins before `start`; without one, the length of `text`. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > start && text[end - escapes - 1] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const word = /[^ \t\r\n{}[\]:,"]+/y;

/** The tokens of JSON text, each with its index: marks, strings, and words such as numbers, valid or not. */
export function* jsonTokens(text: string) {
  for (let start = 0; start < text.length;) {
    word.lastIndex = start;
    const [found] = word.exec(text) ?? [];
    const end = text[start] === '"' ? stringEnd(text, start + 1) + 1 : start + (found?.length ?? 1);
    const token = text.slice(start, end);
    if (!/^[ \t\r\n]$/.test(token)) yield { token, start };
    start = end;
  }
}

/** Recursive code such as `JSON.stringify` overflows the stack at a few thousand; services need much less. */
const maxDepth = 500;

/** Whether JSON text is nested too deep for {@link parseJson}. In text that is not JSON, it may count more than a parser. */
export function isTooDeep(text: string): boolean {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = stringEnd(text, index + 1);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Undefined for text that is not JSON. Any depth, for callers that read only known fields. */
export function parseAnyJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Undefined for text that is not JSON, or nested too deep. Does not throw, because the parser's message quotes the text.
 */
export function parseJson(text: string): unknown {
  return isTooDeep(text) ? undefined : parseAnyJson(text);
}

/** What is wrong with text that {@link parseJson} rejects, as the end of a sentence. */
export function jsonProblem(text: string): string {
  return isTooDeep(text) ? `is nested more than ${maxDepth} deep` : 'is not JSON';
}

/** An object without the fields that are undefined, which JSON leaves out, too. */
type Defined<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> };

/** The object without its undefined fields. */
export function definedFields<Value extends object>(value: Value): Defined<Value> {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields) as Defined<Value>;
}

/** What `read` returns for the first of these fields, in the order of the records, for which it is not undefined. */
export function firstField<Found>(
  records: readonly JsonObject[],
  fields: readonly string[],
  read: (value: unknown) => Found | undefined,
): Found | undefined {
  for (const record of records) {
    for (const field of fields) {
      const value = read(record[field]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** The value if it is a non-empty string. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Text without sixteen digits or a three-digit exponent has no inexact number. */
const mayBeInexact = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** The significant digits of a decimal number, and the power of ten of the last one. */
function decimalOf(text: string): string {
  const [, whole = '', part = '', power = '0'] = /^-?(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(power) - part.length + digits.length - significant.length}`;
}

/** Longer than any number that JavaScript can represent exactly. */
const maxDigits = 1000;

const isExact = (text: string) =>
  text.length <= maxDigits && decimalOf(text) === decimalOf(JSON.stringify(Number(text)));

/**
 * Finds the numbers in JSON text that `JSON.parse` changes: 12345678901234567890 becomes 12345678901234567000, and 1e400
 * becomes null. `text` must be valid JSON. Each is found with the field of the outermost object that contains it;
 * undefined outside an object.
 */
export function* inexactNumbers(text: string) {
  if (!mayBeInexact.test(text)) return;
  let depth = 0;
  let previous = '';
  let field: string | undefined;
  for (const { token } of jsonTokens(text)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ':' && depth === 1) field = JSON.parse(previous) as string;
    else if (/^[-\d]/.test(token) && !isExact(token)) yield { text: token, field };
    previous = token;
  }
}

const scalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

const isString = (token: string) => token.startsWith('"') && parseAnyJson(token) !== undefined;

/** The offset of the first token that makes text invalid JSON; the end of an incomplete one. */
function errorOffset(text: string): number {
  const tokens = jsonTokens(text);
  let next = tokens.next();
  const take = (isWanted: (token: string) => boolean): boolean => {
    if (next.done === true || !isWanted(next.value.token)) return false;
    next = tokens.next();
    return true;
  };
  const takeMark = (mark: string) => take((token) => token === mark);
  const takeList = (takeItem: () => boolean, end: string): boolean => {
    if (takeMark(end)) return true;
    do if (!takeItem()) return false;
    while (takeMark(','));
    return takeMark(end);
  };
  const takeMember = () => take(isString) && takeMark(':') && takeValue();
  const takeValue = (): boolean => {
    if (takeMark('[')) return takeList(takeValue, ']');
    if (takeMark('{')) return takeList(takeMember, '}');
    return take((token) => isString(token) || scalar.test(token));
  };
  takeValue();
  return next.done === true ? text.trimEnd().length : next.value.start;
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
