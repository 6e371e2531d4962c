/** Replaces what is not shown. */
export const maskMark = '…';

/** The last four characters of a shorter key would show too much. */
const minimumLength = 12;

/** Shortens a key for display to its last four characters, if it has twelve or more. */
export function maskKey(key: string): string {
  return key.length >= minimumLength ? `${maskMark}${key.slice(-4)}` : maskMark;
}

/** Removes the user names and passwords of URLs from text for display. The text may be an invalid URL. */
export function maskUrl(url: string): string {
  const valid = /^[a-z][a-z\d+.-]*:\/\//i.test(url) && URL.canParse(url);
  // In a valid URL the authority ends at the first slash; in an invalid one it may contain anything.
  const credentials = valid ? /^([^/]*\/\/)[^/?#\\]*@/ : /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
  return url
    .replace(credentials, (_found, scheme: string = '') => `${scheme}${maskMark}@`)
    .replace(/([a-z][a-z\d+.-]*:\/*)[^\s/?#]*@/gi, `$1${maskMark}@`);
}

/** Masks the texts of a JSON value, the names of fields too. */
export function maskValue<Value>(value: Value, mask: (text: string) => string): Value {
  // The value keeps its type, which `map` and `fromEntries` lose.
  return maskAny(value, mask) as Value;
}

function maskAny(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskAny(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [mask(name), maskAny(one, mask)]);
  return Object.fromEntries(fields) as unknown;
}
