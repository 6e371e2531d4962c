// A short way to write a JSON Schema: `name, age int, bio: a short text`. docs/json.md has its grammar.

import { Failure } from '../failure.ts';
import { locatedProblem, type JsonObject, isJsonObject, parseJson } from '../json.ts';
import { nearlyNamed } from '../near-name.ts';

const types: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['string', { type: 'string' }],
  ['str', { type: 'string' }],
  ['text', { type: 'string' }],
  ['int', { type: 'integer' }],
  ['integer', { type: 'integer' }],
  ['number', { type: 'number' }],
  ['float', { type: 'number' }],
  ['bool', { type: 'boolean' }],
  ['boolean', { type: 'boolean' }],
  ['date', { type: 'string', format: 'date' }],
  ['datetime', { type: 'string', format: 'date-time' }],
  ['email', { type: 'string', format: 'email' }],
  ['url', { type: 'string', format: 'uri' }],
]);

const typeNames = 'string, int, number, bool, date, datetime, email, url';

const word = /[\p{L}\p{N}_$.-]+/uy;
const quoted = /"[^"\n]*"/y;
const blanks = /[ \t]*/y;
const separators = /[\s,]*/y;
/** A description without quotes. */
const description = /[^,\n\]}]*/y;
/** The same in a text with a field on each line, as `llm` has them: commas are a part of it. */
const lineDescription = /[^\n]*/y;

type Reader = ReturnType<typeof createReader>;

function createReader(text: string, label: string) {
  let at = 0;
  /** The text that matches at the current place, which moves behind it. */
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }
  const takeQuoted = () => take(quoted)?.slice(1, -1);
  return {
    take,
    takeQuoted,
    takeWord: () => take(word) ?? takeQuoted(),
    /** Whether the next character is one of these; at the end, whether the list is empty. */
    sees: (characters: string) =>
      at === text.length ? characters === '' : characters.includes(text.charAt(at)),
    fail(problem: string, hint = 'for example: "name, age int, tags string[], bio: a short text"') {
      const rest = JSON.stringify(text.slice(at, at + 20));
      const place = at === text.length ? 'at the end' : `at ${rest}`;
      return new Failure('usage', `${label}: ${problem} ${place}`, { hint });
    },
  };
}

/** `happy|sad`, after the first word. */
function readChoices(reader: Reader, first: string): JsonObject {
  const choices = [first];
  while (reader.take(/\|/y) !== undefined) {
    reader.take(blanks);
    const choice = reader.takeWord();
    if (choice === undefined) throw reader.fail('expected a word or "text" after |');
    choices.push(choice);
    reader.take(blanks);
  }
  return { type: 'string', enum: choices };
}

function namedType(reader: Reader, name: string, field: string): JsonObject {
  const known = types.get(name.toLowerCase());
  if (known !== undefined) return known;
  const near = nearlyNamed(name, types.keys());
  const suggestion = near === undefined ? '' : `did you mean ${near}? `;
  throw reader.fail(
    `unknown type "${name}" of the field "${field}"`,
    `${suggestion}the types are ${typeNames}, a|b for a choice, and […] and {…} for lists and objects; a description follows a colon`,
  );
}

/** Reads a type that has no `[]` behind it. */
function readItemType(reader: Reader, field: string): JsonObject {
  if (reader.take(/\[\]/y) !== undefined) return { type: 'array', items: { type: 'string' } };
  if (reader.take(/\{/y) !== undefined) return readObject(reader, '}');
  if (reader.take(/\[/y) !== undefined) return { type: 'array', items: readObject(reader, ']') };
  const name = reader.takeWord();
  if (name === undefined) throw reader.fail(`expected a type, a comma or a colon after "${field}"`);
  reader.take(blanks);
  if (reader.sees('|')) return readChoices(reader, name);
  return namedType(reader, name, field);
}

function readField(reader: Reader, ending: RegExp) {
  const name = reader.takeWord();
  if (name === undefined || name === '') throw reader.fail('expected the name of a field');
  const isOptional = reader.take(/\?/y) !== undefined;
  reader.take(blanks);
  const hasType = !reader.sees(':,\n\r]}') && !reader.sees('');
  let type = hasType ? readItemType(reader, name) : { type: 'string' };
  while (reader.take(/\[\]/y) !== undefined) type = { type: 'array', items: type };
  reader.take(blanks);
  if (reader.take(/:/y) === undefined) return { name, isOptional, schema: type };
  reader.take(blanks);
  const text = reader.takeQuoted() ?? reader.take(ending)?.replace(/,?\s*$/, '') ?? '';
  reader.take(blanks);
  return { name, isOptional, schema: text === '' ? type : { ...type, description: text } };
}

/** @param end the closing bracket; empty for the end of the text. @param ending of a description */
function readObject(reader: Reader, end: ']' | '}' | '', ending = description): JsonObject {
  const fields = new Map<string, ReturnType<typeof readField>>();
  for (;;) {
    reader.take(separators);
    if (reader.sees(end)) break;
    if (reader.sees('')) throw reader.fail(`expected a closing "${end}"`);
    const field = readField(reader, ending);
    if (fields.has(field.name)) throw reader.fail(`the field "${field.name}" is named twice`);
    fields.set(field.name, field);
    if (!reader.sees(`,\n\r${end}`) && !reader.sees('')) {
      const hint =
        'put a comma before the next field, a colon before a description, and double quotes around a name with spaces';
      throw reader.fail('expected a comma between fields', hint);
    }
  }
  reader.take(/[\]}]/y);
  if (fields.size === 0) throw reader.fail('expected the name of a field');
  const all = [...fields.values()];
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
    required: all.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    additionalProperties: false,
  };
}

/**
 * The JSON Schema of `name, age int` (an object), or of `[name, age int]` (a list of such objects).
 * @param label what the text is, for messages
 * @throws Failure `usage` with the place of the mistake
 */
export function parseNotation(text: string, label: string): JsonObject {
  const reader = createReader(text.trim(), label);
  if (reader.take(/\[/y) === undefined) {
    return readObject(reader, '', text.trim().includes('\n') ? lineDescription : description);
  }
  const items = readObject(reader, ']');
  reader.take(separators);
  if (!reader.sees('')) throw reader.fail('unexpected text after the closing "]"');
  return { type: 'array', items };
}

/** Whether text is a schema itself, not the name of a file: JSON, or a list in the concise notation. */
export const isSchemaText = (text: string) => /^\s*[{[]/.test(text);

/** Words without a comma that are more likely a path than the concise notation. */
export const isSchemaPath = (text: string) =>
  !/[\s,]/.test(text) &&
  (/[\\/]|^\.{1,2}$/.test(text) || /\.(?:json|schema|txt|ya?ml)$/i.test(text));

/** A schema from JSON, or from the concise notation. @param label what it is, for messages @throws Failure `usage` */
export function parseSchemaText(text: string, label: string): JsonObject {
  // Not trimmed at the start, so that lines count from the start of a file.
  const content = text.replace(/^\uFEFF/, '').trimEnd();
  if (content === '') throw new Failure('usage', `${label} is empty`);
  if (!/^\s*\{/.test(content)) return parseNotation(content.trimStart(), label);
  const schema = parseJson(content);
  if (isJsonObject(schema)) return schema;
  throw new Failure('usage', `${label} ${locatedProblem(content)}`, {
    hint: 'correct it there; without JSON: --schema "name, age int, bio: a short text"',
  });
}
