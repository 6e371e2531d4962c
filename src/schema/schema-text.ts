import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { locatedProblem } from '../json-place.ts';
import { Failure } from '../failure.ts';
import { parseNotation } from './concise-notation.ts';

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
