import { Failure, type FailureKind } from '../failure.ts';
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
 * @throws Failure of the kind for text that is no command; the message begins with the label
 */
export function commandWords(
  text: string,
  label: string,
  kind: FailureKind,
): readonly [program: string, ...words: string[]] {
  const failure = (problem: string) => {
    const hint =
      kind === 'usage'
        ? 'quote the whole command, as in: ‹natter config set api-key-command "pass show natter"›'
        : 'it looks like pass show natter, or ["pass", "show", "natter"]';
    return new Failure(kind, `${label} ${problem}`, { hint });
  };
  const isArray = text.startsWith('[');
  const value = isArray ? parseJson(text) : splitWords(text);
  if (value === undefined && !isArray) throw failure('has a quote without its end');
  if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) {
    throw failure('is not a JSON array of texts');
  }
  const [program = '', ...words] = value;
  if (program === '') throw failure('names no program');
  return [program, ...words];
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
