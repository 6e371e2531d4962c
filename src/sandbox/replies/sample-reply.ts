import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import type { ReceivedPrompt, Reply } from './reply.ts';

/** A schema may refer to itself: values nested deeper are null. */
const maxDepth = 20;
/** Values that may be missing are not nested deeper. */
const optionalDepth = 4;

/** Conforming texts of common formats. */
const samples: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:30:00Z',
  'date-time': '2026-01-31T12:30:00Z',
  email: 'sample@example.com',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
};

/** The schema in the last message with one: a line of JSON in a text that mentions a JSON Schema. */
export function schemaIn(messages: ReceivedPrompt['messages']): JsonObject | undefined {
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant' || !content.includes('JSON Schema')) continue;
    const lines = content.split('\n').filter((line) => line.startsWith('{'));
    const found = lines.map(parseJson).findLast(isJsonObject);
    if (found !== undefined) return found;
  }
  return undefined;
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

function sampleText({ format, minLength }: JsonObject): string {
  const text = typeof format === 'string' ? (samples[format] ?? 'sample') : 'sample';
  return text.padEnd(numberOf(minLength) ?? 0, '.');
}

function resolve(ref: string, root: JsonObject): unknown {
  const tokens = ref.replace(/^#/, '').split('/').slice(1);
  return tokens.reduce<unknown>(
    (value, token) => (isJsonObject(value) ? value[token] : undefined),
    root,
  );
}

function sampleObject(
  { properties, required }: JsonObject,
  root: JsonObject,
  depth: number,
): object {
  const known = isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.map(String) : [];
  const all = depth < optionalDepth ? [...new Set([...Object.keys(known), ...names])] : names;
  return Object.fromEntries(
    all.map((name) => [name, sampleOf(known[name] ?? {}, root, depth + 1)]),
  );
}

function sampleList({ items, minItems }: JsonObject, root: JsonObject, depth: number): unknown[] {
  const length = Math.max(depth < optionalDepth ? 2 : 0, numberOf(minItems) ?? 0);
  return Array.from({ length }, () => sampleOf(items ?? {}, root, depth + 1));
}

/** A value that conforms to an ordinary schema; patterns and unusual keywords are not considered. */
function sampleOf(schema: unknown, root: JsonObject, depth = 0): unknown {
  if (!isJsonObject(schema) || depth > maxDepth) return null;
  const { type, const: constant, enum: choices, $ref, anyOf, oneOf, allOf } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(choices)) return choices[0];
  if (typeof $ref === 'string') return sampleOf(resolve($ref, root), root, depth + 1);
  const [first] = [anyOf, oneOf, allOf].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  if (first !== undefined) return sampleOf(first, root, depth + 1);
  const minimum = numberOf(schema['minimum']) ?? numberOf(schema['exclusiveMinimum']);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return minimum === undefined ? 1 : Math.ceil(minimum) + 1;
    case 'boolean':
      return true;
    case 'array':
      return sampleList(schema, root, depth);
    default:
      return type === 'object' || schema['properties'] !== undefined
        ? sampleObject(schema, root, depth)
        : null;
  }
}

function sampleFor({ messages }: ReceivedPrompt): string {
  const schema = schemaIn(messages) ?? {};
  return JSON.stringify(sampleOf(schema, schema), undefined, 2);
}

/** A value that conforms to the JSON Schema in the prompt. */
export const sampleReply: Reply = function* sample(received) {
  yield sampleFor(received);
};

export const fencedReply: Reply = function* fenced(received) {
  yield `\`\`\`json\n${sampleFor(received)}\n\`\`\`\n`;
};

/** JSON that conforms to no schema of an object or a list. */
export const misfitReply: Reply = function* misfit() {
  yield '"This value does not conform to the schema."';
};
