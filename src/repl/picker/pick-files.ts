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

/** Finds the files and folders that match a mention. */
export async function pickFiles(core: SessionCore, { request }: PickFiles): Promise<void> {
  const { files } = core.ports;
  const { typed } = request;
  if (outside.test(typed)) {
    core.dispatch({
      type: 'files-picked',
      request,
      candidates: listed(files, typed),
      isPartial: false,
    });
    return;
  }
  const { paths, isPartial } = await files.paths();
  // Meanwhile more was typed, for which this runs again.
  if (core.state().composer.cursor !== request.to) return;
  const matches = matchPaths(paths, typed);
  const known = new Set(matches.map(({ value }) => value));
  const others = isPartial && typed.includes('/') ? listed(files, typed) : [];
  const candidates = [...matches, ...others.filter(({ value }) => !known.has(value))];
  core.dispatch({ type: 'files-picked', request, candidates, isPartial });
}
