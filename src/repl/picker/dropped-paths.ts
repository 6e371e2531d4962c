import { fileURLToPath } from 'node:url';

/** Not a network share of Windows: looking for one logs in to its server. */
const absolute = /^(?:\/(?!\/)|~\/|[a-z]:[\\/])/i;

const windowsPath = /^[a-z]:/i;

/** Characters that a backslash escapes within double quotes. */
const escapable = '"\\$`';

/**
 * The words of a text as a shell reads them, except that a backslash is part of a Windows path; undefined if a quote is
 * open.
 */
function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    const mayEscape = character === '\\' && quote !== "'" && !windowsPath.test(current ?? '');
    if (character === quote) quote = '';
    else if (mayEscape && (quote === '' || escapable.includes(next))) {
      current = (current ?? '') + next;
      at += 1;
    } else if (quote === '' && /\s/.test(character)) {
      if (current !== undefined) words.push(current);
      current = undefined;
    } else if (quote === '' && /["']/.test(character)) {
      quote = character;
      current ??= '';
    } else current = (current ?? '') + character;
  }
  if (current !== undefined) words.push(current);
  return quote === '' ? words : undefined;
}

function pathOf(name: string): string | undefined {
  if (!/^file:/i.test(name)) return absolute.test(name) ? name : undefined;
  try {
    const { hostname } = new URL(name);
    return hostname === '' || hostname === 'localhost' ? fileURLToPath(name) : undefined;
  } catch {
    // Not the URL of a local file.
    return undefined;
  }
}

function allPaths(names: readonly string[]): readonly string[] | undefined {
  const paths = names.flatMap((name) => pathOf(name) ?? []);
  return paths.length === names.length && paths.length > 0 ? paths : undefined;
}

/**
 * The readings of a pasted text as absolute paths, the likeliest first: terminals paste dropped files as quoted or
 * escaped words, as URLs, or as they are.
 */
export function droppedPaths(text: string): readonly (readonly string[])[] {
  const words = wordsOf(text);
  return [words, text.trim().split(/\r?\n/)]
    .map((names) => names && allPaths(names))
    .filter((paths) => paths !== undefined);
}
