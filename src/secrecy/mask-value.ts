/** A JSON value with its texts masked, names of fields too. */
export function maskValue<Value>(value: Value, mask: (text: string) => string): Value {
  // The value keeps its form, which types cannot say of what `map` and `fromEntries` give.
  const masked: unknown = maskAny(value, mask);
  return masked as Value;
}

function maskAny(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskAny(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [mask(name), maskAny(one, mask)]);
  return Object.fromEntries(fields) as unknown;
}
