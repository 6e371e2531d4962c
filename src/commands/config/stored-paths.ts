import {
  conversationsFolder,
  dataVariable,
  trashFolder,
} from '../../conversation/library/conversation-folder.ts';
import { Failure } from '../../failure.ts';
import { ledgerFolder } from '../../usage/ledger.ts';
import { type FolderFacts, resolveCacheFolder, resolveFolders } from '../../settings/folders.ts';
import { configVariable, settingsPath } from '../../settings/settings-file.ts';

type FolderName = 'config' | 'data' | 'state' | 'cache';

interface StoredKind {
  readonly name: string;
  readonly summary: string;
  readonly folder: FolderName;
  readonly pathIn: (folder: string) => string;
}

const itself = (folder: string) => folder;

/** What natter keeps on disk. */
export const storedKinds: readonly StoredKind[] = [
  {
    name: 'settings',
    summary: 'settings file',
    folder: 'config',
    pathIn: (folder) => settingsPath(folder, 'config'),
  },
  {
    name: 'credentials',
    summary: 'file of the keys',
    folder: 'config',
    pathIn: (folder) => settingsPath(folder, 'credentials'),
  },
  {
    name: 'conversations',
    summary: 'saved conversations',
    folder: 'data',
    pathIn: conversationsFolder,
  },
  { name: 'trash', summary: 'deleted conversations', folder: 'data', pathIn: trashFolder },
  { name: 'usage', summary: 'ledger of requests', folder: 'state', pathIn: ledgerFolder },
  { name: 'state', summary: 'prompt history, drafts, windows', folder: 'state', pathIn: itself },
  { name: 'cache', summary: 'compiled code', folder: 'cache', pathIn: itself },
];

/** The variables that set the folders on every platform, without a home folder too. */
const variables: Readonly<Record<FolderName, string>> = {
  config: configVariable,
  data: dataVariable,
  state: 'NATTER_STATE_DIR',
  cache: 'XDG_CACHE_HOME',
};

interface StoredPath {
  readonly name: string;
  /** Absolute; the file or folder may not exist yet. */
  readonly path: string;
}

function pathOf({ folder, pathIn }: StoredKind, facts: FolderFacts): string | undefined {
  const place = folder === 'cache' ? resolveCacheFolder(facts) : resolveFolders(facts)[folder];
  return place === undefined ? undefined : pathIn(place);
}

/** All paths, without those that depend on an unknown home folder. @throws Failure */
export function storedPaths(facts: FolderFacts): readonly StoredPath[] {
  return storedKinds.flatMap((kind) => {
    const path = pathOf(kind, facts);
    return path === undefined ? [] : [{ name: kind.name, path }];
  });
}

/** @throws Failure `not_found` for an unknown name, `storage` without a home folder */
export function findStoredPath(facts: FolderFacts, name: string): StoredPath {
  const kind = storedKinds.find((candidate) => candidate.name === name);
  if (kind === undefined) {
    throw new Failure('not_found', `there is no path named ${JSON.stringify(name)}`, {
      hint: `the names are ${storedKinds.map((known) => known.name).join(', ')}`,
    });
  }
  const path = pathOf(kind, facts);
  if (path === undefined) {
    throw new Failure('storage', `the path of the ${name} is unknown: there is no home folder`, {
      hint: `set ${variables[kind.folder]}`,
    });
  }
  return { name, path };
}
