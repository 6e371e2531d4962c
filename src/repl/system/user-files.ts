import fs from 'node:fs';
import path from 'node:path';

import { Failure } from '../../failure.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { isReservedName } from '../../storage/file-name.ts';
import type { Candidate } from '../editing/completion.ts';

/** Expands a leading `~`. */
export function expandHome(typed: string, home: string | undefined): string {
  return home !== undefined && /^~(?=$|[/\\])/.test(typed) ? home + typed.slice(1) : typed;
}

/** Undefined if the path does not exist or cannot be read. */
function statsOf(name: string): fs.Stats | undefined {
  try {
    return fs.statSync(name, { throwIfNoEntry: false });
  } catch {
    // Such as a name that is too long, or a link to itself.
    return undefined;
  }
}

/** Undefined if the path is neither. */
export function kindOf(name: string): 'file' | 'folder' | undefined {
  const stats = statsOf(name);
  if (stats?.isFile() === true) return 'file';
  return stats?.isDirectory() === true ? 'folder' : undefined;
}

function isFolder(entry: fs.Dirent, name: string): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && statsOf(name)?.isDirectory() === true);
}

/** For completion; empty if the folder cannot be read. */
export function folderCandidates(folder: string): readonly Candidate[] {
  try {
    return fs
      .readdirSync(folder === '' ? '.' : folder, { withFileTypes: true })
      .map((entry) => ({
        value: entry.name,
        isFolder: isFolder(entry, path.join(folder, entry.name)),
      }))
      .sort((one, other) => one.value.localeCompare(other.value));
  } catch {
    // A missing folder has no completions.
    return [];
  }
}

const problems: Readonly<Record<string, string>> = {
  EEXIST: 'it already exists',
  ENOENT: 'its folder does not exist',
};

/** @throws Failure `storage` for the name of a device of Windows */
export function refuseReserved(name: string, platform: NodeJS.Platform): void {
  if (!isReservedName(name, platform)) return;
  throw new Failure('storage', `cannot write ${name}: Windows reserves this name for a device`, {
    hint: 'choose another name',
  });
}

export function writeFailure(name: string, error: unknown): Failure {
  const reason = problems[errorCode(error) ?? ''] ?? failureReason(error);
  return new Failure('storage', `cannot write ${name}: ${reason}`, {
    hint: 'choose another name',
    cause: error,
  });
}

/** Creates a file, never overwriting one. @returns its full path @throws Failure `storage` */
export function writeNewFile(name: string, text: string, platform: NodeJS.Platform): string {
  refuseReserved(name, platform);
  const full = path.resolve(name);
  try {
    fs.writeFileSync(full, text, { flag: 'wx' });
    return full;
  } catch (error) {
    throw writeFailure(name, error);
  }
}
