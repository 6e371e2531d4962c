import type { PathList } from '../../input/find-files.ts';
import {
  type Candidate,
  type CompletionRequest,
  folderOf,
  hasLetters,
  matchCandidates,
} from '../composer/completion.ts';
import type { ReplFiles } from './user-files.ts';

/** A path that is not below the current folder, or hidden: only its folder is listed. */
const outside = /^(?:[./\\~]|[a-z]:[/\\])/i;

/** The paths of what is in the typed folder. @throws Failure */
export function pathsInFolder(files: ReplFiles, request: CompletionRequest): readonly Candidate[] {
  const folder = folderOf(request);
  return files
    .candidates(folder)
    .map(({ value, ...others }) => ({ ...others, value: folder + value }));
}

/**
 * The files and folders that match a mention, the best first. `isPartial`: not all files were searched.
 * @param isWanted false if more was typed while the files were listed, so that ranking them is in vain
 * @throws Failure if a folder cannot be read
 */
export async function findFiles(
  files: ReplFiles,
  request: CompletionRequest,
  isWanted = () => true,
): Promise<{ readonly candidates: readonly Candidate[]; readonly isPartial: boolean }> {
  const { typed } = request;
  const listed = () => matchCandidates(request, pathsInFolder(files, request));
  if (outside.test(typed)) return { candidates: listed(), isPartial: false };
  const { paths, isPartial } = await files.paths();
  if (!isWanted()) return { candidates: [], isPartial };
  const matches = matchPaths(paths, typed);
  const known = new Set(matches.map(({ value }) => value));
  const others = isPartial && typed.includes('/') ? listed() : [];
  const candidates = [...matches, ...others.filter(({ value }) => !known.has(value))];
  return { candidates, isPartial };
}

/** Candidates in the menu. */
const maxCandidates = 50;

/** How well a path matches, best 0; -1 if it does not. Both are in lower case. */
function rankOf(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ranks = [
    path === wanted,
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
