import { parseJson } from '../json.ts';

/** A part of a word in quotes; in double quotes, a backslash keeps a quote and a backslash. */
const quoted = /"(?:[^"\\]|\\.)*"|'[^']*'/gsu;

const unsplit = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/gsu;

/** Double quotes keep every other backslash, so that Windows paths need no escapes. */
function unquote(part: string): string {
  const content = part.slice(1, -1);
  return part.startsWith('"') ? content.replaceAll(/\\(["\\])/g, '$1') : content;
}

/** Undefined for a quote without its end. */
function splitWords(text: string): readonly string[] | undefined {
  if (/["']/.test(text.replaceAll(quoted, ''))) return undefined;
  return (text.match(unsplit) ?? []).map((found) => found.replaceAll(quoted, unquote));
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
