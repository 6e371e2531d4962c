import type { Candidate } from '../editing/completion.ts';
import type { FilesPort } from '../session/ports.ts';
import type { SessionCore } from '../session/session-core.ts';
import type { Effect } from '../state/effect.ts';
import { matchPaths } from './match-paths.ts';

type PickFiles = Extract<Effect, { readonly type: 'pick-files' }>;

/** A path that is not below the current folder, or hidden: only its folder is listed. */
const outside = /^(?:[./\\~]|[a-z]:[/\\])/i;

/** The entries of the typed folder that begin with the typed name. */
function listed(files: FilesPort, typed: string): readonly Candidate[] {
  const [folder = ''] = /^.*[/\\]/.exec(typed) ?? [];
  const name = typed.slice(folder.length).toLowerCase();
  return files
    .candidates(folder)
    .filter(({ value }) => value.toLowerCase().startsWith(name))
    .filter(({ value }) => !value.startsWith('.') || name.startsWith('.'))
    .map(({ value, ...others }) => ({ ...others, value: folder + value }));
}

interface FoundFiles {
  readonly candidates: readonly Candidate[];
  /** Not all files were searched. */
  readonly isPartial: boolean;
}

/**
 * The files and folders that match a mention, the best first; undefined if they are not wanted any more.
 * @throws Failure if a folder cannot be read
 */
export async function findFiles(
  files: FilesPort,
  typed: string,
  isWanted = () => true,
): Promise<FoundFiles | undefined> {
  if (outside.test(typed)) return { candidates: listed(files, typed), isPartial: false };
  const { paths, isPartial } = await files.paths();
  if (!isWanted()) return undefined;
  const matches = matchPaths(paths, typed);
  const known = new Set(matches.map(({ value }) => value));
  const others = isPartial && typed.includes('/') ? listed(files, typed) : [];
  const candidates = [...matches, ...others.filter(({ value }) => !known.has(value))];
  return { candidates, isPartial };
}

/** Finds the files of a mention. */
export async function pickFiles(core: SessionCore, { request }: PickFiles): Promise<void> {
  // Meanwhile more may be typed, for which this runs again.
  const isWanted = () => core.state().composer.cursor === request.to;
  const found = await findFiles(core.ports.files, request.typed, isWanted);
  if (found !== undefined) core.dispatch({ type: 'files-picked', request, ...found });
}
