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

/** Does not delay the first three characters of a secret, because ordinary text would often be delayed. */
export function createMaskedStream(filter: SecretFilter): MaskedStream {
  /** The end of the returned text, unmasked. */
  let shown = '';
  let held = '';
  const release = (text: string, isLast: boolean) => {
    if (!filter.mayConcern(text)) {
      const released = text.slice(shown.length);
      held = '';
      shown = text.slice(-harmlessLength);
      return released;
    }
    const ranges = filter.find(text);
    const decided = decidedEnd(filter, text, ranges);
    const until = Math.max(shown.length, isLast ? text.length : decided);
    const released = maskRanges(text, ranges, { start: shown.length, end: until });
    const after = ranges.findLast(({ end }) => end <= until)?.end ?? 0;
    held = text.slice(until);
    shown = text.slice(Math.max(after, Math.min(decided, until - harmlessLength)), until);
    return released;
  };
  return {
    write: (text) => release(shown + held + text, false),
    end: () => release(shown + held, true),
    held: () => held,
  };
}
