import {
  decidedEnd,
  harmlessLength,
  joinRanges,
  maskRanges,
  type Range,
  type SecretFilter,
  type SecretSearch,
} from './secret-filter.ts';

/** Masks secrets in a text that arrives in pieces, also across their borders. */
export interface MaskedStream {
  /** @returns what can be shown now: all but an end that may be the start of a secret */
  write(text: string): string;
  /** The delayed text. If more text follows and completes a secret, only the rest of the secret is masked. */
  end(): string;
  /** The delayed text, unmasked. */
  held(): string;
}

class StreamMask implements MaskedStream {
  readonly #filter: SecretFilter;
  /** The end of the shown text, while no search is needed. */
  #recent = '';
  #search: SecretSearch | undefined;
  #held = '';
  /** The index of the delayed text in what the search has read. */
  #start = 0;
  /** The secrets that end in the delayed text. */
  #secrets: Range[] = [];

  constructor(filter: SecretFilter) {
    this.#filter = filter;
  }

  write(text: string): string {
    const search = this.#search ?? this.#startSearch(text);
    if (search === undefined) return text;
    this.#held += text;
    for (const range of search.read(text)) this.#secrets.push(range);
    return this.#release(search, search.openEnd);
  }

  end(): string {
    const search = this.#search;
    return search === undefined ? '' : this.#release(search, this.#start + this.#held.length);
  }

  held(): string {
    return this.#held;
  }

  /** Undefined for a text that needs no search. */
  #startSearch(text: string): SecretSearch | undefined {
    const recent = this.#recent + text;
    if (!this.#filter.mayConcern(recent)) {
      this.#recent = recent.slice(-harmlessLength);
      return undefined;
    }
    const search = this.#filter.search();
    search.read(this.#recent);
    this.#start = this.#recent.length;
    this.#search = search;
    return search;
  }

  #release(search: SecretSearch, openEnd: number): string {
    // Without this test, the time for a long delayed text would be quadratic.
    if (openEnd <= this.#start) return '';
    const secrets = joinRanges(this.#secrets);
    const until = Math.max(this.#start, decidedEnd(secrets, openEnd));
    const text = this.#held.slice(0, until - this.#start);
    const masked = maskRanges(
      text,
      secrets.filter(({ end }) => end <= until),
      this.#start,
    );
    this.#held = this.#held.slice(text.length);
    this.#secrets = secrets.filter(({ end }) => end > until);
    this.#start = until;
    if (this.#held === '' && search.rest !== undefined) {
      this.#recent = search.rest;
      this.#search = undefined;
    }
    return masked;
  }
}

/** Does not delay the first three characters of a secret, because ordinary text would often be delayed. */
export function createMaskedStream(filter: SecretFilter): MaskedStream {
  return new StreamMask(filter);
}
