export interface ValueKind<Value> {
  /** The placeholder in help, without brackets; absent for a switch. */
  readonly placeholder?: string;
  /** Follows "takes" in messages. */
  readonly expects: string;
  /** Undefined for an invalid text. */
  readonly parse: (text: string) => Value | undefined;
}

export const toggle: ValueKind<boolean> = {
  expects: 'no value, "true" or "false"',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

export function anyText(placeholder: string): ValueKind<string> {
  return { placeholder, expects: 'any text', parse: (value) => value };
}

export function choice<const Word extends string>(
  words: readonly Word[],
  placeholder = words.join('|'),
): ValueKind<Word> {
  return {
    placeholder,
    expects: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value.toLowerCase()),
  };
}

const suffixes: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 };

function parseCount(value: string, least: number, most = Infinity): number | undefined {
  const [, digits, suffix = ''] = /^(\d{1,9})([km]?)$/i.exec(value.replaceAll(/[_,]/g, '')) ?? [];
  const count = Number(digits) * (suffixes[suffix.toLowerCase()] ?? 1);
  return digits !== undefined && count >= least && count <= most ? count : undefined;
}

/** A whole number; `k` and `m` mean thousands and millions. */
export function wholeNumber(least: number, most?: number): ValueKind<number> {
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`;
  return {
    placeholder: 'n',
    expects: `a whole number ${range}, such as ${Math.max(least, 3)}`,
    parse: (value) => parseCount(value, least, most),
  };
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

function parseDuration(value: string): number | undefined {
  if (/^(forever|ever|infinity)$/i.test(value)) return Infinity;
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|min|m|h)?$/i.exec(value) ?? [];
  return digits === undefined ? undefined : Number(digits) * (units[unit.toLowerCase()] ?? 1);
}

/** In milliseconds; `Infinity` means forever. */
export const duration: ValueKind<number> = {
  placeholder: 'time',
  expects: 'milliseconds, a time such as 250ms, 2s or 1min, or "forever"',
  parse: parseDuration,
};

export const status: ValueKind<number> = {
  placeholder: 'code',
  expects: 'an HTTP status from 200 to 599',
  parse: (value) => (/^[2-5]\d\d$/.test(value) ? Number(value) : undefined),
};

const headerName = /^[\w!#$%&'*+\-.^`|~]+$/;
/** As in Node, whose `node:http` would slow every start of natter. */
const headerText = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** `Name: value`. */
export const headerLine: ValueKind<Readonly<Record<string, string>>> = {
  placeholder: 'name: value',
  expects: 'a header line such as "X-Request-Id: 7"',
  parse(line) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(line.trim()) ?? [];
    return headerName.test(name) && headerText.test(value)
      ? { [name.toLowerCase()]: value }
      : undefined;
  },
};

/** Characters allowed in the value of a header. */
export function headerValue(placeholder: string, expects: string): ValueKind<string> {
  return {
    placeholder,
    expects,
    parse: (value) => (headerText.test(value) ? value : undefined),
  };
}

/** Before the headers, or after a number of events. */
export const cutPlace: ValueKind<number | 'request'> = {
  placeholder: 'request|headers|n',
  expects: '"request" (before the headers), "headers" (right after them) or a number of events',
  parse(value) {
    if (value === 'request') return value;
    return value === 'headers' ? 0 : parseCount(value, 0);
  },
};

/** A pause before each event, or after each few bytes. */
export interface Drip {
  /** Milliseconds. */
  readonly interval: number;
  readonly bytes?: number;
}

export const drip: ValueKind<Drip> = {
  placeholder: 'time|bytes/time',
  expects: 'a time between events such as 50ms, or bytes and a time such as 1/10ms',
  parse(value) {
    const [, bytes, time = ''] = /^(?:(\d{1,9})\/)?(.+)$/.exec(value) ?? [];
    const interval = parseDuration(time);
    if (interval === undefined || bytes === '0') return undefined;
    return bytes === undefined ? { interval } : { interval, bytes: Number(bytes) };
  },
};

/** The size of deltas in UTF-16 units, or of writes in bytes. */
export type Split = { readonly units: number } | { readonly bytes: number };

/** A delta is built in memory. */
const maxUnits = 1_000_000;

export const split: ValueKind<Split> = {
  placeholder: 'utf16|bytes|n|bytes/n',
  expects:
    '"utf16" (a delta for each UTF-16 unit), a number of units for each delta, "bytes" (a write for each byte) or bytes/n',
  parse(value) {
    if (value === 'utf16') return { units: 1 };
    const [, bytes, size] = /^(bytes)?\/?(\d{1,9})?$/.exec(value) ?? [];
    const number = size === undefined ? 1 : Number(size);
    if (number === 0 || number > maxUnits || (bytes === undefined && size === undefined))
      return undefined;
    return bytes === undefined ? { units: number } : { bytes: number };
  },
};
