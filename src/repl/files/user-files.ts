import fs from 'node:fs';
import { basename, dirname, join, resolve as absolutePath } from 'node:path';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { attachFiles, isAddress } from '../../input/attach-files.ts';
import type { Context } from '../../run.ts';
import { listPaths, type PathList } from '../../input/find-files.ts';
import { Failure } from '../../failure.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import {
  type Candidate,
  type CompletionRequest,
  folderOf,
  hasLetters,
  matchCandidates,
} from '../composer/completion.ts';
import { isFile, isFolder as isFolderAt, removeFile, replaceContent } from '../../storage/files.ts';

/** Brackets alone are parts of names, and a question mark ends a sentence. */
const isMentionedPattern = (typed: string) => /\*|\{.+,.+\}/.test(typed);

/** The user's files. Paths are as typed: `~` is the home folder. Functions throw Failure. */
export function createReplFiles(context: Context) {
  const { homeDirectory, platform } = context;
  const resolve = (typed: string) => (isAddress(typed) ? typed : expandHome(typed, homeDirectory));
  let listed: Promise<PathList> | undefined;
  let listedAt = 0;
  return {
    /** A file, or a page; or the files of a folder or a pattern with a summary: their number, and what was left out. */
    async attach(typed: string, signal: AbortSignal) {
      let summary: string | undefined;
      const keep = (text: string) => void (summary = text);
      const notices = { notice: keep, warning: keep };
      const found = await attachFiles([resolve(typed)], { signal, context, notices });
      const named = found.map((file) => ({ ...file, name: typed }));
      const files: readonly AttachedFile[] = summary === undefined ? named : found;
      return { files, summary };
    },
    /** `page` is an `https:` address. Undefined if the path is nothing of these. */
    kindOf(typed: string): 'file' | 'folder' | 'pattern' | 'page' | undefined {
      if (isAddress(typed)) return 'page';
      return kindOf(resolve(typed)) ?? (isMentionedPattern(typed) ? 'pattern' : undefined);
    },
    /** The paths of the current folder, which are not listed again at each key. */
    paths(): Promise<PathList> {
      const now = context.clock.monotonic();
      if (listed === undefined || now - listedAt >= maxAge) {
        listed = listPaths('.', context.clock);
        listedAt = now;
      }
      return listed;
    },
    /** The names that completion offers; none if the folder cannot be read. */
    candidates(typed: string): readonly Candidate[] {
      const folder = resolve(typed) || '.';
      try {
        return fs
          .readdirSync(folder, { withFileTypes: true })
          .map((entry) => {
            const isFolderLink = () =>
              entry.isSymbolicLink() && isFolderAt(join(folder, entry.name));
            return { value: entry.name, isFolder: entry.isDirectory() || isFolderLink() };
          })
          .sort((one, other) => one.value.localeCompare(other.value));
      } catch {
        // A missing folder has no completions.
        return [];
      }
    },
    /**
     * Writes a file, for its owner only if it is private. A file that exists is replaced as a whole, or not at all.
     * @returns its full path; undefined if the file exists and may not be replaced
     * @throws Failure
     */
    write(typed: string, text: string, { isPrivate = false, replaces = false } = {}) {
      const name = resolve(typed);
      refuseReservedName(name, platform);
      const full = absolutePath(name);
      const temporary = join(dirname(full), `.${basename(full)}.natter`);
      const mode = isPrivate ? 0o600 : 0o666;
      try {
        if (replaces) replaceContent(full, text, mode, temporary);
        else fs.writeFileSync(full, text, { flag: 'wx', mode });
        return full;
      } catch (cause) {
        const code = errorCode(cause);
        if (code === 'EEXIST' && !replaces) return undefined;
        if (replaces) removeFile(temporary);
        const reason = code === 'ENOENT' ? 'its folder does not exist' : failureReason(cause);
        throw new Failure('storage', `cannot write ${name}: ${reason}`, {
          hint: 'choose another name',
          cause,
        });
      }
    },
  };
}

export type ReplFiles = ReturnType<typeof createReplFiles>;

/** Milliseconds after which the folder is listed again. */
const maxAge = 10_000;

export function expandHome(typed: string, home: string | undefined): string {
  return home !== undefined && /^~(?=$|[/\\])/.test(typed) ? home + typed.slice(1) : typed;
}

/** Undefined if the path is neither, or cannot be read. */
export function kindOf(name: string): 'file' | 'folder' | undefined {
  if (isFile(name)) return 'file';
  return isFolderAt(name) ? 'folder' : undefined;
}

/** A path that is not below the current folder, or hidden: only its folder is listed. */
const outside = /^(?:[./\\~]|[a-z]:[/\\])/i;

export function pathsInFolder(files: ReplFiles, request: CompletionRequest): readonly Candidate[] {
  const folder = folderOf(request);
  return files.candidates(folder).map((found) => ({ ...found, value: folder + found.value }));
}

/**
 * The files and folders that match a mention, the best first. `isPartial`: not all files were searched.
 * @param isWanted whether the request is still the present one when the folder is listed
 * @throws Failure if a folder cannot be read
 */
export async function findFiles(
  files: ReplFiles,
  request: CompletionRequest,
  isWanted = () => true,
) {
  const { typed } = request;
  const listed = () => matchCandidates(request, pathsInFolder(files, request));
  if (outside.test(typed)) return { candidates: listed(), isPartial: false };
  const { paths, isPartial } = await files.paths();
  const matches = isWanted() ? matchPaths(paths, typed) : [];
  const known = new Set(matches.map(({ value }) => value));
  const others = isPartial && typed.includes('/') ? listed() : [];
  const candidates = [...matches, ...others.filter(({ value }) => !known.has(value))];
  return { candidates, isPartial };
}

const maxCandidates = 50;

/** How well a path matches, best 0; -1 if it does not. Both are in lower case. */
function rankOf(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ranks = [
    name.startsWith(wanted) || path.startsWith(wanted),
    name.includes(wanted),
    path.includes(wanted),
    hasLetters(name, wanted),
    hasLetters(path, wanted),
  ];
  return ranks.indexOf(true);
}

/** Sorts like `localeCompare`, which takes much longer: the menu is sorted at each key. */
const { compare: compareNames } = new Intl.Collator();

/** The paths that match what was typed: the best first, and the nearest of them. Without a text, those of the folder. */
export function matchPaths(paths: PathList['paths'], typed: string): readonly Candidate[] {
  const wanted = typed.toLowerCase();
  const isName = wanted !== '' && !wanted.endsWith('/');
  const found = paths.flatMap(({ path, isFolder }) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    const isShown = rank !== -1 && (wanted !== '' || !path.includes('/'));
    return isShown ? [{ path, isFolder, rank, depth: path.split('/').length }] : [];
  });
  found.sort(
    (one, other) =>
      one.rank - other.rank ||
      one.depth - other.depth ||
      (isName ? one.path.length - other.path.length : 0) ||
      compareNames(one.path, other.path),
  );
  return found
    .slice(0, maxCandidates)
    .map(({ path, isFolder }) => ({ value: path, ...(isFolder && { isFolder }) }));
}
