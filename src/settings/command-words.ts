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

/**
 * Says what to type for a command with something that only a shell interprets: `|`, `>`, `<`, `&&`, `;`, or a word that
 * begins with `$` or `~`. Undefined without it, and for a JSON array.
 */
export function shellHint(text: string): string | undefined {
  const command = text.trim();
  const unquoted = command.replaceAll(quoted, 'x');
  const isForShell = /(?:^|\s)(?:\$[\w({]|~(?:\/|\s|$)|\d?[|<>;])|[|;](?:\s|$)|&&/u.test(unquoted);
  return isForShell && !command.startsWith('[')
    ? "no shell runs the command, so $, ~, |, <, >, && and ; have no meaning: use sh -c '…', as in sh -c 'pass show natter | head -n 1'"
    : undefined;
}
