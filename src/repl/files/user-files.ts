import fs from 'node:fs';
import path from 'node:path';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { attachFiles } from '../../input/attach-files.ts';
import type { Context } from '../../run.ts';
import { listPaths, type PathList } from '../../input/find-files.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { isReservedName } from '../../storage/file-name.ts';
import type { Candidate } from '../composer/completion.ts';
import { openTemporaryFile, removeFile, renameFile } from '../../storage/files.ts';

const isAddress = (typed: string) => /^https?:\/\//i.test(typed);

/** Brackets alone are parts of names, and a question mark ends a sentence. */
const isMentionedPattern = (typed: string) => /\*|\{.+,.+\}/.test(typed);

/** The user's files. Paths are as typed: `~` is the home folder. Functions throw Failure. */
export function createReplFiles(context: Context) {
  const { homeDirectory, platform } = context;
  const resolve = (typed: string) => (isAddress(typed) ? typed : expandHome(typed, homeDirectory));
  const paths = createPathIndex(context.clock);
  return {
    /** A file, or the files of a folder or a pattern with a summary, or the text of a page. */
    async attach(typed: string, signal: AbortSignal): Promise<AttachedFiles> {
      let summary: string | undefined;
      const keep = (text: string) => void (summary = text);
      const notices = { notice: keep, warning: keep };
      const files = await attachFiles([resolve(typed)], { signal, context, notices });
      if (summary !== undefined) return { files, summary };
      return { files: files.map((file) => ({ ...file, name: typed })) };
    },
    /** `page` is an `https:` address. Undefined if the path is nothing of these. */
    kindOf(typed: string): 'file' | 'folder' | 'pattern' | 'page' | undefined {
      if (isAddress(typed)) return 'page';
      return kindOf(resolve(typed)) ?? (isMentionedPattern(typed) ? 'pattern' : undefined);
    },
    paths,
    candidates: (folder: string) => folderCandidates(resolve(folder)),
    /** Creates a file. @returns its full path */
    write: (typed: string, text: string) => writeNewFile(resolve(typed), text, platform),
    writePrivate: (typed: string, pieces: Iterable<string>, replaces: boolean) =>
      writePrivateFile(resolve(typed), pieces, { replaces, platform }),
  };
}

export type ReplFiles = ReturnType<typeof createReplFiles>;

interface AttachedFiles {
  readonly files: readonly AttachedFile[];
  /** The number of files of a folder or a pattern, and what was left out. */
  readonly summary?: string | undefined;
}

/** Milliseconds after which the folder is listed again. */
const maxAge = 10_000;

/** The paths of the current folder. An old list is returned at once, and a new one made for the next call. */
function createPathIndex(clock: Clock): () => Promise<PathList> {
  let list: Promise<PathList> | undefined;
  let listedAt = 0;
  return () => {
    const now = clock.monotonic();
    if (list !== undefined && now - listedAt < maxAge) return list;
    listedAt = now;
    const next = listPaths('.', { clock });
    const known = list ?? next;
    list = known;
    void next.then(
      () => (list = next),
      () => undefined,
    );
    return known;
  };
}

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
function refuseReserved(name: string, platform: NodeJS.Platform): void {
  if (!isReservedName(name, platform)) return;
  throw new Failure('storage', `cannot write ${name}: Windows reserves this name for a device`, {
    hint: 'choose another name',
  });
}

function writeFailure(name: string, error: unknown): Failure {
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

/** Only its owner may read it. */
const mode = 0o600;

interface WrittenFile {
  /** Its full path. */
  readonly path: string;
  readonly bytes: number;
}

function writePieces(target: string, pieces: Iterable<string>): number {
  const descriptor = openTemporaryFile(target, mode);
  let bytes = 0;
  try {
    for (const piece of pieces) {
      // Unlike `writeSync`, it also writes the rest after a full disk took a part, and throws then.
      fs.writeFileSync(descriptor, piece);
      bytes += Buffer.byteLength(piece);
    }
  } finally {
    fs.closeSync(descriptor);
  }
  return bytes;
}

/** Moves the complete file to its name. @returns false if that exists and may not be replaced */
function place(written: string, full: string, replaces: boolean): boolean {
  try {
    if (replaces) renameFile(written, full);
    else fs.copyFileSync(written, full, fs.constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Writes a file for its owner only; a file that exists is replaced as a whole, or not at all.
 * @returns undefined if the file exists and may not be replaced
 * @throws Failure `storage`
 */
export function writePrivateFile(
  name: string,
  pieces: Iterable<string>,
  { replaces, platform }: { readonly replaces: boolean; readonly platform: NodeJS.Platform },
): WrittenFile | undefined {
  refuseReserved(name, platform);
  const full = path.resolve(name);
  if (!replaces && fs.existsSync(full)) return undefined;
  const temporary = path.join(path.dirname(full), `.${path.basename(full)}.natter`);
  try {
    const bytes = writePieces(temporary, pieces);
    return place(temporary, full, replaces) ? { path: full, bytes } : undefined;
  } catch (error) {
    throw writeFailure(name, error);
  } finally {
    removeFile(temporary);
  }
}
