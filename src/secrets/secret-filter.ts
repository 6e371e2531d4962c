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

/** A range that starts at `start` and ends before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets in texts: as they are, percent-encoded, escaped as in JSON, and in base64 of both alphabets. */
export interface SecretFilter {
  /** Replaces every secret by `***`. A secret that the caller has cut in two stays. */
  readonly mask: (text: string) => string;
  /** The secrets of a text, in ascending order. */
  readonly find: (text: string) => readonly Range[];
  /** A search in a text that arrives in pieces. */
  readonly search: () => SecretSearch;
}

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

/** A search in one reading of a text: as it is, or as a terminal shows it. */
class Reading {
  readonly #forms: readonly string[];
  /** The end of what was read, which may be the start of a secret. */
  tail = '';
  /** The index in the original of each character of the tail. */
  #places: readonly number[] = [];

  constructor(forms: readonly string[]) {
    this.#forms = forms;
  }

  /** Adds the secrets that end in `run` to `found`. @param at the index of the run in the original */
  read(run: string, at: number, found: Range[]): void {
    const { length } = this.tail;
    const text = this.tail + run;
    const placeOf = (index: number) => this.#places[index] ?? at + index - length;
    for (const form of this.#forms) {
      let start = text.indexOf(form, Math.max(0, length - form.length + 1));
      for (; start !== -1; start = text.indexOf(form, start + 1)) {
        found.push({ start: placeOf(start), end: placeOf(start + form.length - 1) + 1 });
      }
    }
    const open = openEndIn(text, this.#forms);
    this.#places = Array.from({ length: text.length - open }, (_, index) => placeOf(open + index));
    this.tail = text.slice(open);
  }

  /** The index in the original from which the text may be the start of a secret; infinite if there is none. */
  get open(): number {
    return this.tail.length > harmlessLength ? (this.#places[0] ?? Infinity) : Infinity;
  }
}

/**
 * Finds secrets in a text that arrives in pieces: in the text as it is, and in what the sanitizer leaves of it, so that
 * characters and control sequences that a terminal hides cannot interrupt a secret. All indices are of the whole text.
 */
class SecretSearch {
  readonly #original: Reading;
  readonly #shown: Reading;
  readonly #state: { sequence: SequenceState } = { sequence: 'text' };
  readonly #hidden = new RegExp(NEVER_SHOWN, 'g');
  /** Where the last control sequence begins. */
  #sequenceStart = 0;
  #length = 0;

  constructor(forms: readonly string[]) {
    this.#original = new Reading(forms);
    this.#shown = new Reading(forms);
  }

  /** @returns the secrets that end in this piece, in any order; some may overlap */
  read(text: string): readonly Range[] {
    const found: Range[] = [];
    this.#original.read(text, this.#length, found);
    this.#readShown(text, found);
    this.#length += text.length;
    return found;
  }

  #readShown(text: string, found: Range[]): void {
    const hidden = this.#hidden;
    let index = 0;
    while (index < text.length) {
      if (this.#state.sequence !== 'text') {
        index = skipSequence(text, index, this.#state);
        continue;
      }
      hidden.lastIndex = index;
      const match = hidden.exec(text);
      const until = match?.index ?? text.length;
      if (until > index) this.#shown.read(text.slice(index, until), this.#length + index, found);
      if (match === null) return;
      this.#state.sequence = startSequence(match[0]);
      this.#sequenceStart = this.#length + until;
      index = until + match[0].length;
    }
  }

  /** The index up to which the text can be shown unless a secret spans it. */
  get openEnd(): number {
    // A mark in the middle of a control sequence would change what a terminal shows.
    const isInterrupted = this.#state.sequence !== 'text' && this.#shown.tail !== '';
    const sequence = isInterrupted ? this.#sequenceStart : Infinity;
    return Math.min(this.#original.open, this.#shown.open, sequence, this.#length);
  }
}

/** Makes a filter for the secrets of `shortest` or more characters; undefined if there are none. */
export function createSecretFilter(
  secrets: readonly string[],
  shortest: number,
): SecretFilter | undefined {
  const long = secrets.filter(({ length }) => length >= shortest);
  const forms = [...new Set(long.flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  const search = () => new SecretSearch(forms);
  const find = (text: string) => joinRanges(search().read(text));
  return { mask: (text) => replaceRanges(text, find(text), () => mark), find, search };
}

/** Sorts the ranges and joins those that overlap. */
function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || last.end <= range.start) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined;
}

/**
 * The index up to which a text can be shown after masking: no later text can complete a secret that starts before it.
 * @param ranges the secrets of the text, joined
 */
function decidedEnd(ranges: readonly Range[], openEnd: number): number {
  return ranges.find(({ start, end }) => start < openEnd && end > openEnd)?.start ?? openEnd;
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
  const search = filter.search();
  let held = '';
  /** The index of the delayed text in what the search has read. */
  let start = 0;
  /** The secrets that end in the delayed text. */
  let secrets: readonly Range[] = [];

  function release(openEnd: number): string {
    // Without this test, the time for a long delayed text would be quadratic.
    if (openEnd <= start) return '';
    const joined = joinRanges(secrets);
    const until = Math.max(start, decidedEnd(joined, openEnd));
    const whole = joined.filter(({ end }) => end <= until);
    const text = held.slice(0, until - start);
    const masked = replaceRanges(text, whole, () => mark, start);
    held = held.slice(text.length);
    secrets = joined.slice(whole.length);
    start = until;
    return masked;
  }

  return {
    write(text) {
      held += text;
      secrets = [...secrets, ...search.read(text)];
      return release(search.openEnd);
    },
    end: () => release(start + held.length),
  };
}
