import { completeAddress, portProblem } from '../address.ts';

const millisecondsPerUnit: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

/**
 * Reads `500ms`, `30s`, `1.5m`, `1h`, or seconds without a unit; undefined for other text and beyond exact integers.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(?<amount>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|h)?$/i.exec(text.trim());
  const size = millisecondsPerUnit.get(match?.groups?.['unit']?.toLowerCase() ?? 's');
  if (match === null || size === undefined) return undefined;
  const milliseconds = Math.round(Number(match.groups?.['amount']) * size);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/** Writes the shortest exact text that `parseDuration` accepts: `10m`, `90s`, `500ms`, `0`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  for (const [unit, size] of millisecondsPerUnit) {
    if (milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds}ms`;
}

export interface ValueType<Value> {
  /** The word in tables and help: `duration`, `number`. */
  readonly name: string;
  /** All values, if they are few. */
  readonly words?: readonly string[];
  /** Completes "must be …". */
  readonly expected: string;
  /** Undefined for invalid text. */
  parse(text: string): Value | undefined;
  /** Completes "has …", if the mistake is known. */
  readonly mistake?: (text: string) => string | undefined;
  /** Makes the text of the settings file; absent if the file has the value itself. */
  readonly store?: (value: Value) => string;
}

/** Returns a value as the settings file has it; as text it is the output of `config get`. */
export const storedValue = <Value>({ store }: ValueType<Value>, value: Value): unknown =>
  store === undefined ? value : store(value);

export const anyText: ValueType<string> = {
  name: 'text',
  expected: 'text',
  parse: (text) => text,
};

/**
 * Makes a type for text that matches a pattern, without the white space around it.
 * @param read brings the text into the spelling that is checked and stored
 */
function matching(
  name: string,
  expected: string,
  pattern: RegExp,
  read = (text: string) => text,
): ValueType<string> {
  const parse = (text: string) => {
    const value = read(text.trim());
    return pattern.test(value) ? value : undefined;
  };
  return { name, expected, parse };
}

export const identifier = matching('id', 'an id without spaces', /^[^\s\p{Cc}]+$/u);

/** The name of a file without folders and extension. */
export const fileName = matching(
  'role',
  'a name without spaces and slashes',
  /^[^\s\p{Cc}/\\:.][^\s\p{Cc}/\\:]*$/u,
);

/** A command on one line; `commandWords` splits it where it runs. */
export const command = matching('command', 'a command on one line', /^[^\p{Cc}]+$/u);

/** The path of an API, after a base URL. */
export const urlPath = matching(
  'path',
  'a path such as /v3, or / for none',
  /^(?=.)(?:\/[\w.~%-]+)*\/?$/,
);

/** A budget is stored as typed; `usage/budget.ts` reads it. */
export const budget = matching(
  'budget',
  'tokens or money with its currency, and /day, /week or /month, such as 2M/day or 5usd/week',
  /^(?=[\d.]*[1-9])\d{1,12}(?:\.\d{1,9})?\s*(?:[kmg]|[a-z]{3})?\s*\/\s*(?:day|week|month)$/i,
);

/** An age as typed; {@link parseAge} reads it. */
export const age = matching(
  'age',
  'forever, or an age such as 90d, 12w or 48h',
  /^(?:forever|[1-9]\d{0,3}[hdw])$/,
);

/** Reads `48h`, `90d` or `12w` as milliseconds; undefined for any other text. */
export function parseAge(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(text.trim()) ?? [];
  const hoursOf: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };
  const hours = hoursOf[unit];
  return hours === undefined ? undefined : Number(digits) * hours * 3_600_000;
}

/** A key, or a key after Ctrl+X; without those that end a line or a program. `none` removes the binding. */
export const keys = matching(
  'key',
  'a key such as alt-m, ctrl-g, f4 or "ctrl-x m", or none',
  /^(?:none|alt-[a-z\d/,.=]|ctrl-(?![cdhijmqsxz])[a-z]|ctrl-x (?:[a-z\d]|ctrl-(?![cdijmz])[a-z])|f(?:[1-9]|1[0-2]))$/,
  (text) => text.toLowerCase().replaceAll(/\b(alt|ctrl)\+/g, '$1-'),
);

/** Models separated by commas, each `model`, `profile:model` or `profile:`. */
export const modelNames: ValueType<string> = {
  name: 'models',
  expected: 'models separated by commas, such as nextgen,local:llama3',
  parse(text) {
    const names = text.split(',').map((name) => name.trim());
    const areNames = names.every((name) => /^(?!:$)[^\s\p{Cc}]+$/u.test(name));
    return areNames ? names.join(',') : undefined;
  },
};

/** White space, control characters, and where query and fragment begin. */
const notInAddress = /[\s\p{Cc}?#]/u;

/** An HTTP base address, stored as typed except for a missing `http://`. */
export const address: ValueType<string> = {
  name: 'URL',
  expected:
    'an http:// or https:// address such as https://api.example.com, without query (but ?api-version=) or fragment',
  parse(text) {
    const trimmed = completeAddress(text.trim());
    const [scheme] = trimmed.toLowerCase().split('//', 1);
    const isUrl = (scheme === 'http:' || scheme === 'https:') && URL.canParse(trimmed);
    const withoutVersion = trimmed.replace(/\?api-version=[\w.-]+$/, '');
    return isUrl && !notInAddress.test(withoutVersion) ? trimmed : undefined;
  },
  mistake: (text) => portProblem(completeAddress(text.trim())),
};

/** A duration is milliseconds in the program, and text such as `30s` in the file. */
export const duration: ValueType<number> = {
  name: 'duration',
  expected: 'a duration such as 500ms, 30s, 10m or 1h (a plain number is seconds)',
  parse: parseDuration,
  store: formatDuration,
};

export function wholeNumber(least: number, most: number): ValueType<number> {
  return {
    name: 'number',
    expected:
      most === Number.MAX_SAFE_INTEGER
        ? `a whole number, ${least} or more`
        : `a whole number from ${least} to ${most}`,
    parse(text) {
      const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export const trueOrFalse: ValueType<boolean> = {
  name: 'true or false',
  expected: 'true or false',
  parse(text) {
    if (/^\s*(?:true|yes|on|1)\s*$/i.test(text)) return true;
    return /^\s*(?:false|no|off|0)\s*$/i.test(text) ? false : undefined;
  },
};

export function oneOf<Word extends string>(...words: readonly Word[]): ValueType<Word> {
  const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return {
    name: words.join('|'),
    words,
    expected: list,
    parse: (text) => words.find((word) => word === text.trim().toLowerCase()),
  };
}
