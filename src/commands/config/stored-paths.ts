import { sectionFolder, dataVariable } from '../../conversation/library/conversation-folder.ts';
import { Failure } from '../../failure.ts';
import { ledgerFolder } from '../../usage/ledger.ts';
import { type FolderFacts, resolveCacheFolder, resolveFolders } from '../../settings/folders.ts';
import { configVariable, settingsPath } from '../../settings/settings-file.ts';

/** The variables that set the folders on every platform, without a home folder too. */
const variables = {
  config: configVariable,
  data: dataVariable,
  state: 'NATTER_STATE_DIR',
  cache: 'XDG_CACHE_HOME',
} as const;

const kind = (
  name: string,
  summary: string,
  folder: keyof typeof variables,
  pathIn = (path: string): string => path,
) => ({ name, summary, folder, pathIn });

const inSettings = (file: Parameters<typeof settingsPath>[1]) => (folder: string) =>
  settingsPath(folder, file);

export const storedKinds = [
  kind('settings', 'settings file', 'config', inSettings('config')),
  kind('credentials', 'file of the keys', 'config', inSettings('credentials')),
  kind('conversations', 'saved conversations', 'data', (data) => sectionFolder(data)),
  kind('trash', 'deleted conversations', 'data', (data) => sectionFolder(data, 'trash')),
  kind('usage', 'ledger of requests', 'state', ledgerFolder),
  kind('state', 'prompt history, drafts, windows', 'state'),
  kind('cache', 'compiled code', 'cache'),
];

function pathOf(
  { folder, pathIn }: ReturnType<typeof kind>,
  facts: FolderFacts,
): string | undefined {
  const place = folder === 'cache' ? resolveCacheFolder(facts) : resolveFolders(facts)[folder];
  return place === undefined ? undefined : pathIn(place);
}

/** All paths, absolute, without those that depend on an unknown home folder. @throws Failure */
export function storedPaths(facts: FolderFacts) {
  return storedKinds.flatMap((stored) => {
    const path = pathOf(stored, facts);
    return path === undefined ? [] : [{ name: stored.name, path }];
  });
}

/** The absolute path of a file or folder that may not exist yet. @throws Failure `not_found` for an unknown name, `storage` without a home folder */
export function findStoredPath(facts: FolderFacts, name: string) {
  const found = storedKinds.find((candidate) => candidate.name === name);
  if (found === undefined) {
    throw new Failure('not_found', `there is no path named ${JSON.stringify(name)}`, {
      hint: `the names are ${storedKinds.map((known) => known.name).join(', ')}`,
    });
  }
  const path = pathOf(found, facts);
  if (path === undefined) {
    throw new Failure('storage', `the path of the ${name} is unknown: there is no home folder`, {
      hint: `set ${variables[found.folder]}`,
    });
  }
  return { name, path };
}
