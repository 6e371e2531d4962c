// Replaces slice-ansi in the bundle, with the tokenizer that Ink contains anyway. natter cuts its rows itself; Ink cuts
// only a row that is wider than its place.
import { styledCharsFromTokens, styledCharsToString, tokenize } from '@alcalzone/ansi-tokenize';
import stringWidth from 'fast-string-width';

/** The characters in the columns from `start` to before `end`, with their styles; not those only partly inside. */
export default function sliceAnsi(text, start, end = Infinity) {
  let column = 0;
  const kept = styledCharsFromTokens(tokenize(text)).filter(({ value }) => {
    const from = column;
    column += stringWidth(value);
    return from >= start && column <= end;
  });
  return styledCharsToString(kept);
}
