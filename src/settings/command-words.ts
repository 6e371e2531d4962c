import { parseJson } from '../json.ts';

/** A quoted part, or characters without quotes. */
const part = /"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|(?<plain>[^\s"']+)/suy;

/**
 * In double quotes, a backslash is kept except before a quote and a backslash, so that Windows paths need no escapes.
 */
function textOf({ double, single, plain }: Readonly<Record<string, string | undefined>>): string {
  return double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? plain ?? '';
}

function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const { lastIndex } = part;
    if (/\s/u.test(text[lastIndex] ?? '')) {
      if (word !== undefined) words.push(word);
      word = undefined;
      part.lastIndex = lastIndex + 1;
      continue;
    }
    const found = part.exec(text);
    if (found === null) return undefined;
    word = (word ?? '') + textOf(found.groups ?? {});
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Splits a command into the program and its arguments: a JSON array of texts, or words separated by white space, of
 * which `"…"` and `'…'` keep white space. Nothing else is special, because no shell is involved.
 */
export function commandWords(
  text: string,
): readonly [program: string, ...words: string[]] | { readonly problem: string } {
  const isArray = text.startsWith('[');
  const value = isArray ? parseJson(text) : splitWords(text);
  if (value === undefined && !isArray) return { problem: 'has a quote without its end' };
  if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) {
    return { problem: 'is not a JSON array of texts' };
  }
  const [program = '', ...words] = value;
  return program === '' ? { problem: 'names no program' } : [program, ...words];
}

const shellWord = /^(?:\$[\w({]|~(?:\/|$))|^(?:\d?>{1,2}|<{1,3}|&&|\|{1,2}|;)|[|;]$|&&/u;

/**
 * Finds the first unquoted word of a command that only a shell interprets: `|`, `>`, `<`, `&&`, `;`, or one that begins
 * with `$` or `~`. A JSON array has none.
 */
export function shellWordIn(text: string): string | undefined {
  const command = text.trim();
  if (command.startsWith('[')) return undefined;
  const unquoted = command.replaceAll(/\S*"(?:[^"\\]|\\.)*"\S*|\S*'[^']*'\S*/gsu, ' ');
  return unquoted.split(/\s+/u).find((word) => shellWord.test(word));
}

/** Says what to type for a command with a word that only a shell interprets. */
export function shellWordHint(word: string): string {
  return /^[~$]/.test(word)
    ? `no shell runs the command, so ${word} is not expanded: write it out, or use sh -c '…'`
    : `no shell runs the command, so ${word} is an argument: use sh -c '…', as in sh -c 'pass show natter | head -n 1'`;
}
