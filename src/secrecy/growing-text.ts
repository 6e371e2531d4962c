import { mark, type SecretFilter } from './secret-filter.ts';

/** A text in parts, which are delayed until it is known whether they have a secret. */
export interface GrowingText {
  /** @returns the part's number, for `masked` */
  add(part: string): number;
  /** Whether its end may be the beginning of a secret. */
  isOpen(): boolean;
  hasSecret(): boolean;
  /** The part without secrets; the mark is where one begins. */
  masked(number: number): string;
  /** Forgets the parts. */
  settle(): void;
}

/** This many characters of a secret reveal nothing: they are not delayed. */
export const harmless = 3;

export function createGrowingText(filter: SecretFilter): GrowingText {
  /** The end of the parts that are forgotten, in which a secret may begin. */
  let before = '';
  let parts: string[] = [];
  const whole = () => before + parts.join('');
  const ranges = (text: string) => filter.find(text).filter(({ end }) => end > before.length);
  return {
    add: (part) => parts.push(part) - 1,
    isOpen() {
      const text = whole();
      return text.length - filter.openEnd(text) > harmless;
    },
    hasSecret: () => ranges(whole()).length > 0,
    masked(number) {
      const text = whole();
      const start = before.length + parts.slice(0, number).join('').length;
      const end = start + (parts[number]?.length ?? 0);
      let [masked, next] = ['', start];
      for (const range of ranges(text)) {
        if (range.end <= next || range.start >= end) continue;
        masked += text.slice(next, Math.max(next, range.start));
        if (range.start >= start || number === 0) masked += mark;
        next = Math.min(range.end, end);
      }
      return masked + text.slice(next, end);
    },
    settle() {
      const text = whole();
      const after = ranges(text).at(-1)?.end ?? 0;
      before = text.slice(Math.max(after, text.length - harmless));
      parts = [];
    },
  };
}
