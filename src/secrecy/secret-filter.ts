import { ALWAYS_REMOVED } from '../filtered-characters.ts';
import { decodedTexts, hasHidden } from './decoded-text.ts';

export const mark = '***';

/** Minimum length in natter's own messages: masking shorter secrets would break ordinary words. */
export const minLengthInMessages = 4;

/**
 * Minimum length in answers, conversations and recordings, where masking a key such as `test` or `ollama`, which local
 * servers accept, would damage the text. NIST SP 800-63B requires eight for a password; no service issues a shorter key.
 */
export const minLengthInText = 8;

const minPieceLength = 6;

/** The first characters of a secret, which reveal nothing and are not delayed. */
export const harmlessLength = 3;

/** From `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets in texts: as they are, percent-encoded, escaped as in JSON, and in base64 of both alphabets. */
export interface SecretFilter {
  /** False for most texts: they have no secret, and no more than {@link harmlessLength} characters of one at the end. */
  readonly mayConcern: (text: string) => boolean;
  /** Replaces every secret by `***`. A secret that the caller has cut in two stays. */
  readonly mask: (text: string) => string;
  /** The secrets, in ascending order. */
  readonly find: (text: string) => readonly Range[];
  /** The index from which the rest of the text may be the start of a secret; the text's length if there is none. */
  readonly openEnd: (text: string) => number;
}

/**
 * The secret within a longer base64 text. It may start at three positions of a base64 group; the characters at both ends
 * depend on its neighbours, and are omitted.
 */
function base64Pieces(secret: string): readonly string[] {
  return [0, 1, 2]
    .map((offset) => {
      const bytes = Buffer.from('\0'.repeat(offset) + secret);
      const first = Math.ceil((offset * 8) / 6);
      return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
    })
    .filter((piece) => piece.length >= minPieceLength);
}

/** A secret as it is, with its own escapes resolved unless that leaves too short a text, and in base64. */
function formsOf(secret: string, shortest: number): readonly string[] {
  // The padding may be missing in the text.
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

/** In ascending order, with overlapping ranges joined. */
function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || last.end <= range.start) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined;
}

/** The index of the longest end of `text` that is the start of a form; the text's length if there is none. */
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

/** The longest escape of one character: `\\u0041`. */
const maxEscapeLength = 7;

function escapedOpenEnd(text: string, forms: readonly string[], longest: number): number {
  const skipped = Math.max(0, text.length - longest * maxEscapeLength);
  const tail = text.slice(skipped);
  if (!/[%\\]/.test(tail) && !hasHidden(tail)) return text.length;
  // Without the lookbehind, the time for many backslashes would be quadratic.
  const openEscape = /(?:%[\da-fA-F]?|(?<!\\)\\+(?:u[\da-fA-F]{0,3})?)$/;
  const whole = tail.slice(0, openEscape.exec(tail)?.index ?? tail.length);
  const opens = decodedTexts(whole).map(({ text: decoded, position }) =>
    position(openEndIn(decoded, forms)),
  );
  return skipped + Math.min(openEndIn(whole, forms), ...opens);
}

/** Most texts with a backslash have no secret, and this test is faster than decoding them. */
function createEscapeTest(forms: readonly string[]): (text: string) => boolean {
  const withoutBackslashes = forms.map((form) => form.replaceAll('\\', ''));
  return (text) => {
    if (hasHidden(text) || /%[\da-fA-F]{2}|\\u[\da-fA-F]{4}/.test(text)) return true;
    if (!text.includes('\\')) return false;
    const rest = text.replaceAll('\\', '');
    return withoutBackslashes.some((form) => rest.includes(form));
  };
}

/** A pattern of the text: its UTF-16 units by their codes. */
const patternOf = (text: string) =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** One search for the first characters of all forms and for escapes is faster than a search for each form. */
function createConcernTest(forms: readonly string[]): (text: string) => boolean {
  const beginnings = new Set(forms.map((form) => form.slice(0, harmlessLength + 1)));
  const patterns = [String.raw`[%\\]`, ALWAYS_REMOVED, ...[...beginnings].map(patternOf)];
  const concern = new RegExp(patterns.join('|'));
  return (text) => concern.test(text);
}

/** A filter for the secrets of `shortest` or more characters; undefined if there are none. */
export function createSecretFilter(
  secrets: readonly string[],
  shortest: number,
): SecretFilter | undefined {
  const long = secrets.filter(({ length }) => length >= shortest);
  const forms = [...new Set(long.flatMap((secret) => formsOf(secret, shortest)))];
  if (forms.length === 0) return undefined;
  const longest = Math.max(...forms.map((form) => form.length));
  const mayBeEscaped = createEscapeTest(forms);
  const mayConcern = createConcernTest(forms);
  const find = (text: string) => {
    if (!mayConcern(text)) return [];
    const escaped = (mayBeEscaped(text) ? decodedTexts(text) : []).flatMap((decoded) =>
      rangesIn(decoded.text, forms).map(({ start, end }) => ({
        start: decoded.position(start),
        end: decoded.position(end),
      })),
    );
    return joinRanges([...rangesIn(text, forms), ...escaped]);
  };
  return {
    mayConcern,
    find,
    mask: (text) =>
      mayConcern(text) ? maskRanges(text, find(text), { start: 0, end: text.length }) : text,
    openEnd(text) {
      const plain = openEndIn(text, forms);
      return Math.min(plain, escapedOpenEnd(text, forms, longest));
    },
  };
}

/**
 * The index up to which text can be shown after masking: no later text can complete a secret that starts before it.
 * @param ranges the secrets of the text
 */
export function decidedEnd(filter: SecretFilter, text: string, ranges: readonly Range[]): number {
  const openEnd = filter.openEnd(text);
  const open = text.length - openEnd > harmlessLength ? openEnd : text.length;
  return ranges.find(({ start, end }) => start < open && end > open)?.start ?? open;
}

/** Masks a part of a text: the ascending ranges that end in it, which may start before it. */
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
