import type { Place } from './scan-state.ts';
import type { Span } from './span.ts';

/** No text that is shown has it: the sanitizer removes it. For the lexer it is a letter. */
const mark = '\u206F';

/** A text whose formulas the lexer does not see. */
interface HiddenFormulas {
  readonly text: string;
  /** The spans with the formulas in their places; undefined where one is missing. */
  restore(spans: readonly Span[]): Span[] | undefined;
}

export function hideFormulas(source: string, formulas: readonly Place[]): HiddenFormulas {
  let text = '';
  let at = 0;
  for (const [index, { from, to }] of formulas.entries()) {
    text += source.slice(at, from) + mark + index + mark;
    at = to;
  }
  text += source.slice(at);
  const written = formulas.map(({ from, to }) => source.slice(from, to));
  return {
    text,
    restore(spans) {
      const missing = new Set(written.keys());
      const restored = spans.map((span) => {
        const shown = span.text.replaceAll(new RegExp(`${mark}(\\d+)${mark}`, 'g'), (_, index) => {
          missing.delete(Number(index));
          return written[Number(index)] ?? '';
        });
        return { ...span, text: shown };
      });
      return missing.size === 0 ? restored : undefined;
    },
  };
}
