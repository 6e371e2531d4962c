import { opendir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { type IgnoreRules, isIgnored, rulesAbove, rulesIn } from './ignore-rules.ts';

interface FoundPath {
  /** With slashes, below the searched folder. */
  readonly path: string;
  readonly isFolder: boolean;
}

export interface PathList {
  readonly paths: readonly FoundPath[];
  /** A limit was reached. */
  readonly isPartial: boolean;
}

export interface ListOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maxPaths?: number;
  /** Milliseconds. */
  readonly maxTime?: number;
}

interface Folder {
  /** Empty for the searched folder. */
  readonly path: string;
  readonly above: IgnoreRules;
}

interface Listing {
  readonly paths: FoundPath[];
  readonly isFull: () => boolean;
}

/** Adds the entries of a folder. @returns its folders */
async function listFolder(
  root: string,
  { path, above }: Folder,
  { paths, isFull }: Listing,
): Promise<readonly Folder[]> {
  const folders: Folder[] = [];
  const full = join(root, path);
  try {
    const rules = await rulesIn(full, above);
    for await (const entry of await opendir(full, { bufferSize: 256 })) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      if (name.startsWith('.') || isIgnored(rules, join(full, name), isFolder)) continue;
      const child = path === '' ? name : `${path}/${name}`;
      if (isFolder) folders.push({ path: child, above: rules });
      if (isFolder || entry.isFile() || entry.isSymbolicLink())
        paths.push({ path: child, isFolder });
      if (isFull()) break;
    }
  } catch {
    // A folder that cannot be read has no paths to offer.
  }
  return folders;
}

/** The paths below a folder that are neither hidden nor excluded by `.gitignore` files, the nearest first. */
export async function listPaths(
  folder: string,
  { clock, maxPaths = 20_000, maxTime = 3000 }: ListOptions,
): Promise<PathList> {
  const root = resolve(folder);
  const paths: FoundPath[] = [];
  const end = clock.monotonic() + maxTime;
  const isFull = () => paths.length >= maxPaths || clock.monotonic() >= end;
  let level: readonly Folder[] = [{ path: '', above: await rulesAbove(root) }];
  while (level.length > 0) {
    const below: Folder[] = [];
    for (const next of level) {
      if (isFull()) return { paths, isPartial: true };
      below.push(...(await listFolder(root, next, { paths, isFull })));
    }
    level = below;
  }
  return { paths, isPartial: isFull() };
}
