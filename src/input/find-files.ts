import { existsSync } from 'node:fs';
import { opendir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep, resolve } from 'node:path';
import createIgnore, { type Ignore } from 'ignore';
import picomatch from 'picomatch';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { count } from '../output/figures.ts';
import { errorCode } from '../storage/storage-failure.ts';

/** The `.gitignore` files that apply in a folder, the outermost first. */
type IgnoreRules = readonly { readonly folder: string; readonly rules: Ignore }[];

/** A path with slashes on every platform. */
const withSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));

/** The rules of a folder: those of the folder above it, and its own. */
async function rulesIn(folder: string, above: IgnoreRules): Promise<IgnoreRules> {
  const text = await readFile(join(folder, '.gitignore'), 'utf8').catch((error: unknown) => {
    if (['ENOENT', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  });
  return text === '' ? above : [...above, { folder, rules: createIgnore().add(text) }];
}

/** Whether the innermost rule about the path ignores it; its folders are not ignored. */
function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const inner = withSlashes(relative(folder, path)) + (isFolder ? '/' : '');
    const { ignored, unignored } = own.test(inner);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The rules of the repository above a folder; none if they ignore the folder itself, because the user named it. */
async function rulesAbove(folder: string): Promise<IgnoreRules> {
  const folders: string[] = [];
  for (let inner = folder; !existsSync(join(inner, '.git')); inner = dirname(inner)) {
    // Outside a repository.
    if (dirname(inner) === inner) return [];
    folders.unshift(dirname(inner));
  }
  let rules: IgnoreRules = [];
  for (const above of folders) {
    if (isIgnored(rules, above, true)) return [];
    rules = await rulesIn(above, rules);
  }
  return isIgnored(rules, folder, true) ? [] : rules;
}

/**
 * The entries below a folder that `.gitignore` files do not exclude, the nearest first, with their paths from the folder.
 * @param hidden also those whose names begin with a dot; never `.git`
 * @param skipsUnreadable leaves out a folder that cannot be read
 * @throws the error of the system for such a folder
 */
async function* entriesBelow(start: string, hidden: boolean, skipsUnreadable: boolean) {
  const root = resolve(start);
  const folders = [{ path: '', above: await rulesAbove(root) }];
  for (const { path, above } of folders) {
    const full = join(root, path);
    try {
      const rules = await rulesIn(full, above);
      for await (const entry of await opendir(full, { bufferSize: 256 })) {
        const { name } = entry;
        const isFolder = entry.isDirectory();
        if (name === '.git' || (name.startsWith('.') && !hidden)) continue;
        if (isIgnored(rules, join(full, name), isFolder)) continue;
        const child = path === '' ? name : `${path}/${name}`;
        // Folders are searched after all of this level.
        if (isFolder) folders.push({ path: child, above: rules });
        yield { path: child, isFolder, entry };
      }
    } catch (error) {
      if (!skipsUnreadable) throw error;
    }
  }
}

export type FoundFiles = Awaited<ReturnType<typeof findFiles>>;

const maxFiles = 10_000;

/** A slash comes before every other character, so that a folder stays together. */
const orderOf = (name: string) => name.replaceAll('/', '\0');

/**
 * The files below a folder that `.gitignore` files do not exclude. Devices and pipes are left out.
 * @param matches whether to find a file; by default all
 * @param hidden also finds files and folders whose names begin with a dot; never `.git`
 * @throws Failure `usage` for too many files; the error of the system for an unreadable folder; the signal's reason
 */
export async function findFiles(
  start: string,
  signal: AbortSignal,
  matches: (name: string) => boolean = () => true,
  hidden = false,
) {
  const names: string[] = [];
  let links = 0;
  for await (const { path, isFolder, entry } of entriesBelow(start, hidden, false)) {
    signal.throwIfAborted();
    const name = start === '.' ? path : withSlashes(join(start, path));
    if (isFolder || !matches(name)) continue;
    if (entry.isSymbolicLink()) links += 1;
    else if (entry.isFile()) names.push(name);
    if (names.length > maxFiles) {
      throw new Failure('usage', `there are more than ${count(maxFiles)} files`);
    }
  }
  names.sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
  return {
    /** Sorted, folder by folder; as typed, with slashes. */
    names: names as readonly string[],
    /** Symbolic links, which are not followed. */
    links,
  };
}

/** The files that match a pattern, such as `*.md`. @throws as {@link findFiles} */
export async function matchFiles(pattern: string, signal: AbortSignal): Promise<FoundFiles> {
  const plain = withSlashes(pattern).replace(/^(?:\.\/+)+/, '');
  const { base } = picomatch.scan(plain);
  const folder = base === '' ? '.' : base;
  const rest = plain.slice(base.length);
  const hidden = /(?:^|\/)\./.test(rest);
  return findFiles(folder, signal, picomatch(plain), hidden);
}

/** Milliseconds for the search of paths. */
const maxTime = 3000;

/**
 * The paths below a folder, with slashes, that are neither hidden nor excluded by `.gitignore` files, the nearest first.
 * They are partial if a limit was reached.
 */
export async function listPaths(folder: string, clock: Clock, maxPaths = 20_000) {
  const paths: { readonly path: string; readonly isFolder: boolean }[] = [];
  const end = clock.monotonic() + maxTime;
  const isFull = () => paths.length >= maxPaths || clock.monotonic() >= end;
  for await (const { path, isFolder, entry } of entriesBelow(folder, false, true)) {
    if (isFolder || entry.isFile() || entry.isSymbolicLink()) paths.push({ path, isFolder });
    if (isFull()) break;
  }
  return { paths, isPartial: isFull() };
}

export type PathList = Awaited<ReturnType<typeof listPaths>>;
