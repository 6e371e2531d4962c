import { diffArrays } from 'diff';
import type { Style } from '../terminal/style.ts';

/** Maximum number of differing words; beyond it, a diff is useless and takes seconds. */
export const maxChanges = 2000;

const ideograph = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;

/** A word, a number (`1,000.5`), an ideograph or a single character, with trailing white space. */
const word = new RegExp(
  `(?:${ideograph}|\\p{N}+(?:[.,:]\\p{N}+)+|(?:(?!${ideograph})[\\p{L}\\p{M}\\p{N}_])+|.)\\s*|\\s+`,
  'gsu',
);

const wordsOf = (text: string) =>
  (text.match(word) ?? []).map((found) => ({ word: found.trimEnd(), text: found }));

/**
 * Compares words and ignores white space; the result has the white space of the second text.
 * @returns undefined if more than {@link maxChanges} words differ
 */
export function diffWords(first: string, second: string) {
  const found = diffArrays(wordsOf(first), wordsOf(second), {
    maxEditLength: maxChanges,
    comparator: (one, other) => one.word === other.word,
  });
  return found?.map(({ value, added, removed }) => {
    const kind = removed ? 'first' : added ? 'second' : 'both';
    return { kind, text: value.map(({ text }) => text).join('') } as const;
  });
}

/** Marks the words in the format of `git diff --word-diff`: `[-only the first-]{+only the second+}`. */
export function formatDiff(parts: NonNullable<ReturnType<typeof diffWords>>, style: Style): string {
  const texts = parts.map(({ kind, text }, index) => {
    if (kind === 'both') return text;
    const words = text.trimEnd();
    // For replaced words, the white space of the new ones is shown.
    const isReplaced = kind === 'first' && parts[index + 1]?.kind === 'second';
    const blanks = isReplaced ? '' : text.slice(words.length);
    const shown = kind === 'first' ? style.red(`[-${words}-]`) : style.green(`{+${words}+}`);
    return shown + blanks;
  });
  return texts.join('');
}
