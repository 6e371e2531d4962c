/** A JSON object of unknown fields. A `__proto__` in it is an ordinary own field, as `JSON.parse` makes it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: neither an array nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
