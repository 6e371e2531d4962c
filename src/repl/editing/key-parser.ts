import type { KeyEvent } from './key-event.ts';

/** What the parser holds back: the begin of an escape sequence (or a lone Esc), or a paste without its end. */
export type Pending = 'nothing' | 'sequence' | 'paste';

/**
 * Milliseconds without input after which the caller flushes, by what is pending. Over a slow line the rest of a
 * sequence comes later than the first byte, so Esc alone is told apart by this silence only.
 */
export const flushDelay: Readonly<Record<Exclude<Pending, 'nothing'>, number>> = {
  sequence: 50,
  paste: 2000,
};

/** Turns what a terminal sends into key events. Knows no time: see `flushDelay`. */
export interface KeyParser {
  /** Events complete with these bytes (UTF-8, split anywhere) or characters. */
  feed(input: Uint8Array | string): KeyEvent[];
  /** Events of what was held back, for when nothing followed: a lone Esc, a paste cut off. */
  flush(): KeyEvent[];
  pending(): Pending;
}
