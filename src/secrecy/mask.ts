/** Takes the place of what is not shown. */
export const maskMark = '…';

/** Of a shorter key the last four characters would show too much. */
const longEnough = 12;

/** A key for display: its last four characters when it is long enough, else nothing of it. */
export function maskKey(key: string): string {
  return key.length >= longEnough ? `${maskMark}${key.slice(-4)}` : maskMark;
}

/**
 * Text that may be a URL, for display: without the user name and password of its authority, or of any URL in it. It
 * need not be a valid URL.
 */
export function maskUrl(url: string): string {
  const valid = /^[a-z][a-z\d+.-]*:\/\//i.test(url) && URL.canParse(url);
  // In a valid URL the authority ends at the first slash; in an invalid one it may contain anything.
  const credentials = valid ? /^([^/]*\/\/)[^/?#\\]*@/ : /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
  return url
    .replace(credentials, (_found, scheme: string = '') => `${scheme}${maskMark}@`)
    .replace(/([a-z][a-z\d+.-]*:\/*)[^\s/?#]*@/gi, `$1${maskMark}@`);
}

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
