import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import picomatch from 'picomatch';
import { Failure } from '../failure.ts';
import { type IgnoreRules, isIgnored, rulesAbove, rulesIn, withSlashes } from './ignore-rules.ts';

export interface FoundFiles {
  /** Sorted; as typed, with slashes. */
  readonly names: readonly string[];
  /** Symbolic links, which are not followed. */
  readonly links: number;
}

export interface FindOptions {
  /** Files to find, by name; default all. */
  readonly matches?: (name: string) => boolean;
  /** Also files and folders whose names begin with a dot; never `.git`. */
  readonly hidden?: boolean;
  readonly signal: AbortSignal;
}

/** Maximum number of files. */
const maxFiles = 10_000;

interface Search extends FindOptions {
  readonly names: string[];
  links: number;
}

const compareNames = (left: { name: string }, right: { name: string }) =>
  left.name < right.name ? -1 : 1;

async function search(found: Search, folder: string, above: IgnoreRules): Promise<void> {
  found.signal.throwIfAborted();
  const path = resolve(folder);
  const rules = await rulesIn(path, above);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.toSorted(compareNames)) {
    const { name } = entry;
    if (name === '.git' || (name.startsWith('.') && found.hidden !== true)) continue;
    const isFolder = entry.isDirectory();
    if (isIgnored(rules, join(path, name), isFolder)) continue;
    const child = folder === '.' ? name : withSlashes(join(folder, name));
    if (isFolder) await search(found, child, rules);
    else if (found.matches?.(child) === false) continue;
    else if (entry.isSymbolicLink()) found.links += 1;
    else if (entry.isFile()) found.names.push(child);
    if (found.names.length > maxFiles) {
      const limit = maxFiles.toLocaleString('en-US');
      throw new Failure('usage', `there are more than ${limit} files`);
    }
  }
}

/**
 * The files below a folder that `.gitignore` files do not exclude. Devices and pipes are left out.
 * @throws Failure `usage` for too many files; the error of the system for an unreadable folder; the signal's reason
 */
export async function findFiles(folder: string, options: FindOptions): Promise<FoundFiles> {
  const found: Search = { ...options, names: [], links: 0 };
  await search(found, folder, await rulesAbove(resolve(folder)));
  return found;
}

/** Whether a name has characters of a pattern: `*`, `?`, `[…]`, `{a,b}`. */
export const isPattern = (name: string): boolean => /[*?]|\[.+\]|\{.+\}/.test(name);

/** The files that match a pattern, such as `*.md`. @throws as {@link findFiles} */
export async function matchFiles(pattern: string, signal: AbortSignal): Promise<FoundFiles> {
  const plain = withSlashes(pattern).replace(/^(?:\.\/+)+/, '');
  const { base } = picomatch.scan(plain);
  const folder = base === '' ? '.' : base;
  const rest = plain.slice(base.length);
  const hidden = /(?:^|\/)\./.test(rest);
  return findFiles(folder, { matches: picomatch(plain), hidden, signal });
}
