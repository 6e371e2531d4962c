import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import createIgnore, { type Ignore } from 'ignore';
import { errorCode } from '../storage/storage-failure.ts';

/** The rules of one `.gitignore` file. */
interface RuleFile {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The `.gitignore` files that apply in a folder, the outermost first. */
export type IgnoreRules = readonly RuleFile[];

/** A path with slashes on every platform. */
export const withSlashes = (path: string): string =>
  sep === '/' ? path : path.replaceAll(sep, '/');

/** The rules of a folder: those of the folder above it, and its own. */
export async function rulesIn(folder: string, above: IgnoreRules): Promise<IgnoreRules> {
  let text: string;
  try {
    text = await readFile(join(folder, '.gitignore'), 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'EISDIR') return above;
    throw error;
  }
  return [...above, { folder, rules: createIgnore().add(text) }];
}

/** The folders above, up to the one with `.git`; none outside a repository. */
function foldersAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let child = folder; !existsSync(join(child, '.git')); child = dirname(child)) {
    const parent = dirname(child);
    if (parent === child) return [];
    found.unshift(parent);
  }
  return found;
}

/** Whether the innermost rule about the path ignores it; its folders are not ignored. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(
      withSlashes(relative(folder, path)) + (isFolder ? '/' : ''),
    );
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The rules of the repository above a folder; none if they ignore the folder itself, because the user named it. */
export async function rulesAbove(folder: string): Promise<IgnoreRules> {
  let rules: IgnoreRules = [];
  let inner: string | undefined;
  for (const above of foldersAbove(folder)) {
    if (inner !== undefined && isIgnored(rules, above, true)) return [];
    rules = await rulesIn(above, rules);
    inner = above;
  }
  return isIgnored(rules, folder, true) ? [] : rules;
}
