/** A JSON object of unknown fields. A `__proto__` in it is an ordinary own field, as `JSON.parse` makes it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: neither an array nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for text that is not JSON: the parser's own message quotes the text, and callers know what to say. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value where it is a text that says something. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
