import { formulaRows } from '../formula/load-formulas.ts';
import type { Place } from './scan-state.ts';
import type { Span } from './span.ts';

/** Cannot be in the text, because the sanitizer removes it. For the lexer it is a letter. */
const formulaMark = '\u206F';
const hiddenFormula = new RegExp(`${formulaMark}(\\d+)${formulaMark}`, 'g');

/** A text with marks in place of its formulas, for the lexer. */
interface HiddenFormulas {
  readonly text: string;
  /** The spans with the formulas again; undefined if one is missing. */
  restore(spans: readonly Span[]): Span[] | undefined;
}

export function hideFormulas(
  source: string,
  formulas: readonly Place[],
  unicode: boolean,
): HiddenFormulas {
  let text = '';
  let at = 0;
  for (const [index, { from, to }] of formulas.entries()) {
    text += source.slice(at, from) + formulaMark + index + formulaMark;
    at = to;
  }
  text += source.slice(at);
  const written = formulas.map(({ from, to }) => {
    const tex = source.slice(from, to);
    return (unicode ? formulaRows(tex)?.join('; ') : undefined) ?? tex;
  });
  return {
    text,
    restore(spans) {
      const missing = new Set(written.keys());
      const restored = spans.map((span) => {
        const shown = span.text.replaceAll(hiddenFormula, (_, index) => {
          missing.delete(Number(index));
          return written[Number(index)] ?? '';
        });
        return { ...span, text: shown };
      });
      return missing.size === 0 ? restored : undefined;
    },
  };
}
