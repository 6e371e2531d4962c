import {
  NEVER_SHOWN,
  skipSequence,
  startSequence,
  type SequenceState,
} from '../filtered-characters.ts';

const mark = '***';

/** Minimum length in natter's own messages: masking shorter secrets would break ordinary words. */
export const minLengthInMessages = 4;

/**
 * Minimum length in answers, conversations and recordings, where masking a key such as `test` or `ollama`, which local
 * servers accept, would damage the text. NIST SP 800-63B requires eight for a password; no service issues a shorter
 * key.
 */
export const minLengthInText = 8;

/** The first characters of a secret, which reveal nothing and are not delayed. */
const harmlessLength = 3;

/**
 * Hidden characters that may interrupt a secret in a text that arrives in pieces. With more, the text is shown without
 * waiting for the rest of the secret, so that neither the delayed text nor the time to search it grows without end.
 */
const maxHidden = 4096;

/** A range that starts at `start` and ends before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds secrets in texts: as they are, percent-encoded, escaped as in JSON, and in base64 of both alphabets. Characters
 * and control sequences that a terminal hides cannot interrupt a secret.
 */
export type SecretFilter = NonNullable<ReturnType<typeof createSecretFilter>>;

const lowerCaseCodes = (text: string) => text.replaceAll(/%../g, (code) => code.toLowerCase());

/** The forms in which natter, or a service that reports what it received, writes a secret. */
function formsOf(secret: string): readonly string[] {
  // Lone surrogates are left out, because they cannot be percent-encoded.
  const wellFormed = Buffer.from(secret).toString();
  const percentEncoded = [
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    new URLSearchParams({ '': secret }).toString().slice(1),
  ];
  const inJson = JSON.stringify(secret).slice(1, -1);
  // The padding of base64 may be missing in the text; base64url has none.
  const [inBase64 = ''] = Buffer.from(secret).toString('base64').split('=');
  return [
    secret,
    ...percentEncoded,
    ...percentEncoded.map(lowerCaseCodes),
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    inBase64,
    Buffer.from(secret).toString('base64url'),
  ];
}

/** Finds the index of the longest end of `text` that is the start of a form; the text's length if there is none. */
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

const hidden = new RegExp(NEVER_SHOWN, 'g');

/** What the sanitizer leaves of a text: the characters, the index of each, and where an unfinished sequence begins. */
function withoutHidden(text: string) {
  let shown = '';
  const places: number[] = [];
  const state: { sequence: SequenceState } = { sequence: 'text' };
  let index = 0;
  let unfinished = text.length;
  while (index < text.length) {
    if (state.sequence !== 'text') {
      index = skipSequence(text, index, state);
      continue;
    }
    hidden.lastIndex = index;
    const match = hidden.exec(text);
    unfinished = match?.index ?? text.length;
    shown += text.slice(index, unfinished);
    for (; index < unfinished; index += 1) places.push(index);
    if (match === null) break;
    state.sequence = startSequence(match[0]);
    index += match[0].length;
  }
  return { shown, places, unfinished: state.sequence === 'text' ? text.length : unfinished };
}

function searchForms(text: string, forms: readonly string[]) {
  const found: Range[] = [];
  let [open, shown] = [text.length, text.length];
  const read = (reading: string, placeOf: (index: number) => number) => {
    for (const form of forms) {
      for (let at = reading.indexOf(form); at !== -1; at = reading.indexOf(form, at + 1)) {
        found.push({ start: placeOf(at), end: placeOf(at + form.length - 1) + 1 });
      }
    }
    const tail = openEndIn(reading, forms);
    if (tail === reading.length) return;
    open = Math.min(open, placeOf(tail));
    if (reading.length - tail > harmlessLength) shown = Math.min(shown, placeOf(tail));
  };
  read(text, (index) => index);
  if (text.search(hidden) !== -1) {
    const rest = withoutHidden(text);
    // A mark in the middle of a control sequence would change what a terminal shows.
    [open, shown] = [Math.min(open, rest.unfinished), Math.min(shown, rest.unfinished)];
    read(rest.shown, (index) => rest.places[index] ?? text.length);
  }
  const most = maxHidden + Math.max(...forms.map(({ length }) => length));
  const isLong = text.length - open > most;
  return {
    /** The secrets in any order; some may overlap. */
    found,
    /** The index from which on the text may be the start of a secret. */
    open: isLong ? text.length : open,
    /** The index up to which the text can be shown unless a secret spans it. */
    shown: isLong ? text.length : shown,
  };
}

/** Makes a filter for the secrets of `shortest` or more characters; undefined if there are none. */
export function createSecretFilter(secrets: readonly string[], shortest: number) {
  const long = secrets.filter(({ length }) => length >= shortest);
  const forms = [...new Set(long.flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  const search = (text: string) => searchForms(text, forms);
  const find = (text: string) => joinRanges(search(text).found);
  return {
    /** Replaces every secret by `***`. A secret that the caller has cut in two stays. */
    mask: (text: string) => replaceRanges(text, find(text), () => mark),
    /** The secrets of a text, in ascending order. */
    find,
    /** Searches a text that goes on. */
    search,
  };
}

/** Sorts the ranges, and joins those that overlap: the first of them grows. */
export function joinRanges<Found extends Range>(ranges: readonly Found[]): readonly Found[] {
  const joined: Found[] = [];
  // The sort is stable, so of ranges with the same start the first one given is the one that grows.
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || last.end <= range.start) joined.push(range);
    else if (last.end < range.end) joined[joined.length - 1] = { ...last, end: range.end };
  }
  return joined;
}

/** Replaces ranges without overlaps. @param at the index of the text in the whole that the ranges are of */
export function replaceRanges<Found extends Range>(
  text: string,
  ranges: readonly Found[],
  replacement: (found: Found) => string,
  at = 0,
): string {
  let replaced = '';
  let from = 0;
  for (const range of ranges) {
    replaced += text.slice(from, Math.max(from, range.start - at)) + replacement(range);
    from = range.end - at;
  }
  return replaced + text.slice(from);
}

/** Masks secrets in a text that arrives in pieces, also across their borders. */
export interface MaskedStream {
  /** @returns what can be shown now: all but an end that may be the start of a secret */
  write(text: string): string;
  /** The delayed text. If more text follows and completes a secret, only the rest of the secret is masked. */
  end(): string;
}

/** Masks a stream. It does not delay the first three characters of a secret: ordinary text would often be delayed. */
export function createMaskedStream(filter: SecretFilter): MaskedStream {
  /** The end of the text so far, from where a secret may begin. */
  let text = '';
  /** How many of its characters were returned. */
  let returned = 0;

  function release({ found, open, shown }: ReturnType<typeof searchForms>): string {
    const ranges = joinRanges(found).filter(({ end }) => end > returned);
    const undecided = ranges.find(({ start, end }) => start < shown && end > shown);
    const until = Math.max(returned, undecided?.start ?? shown);
    const whole = ranges.filter(({ end }) => end <= until);
    const masked = replaceRanges(text.slice(returned, until), whole, () => mark, returned);
    const kept = Math.min(open, until);
    text = text.slice(kept);
    returned = until - kept;
    return masked;
  }

  return {
    write(piece) {
      text += piece;
      return release(filter.search(text));
    },
    end: () => release({ ...filter.search(text), shown: text.length }),
  };
}
