// The field `response_format` of a request, which the contract does not have.

import { isJsonObject, type JsonObject } from '../json.ts';

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

/** The value of `response_format`, which sends a schema besides the prompt; undefined for `none`. */
export function responseFormat(
  format: 'none' | 'json_object' | 'json_schema',
  schema: JsonObject,
): object | undefined {
  switch (format) {
    case 'none':
      return undefined;
    case 'json_object':
      return { type: 'json_object' };
    case 'json_schema':
      return {
        type: 'json_schema',
        json_schema: { name: nameOf(schema), schema, strict: isStrict(schema) },
      };
  }
}
