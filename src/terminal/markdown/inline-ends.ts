// Finds the ends of what inline Markdown reads as a whole: code spans, tags, addresses of links and formulas. Other
// marks have no meaning in them.
import { isWide } from '../text/width.ts';

/** The text of a paragraph so far. */
export interface Source {
  readonly text: string;
  /** No text follows. */
  readonly isEnded: boolean;
}

/** The index after the end; -1 if there is none, undefined if more text is needed. */
export type End = number | undefined;

/** Maximum UTF-16 units between an open mark and its end; beyond it, the mark is literal. */
export const maxSpan = 1000;

/** Whether the character at this index is still to come. */
export function needsMore({ text, isEnded }: Source, index: number): boolean {
  return index >= text.length && !isEnded;
}

/**
 * @param endOf takes each match and the index after it
 * @param start where the search begins, if the text before has no end
 */
function search(
  source: Source,
  from: number,
  pattern: RegExp,
  endOf: (found: string, after: number) => End | 'further',
  most = maxSpan,
  start = from,
): End {
  const { text, isEnded } = source;
  for (const { 0: found, index } of text.slice(start, from + most + 1).matchAll(pattern)) {
    const end = endOf(found, start + index + found.length);
    if (end !== 'further') return end;
  }
  return isEnded || text.length - from > most ? -1 : undefined;
}

/** @param length the number of backticks before `from` */
export function endOfCode(source: Source, from: number, length: number): End {
  return search(source, from, /`{1,100}/g, (run, after) => {
    if (needsMore(source, after)) return undefined;
    return run.length === length ? after : 'further';
  });
}

export function endOfTag(source: Source, from: number): End {
  return search(source, from, /[<>]/g, (found, after) => (found === '>' ? after : -1));
}

/** Real addresses do not nest parentheses deeper. Without a limit, hostile text takes quadratic time. */
const maxDepth = 8;

export function endOfAddress(source: Source, from: number): End {
  let depth = 1;
  return search(source, from, /[()]|\\[^]?/g, (found, after) => {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if (depth > maxDepth) return -1;
    return depth === 0 ? after : 'further';
  });
}

export type FormulaEnd = '$' | '$$' | '\\)' | '\\]';

/** UTF-16 units after which a dollar without an end is text. */
const maxDollars = 400;
const proseWord = /^\p{L}{2,}[.,;:!?)'"]*$/u;
const mathematicalWord =
  /^(?:sin|cos|tan|cot|log|ln|exp|max|min|sup|inf|lim|det|dim|gcd|mod|div|if|Var|Cov|Pr)\b/;

/**
 * The end of mathematics in running text: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` by pandoc's rule (no space after the first
 * dollar or before the second, and no digit after that). Most dollars are amounts of money, or variables of a shell: a
 * word of prose, or a letter after the second dollar, shows that it is no formula.
 * @param searched the index up to which the text has no `close`; it has no effect on dollars
 */
export function endOfFormula(
  source: Source,
  from: number,
  close: FormulaEnd,
  searched: number,
): End {
  const { text } = source;
  const hasDollars = close.startsWith('$');
  let depth = 0;
  let word = from;
  const endOf = (found: string, after: number): End | 'further' => {
    const at = after - found.length;
    if (found.startsWith('\\')) {
      if (needsMore(source, at + 1)) return undefined;
      return found === close ? after : 'further';
    }
    if (found === '$') return hasDollars ? endAtDollar(source, close, at) : 'further';
    if (found === '{') depth += 1;
    else if (found === '}') depth -= 1;
    else {
      // The only words in a formula in dollars are names of functions, except at its start and in braces.
      const before = text.slice(word, at);
      const isProse = proseWord.test(before) && !mathematicalWord.test(before);
      if (isProse && hasDollars && depth <= 0 && word > from) return -1;
      word = after;
    }
    return 'further';
  };
  const most = close === '$' ? maxDollars : maxSpan;
  const start = hasDollars ? from : Math.max(from, searched);
  return search(source, from, /\\[^]?|[${} \t\n]/g, endOf, most, start);
}

/** The ends of words that may follow a formula: the $n$th. */
const wordEnd = /^(?:th|st|nd|rd|s)(?![\p{L}\p{N}])/u;

function endAtDollar(source: Source, close: FormulaEnd, at: number): End | 'further' {
  if (needsMore(source, at + 1)) return undefined;
  const { text } = source;
  const next = text.charAt(at + 1);
  if (close === '$$') return next === '$' ? at + 2 : 'further';
  if (/\s/.test(text.charAt(at - 1))) return -1;
  const isFollowed = /[\p{L}\p{N}_{]/u.test(next) && !isWide(next);
  if (isFollowed && needsMore(source, at + 3)) return undefined;
  return !isFollowed || wordEnd.test(text.slice(at + 1, at + 4)) ? at + 1 : -1;
}
