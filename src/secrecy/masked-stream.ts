import { decidedEnd, harmlessLength, maskRanges, type SecretFilter } from './secret-filter.ts';

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
  /** The end of the returned text, unmasked. */
  #shown = '';
  #held = '';

  constructor(filter: SecretFilter) {
    this.#filter = filter;
  }

  write(text: string): string {
    return this.#release(this.#shown + this.#held + text, false);
  }

  end(): string {
    return this.#held === '' ? '' : this.#release(this.#shown + this.#held, true);
  }

  held(): string {
    return this.#held;
  }

  #release(text: string, isLast: boolean): string {
    const filter = this.#filter;
    const shown = this.#shown.length;
    if (!filter.mayConcern(text)) {
      this.#held = '';
      this.#shown = text.slice(-harmlessLength);
      return text.slice(shown);
    }
    const ranges = filter.find(text);
    const decided = decidedEnd(filter, text, ranges);
    const until = Math.max(shown, isLast ? text.length : decided);
    const after = ranges.findLast(({ end }) => end <= until)?.end ?? 0;
    this.#held = text.slice(until);
    this.#shown = text.slice(Math.max(after, Math.min(decided, until - harmlessLength)), until);
    return maskRanges(text, ranges, { start: shown, end: until });
  }
}

/** Does not delay the first three characters of a secret, because ordinary text would often be delayed. */
export function createMaskedStream(filter: SecretFilter): MaskedStream {
  return new StreamMask(filter);
}
