import { decodedTexts, hasHidden } from './decoded-text.ts';

/** Replaces a secret. */
export const mark = '***';

/**
 * Minimum length of a secret for natter's own messages. A shorter one is not masked: masking it would break
 * ordinary words.
 */
export const shortestInMessages = 4;

/**
 * The same for answers, conversations and recordings, where a key such as `test` or `ollama`, which local servers
 * accept, would put asterisks into the text that a person asked for. NIST SP 800-63B requires eight for a
 * password; no service issues a shorter key.
 */
export const shortestInText = 8;

const shortestEncodedPiece = 6;

/** This many characters of a secret reveal nothing: they are not delayed. */
export const harmless = 3;

/** From `start` to before `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets in texts: as they are, percent-encoded, escaped as in JSON, and in base64 of both alphabets. */
export interface SecretFilter {
  /** The text with `***` for every secret. It sees this text alone, so a secret cut in two by its caller stays. */
  readonly mask: (text: string) => string;
  /** Where the secrets are, in ascending order. */
  readonly find: (text: string) => readonly Range[];
  /** Where the end of the text begins that may be the beginning of a secret; the text's length if nowhere. */
  readonly openEnd: (text: string) => number;
}

/**
 * The secret within a longer base64 text: it may start at any of three positions of a base64 group, and the characters
 * at both ends also depend on its neighbours, so they are not looked for.
 */
function base64Pieces(secret: string): readonly string[] {
  return [0, 1, 2]
    .map((offset) => {
      const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
      const first = Math.ceil((offset * 8) / 6);
      return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
    })
    .filter((piece) => piece.length >= shortestEncodedPiece);
}

/** A secret as it is, with its own escapes resolved unless that leaves too short a text, and in base64. */
function formsOf(secret: string, shortest: number): readonly string[] {
  // Without padding, which may be missing in the text.
  const [whole = ''] = Buffer.from(secret).toString('base64').split('=');
  const encoded = [whole, ...base64Pieces(secret)];
  const urlSafe = encoded.map((text) => text.replaceAll('/', '_').replaceAll('+', '-'));
  const decoded = decodedTexts(secret).map(({ text }) => text);
  return [secret, ...decoded.filter(({ length }) => length >= shortest), ...encoded, ...urlSafe];
}

function rangesIn(text: string, forms: readonly string[]): Range[] {
  const ranges: Range[] = [];
  for (const form of forms) {
    for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
      ranges.push({ start, end: start + form.length });
    }
  }
  return ranges;
}

/** Ascending; those that overlap are one. */
function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || last.end <= range.start) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined;
}

/** Where the longest end of `text` begins that one of the forms begins with; the text's length if none does. */
function openEndIn(text: string, forms: readonly string[]): number {
  let open = text.length;
  for (const form of forms) {
    const [first = ''] = form;
    let index = text.indexOf(first, Math.max(0, text.length - form.length + 1));
    while (index !== -1 && index < open && !form.startsWith(text.slice(index))) {
      index = text.indexOf(first, index + 1);
    }
    if (index !== -1) open = Math.min(open, index);
  }
  return open;
}

/** At most so many characters stand for one: `\\u0041`. */
const longestEscape = 7;
/** Not from within a run of backslashes: the time for a long one would be quadratic. */
const openEscape = /(?:%[\da-fA-F]?|(?<!\\)\\+(?:u[\da-fA-F]{0,3})?)$/;

function escapedOpenEnd(text: string, forms: readonly string[], longest: number): number {
  const skipped = Math.max(0, text.length - longest * longestEscape);
  const tail = text.slice(skipped);
  if (!/[%\\]/.test(tail) && !hasHidden(tail)) return text.length;
  const whole = tail.slice(0, openEscape.exec(tail)?.index ?? tail.length);
  const opens = decodedTexts(whole).map(({ text: decoded, position }) =>
    position(openEndIn(decoded, forms)),
  );
  return skipped + Math.min(openEndIn(whole, forms), ...opens);
}

/**
 * Whether one of the forms may be in a text with escapes. Most texts with a backslash hold none, and to find that out
 * takes less time than to decode them.
 */
function createEscapeTest(forms: readonly string[]): (text: string) => boolean {
  const withoutBackslashes = forms.map((form) => form.replaceAll('\\', ''));
  return (text) => {
    if (hasHidden(text) || /%[\da-fA-F]{2}|\\u[\da-fA-F]{4}/.test(text)) return true;
    if (!text.includes('\\')) return false;
    const rest = text.replaceAll('\\', '');
    return withoutBackslashes.some((form) => rest.includes(form));
  };
}

/** A filter for these secrets, those of fewer than `shortest` characters left out; undefined where none remains. */
export function createSecretFilter(
  secrets: readonly string[],
  shortest: number,
): SecretFilter | undefined {
  const long = secrets.filter(({ length }) => length >= shortest);
  const forms = [...new Set(long.flatMap((secret) => formsOf(secret, shortest)))];
  if (forms.length === 0) return undefined;
  const longest = Math.max(...forms.map((form) => form.length));
  const mayBeEscaped = createEscapeTest(forms);
  const find = (text: string) => {
    const escaped = (mayBeEscaped(text) ? decodedTexts(text) : []).flatMap((decoded) =>
      rangesIn(decoded.text, forms).map(({ start, end }) => ({
        start: decoded.position(start),
        end: decoded.position(end),
      })),
    );
    return joinRanges([...rangesIn(text, forms), ...escaped]);
  };
  return {
    find,
    mask: (text) => maskRanges(text, find(text), { start: 0, end: text.length }),
    openEnd(text) {
      const plain = openEndIn(text, forms);
      return Math.min(plain, escapedOpenEnd(text, forms, longest));
    },
  };
}

/**
 * Where the text ends of which it is known that no secret begins in it and continues: at the start of a secret, or of
 * an end that may become one.
 * @param ranges the secrets of the text
 */
export function decidedEnd(filter: SecretFilter, text: string, ranges: readonly Range[]): number {
  const openEnd = filter.openEnd(text);
  const open = text.length - openEnd > harmless ? openEnd : text.length;
  return ranges.find(({ start, end }) => start < open && end > open)?.start ?? open;
}

/** The part of a text with a mark for each of the ranges that end in it; they ascend, and may begin before it. */
export function maskRanges(text: string, ranges: readonly Range[], part: Range): string {
  let masked = '';
  let { start } = part;
  for (const range of ranges) {
    if (range.end <= start || range.end > part.end) continue;
    masked += `${text.slice(start, range.start)}${mark}`;
    start = range.end;
  }
  return masked + text.slice(start, part.end);
}
