import type { Candidate } from '../editing/completion.ts';

interface Path {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Candidates in the menu. */
const maxCandidates = 50;

/** Whether the characters of `wanted` occur in this order. */
function isSubsequence(wanted: string, text: string): boolean {
  let at = 0;
  for (const character of wanted) {
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** How well a path matches, best 0; undefined if it does not. Both are in lower case. */
function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ranks = [
    path === wanted,
    name.startsWith(wanted) || path.startsWith(wanted),
    name.includes(wanted),
    path.includes(wanted),
    isSubsequence(wanted, name),
    isSubsequence(wanted, path),
  ];
  const rank = ranks.indexOf(true);
  return rank === -1 ? undefined : rank;
}

/** As `localeCompare`, which takes much longer: the menu is sorted at each key. */
const { compare: compareNames } = new Intl.Collator();

const depthOf = (path: string) => path.split('/').length;

/** The paths that match what was typed: the best first, and the nearest of them. Without a text, those of the folder. */
export function matchPaths(paths: readonly Path[], typed: string): readonly Candidate[] {
  const wanted = typed.toLowerCase();
  const isName = wanted !== '' && !wanted.endsWith('/');
  const found = paths.flatMap(({ path, isFolder }) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    const isShown = rank !== undefined && (wanted !== '' || !path.includes('/'));
    return isShown ? [{ path, isFolder, rank, depth: depthOf(path) }] : [];
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
