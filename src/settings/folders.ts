import path from 'node:path';
import type { Environment } from '../environment.ts';
import { Failure } from '../failure.ts';

export interface FolderFacts {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** `os.homedir()`, or undefined if it fails. */
  readonly homeDirectory: string | undefined;
}

/**
 * natter's variable; the XDG variable and its default; `%APPDATA%` or `%LOCALAPPDATA%`, its default and natter's
 * folder.
 */
const locations = {
  config: {
    variable: 'NATTER_CONFIG_DIR',
    unix: ['XDG_CONFIG_HOME', '.config', 'natter'],
    windows: ['APPDATA', 'AppData\\Roaming', 'natter'],
  },
  data: {
    variable: 'NATTER_DATA_DIR',
    unix: ['XDG_DATA_HOME', '.local/share', 'natter'],
    windows: ['LOCALAPPDATA', 'AppData\\Local', 'natter\\data'],
  },
  state: {
    variable: 'NATTER_STATE_DIR',
    unix: ['XDG_STATE_HOME', '.local/state', 'natter'],
    windows: ['LOCALAPPDATA', 'AppData\\Local', 'natter\\state'],
  },
} as const;

/** On Windows, `\\no\\drive` is relative to the current drive. */
function isAbsolute(name: string, windows: boolean): boolean {
  return windows ? /^(?:[a-z]:[\\/]|[\\/]{2})/i.test(name) : path.posix.isAbsolute(name);
}

function resolveFolder(name: keyof typeof locations, facts: FolderFacts): string | undefined {
  const location = locations[name];
  const { environment, platform, homeDirectory } = facts;
  const windows = platform === 'win32';
  const paths = windows ? path.win32 : path.posix;
  const folderVariable = environment[location.variable];
  if (folderVariable !== undefined && folderVariable !== '') {
    if (isAbsolute(folderVariable, windows)) return paths.normalize(folderVariable);
    // A path relative to the current directory would let any checkout supply settings.
    throw new Failure('configuration', `${location.variable} must be an absolute path`, {
      hint: `set ${location.variable} to a path that starts at ${windows ? 'a drive' : 'the root'}`,
    });
  }
  const [parent, fallback, folder] = location[windows ? 'windows' : 'unix'];
  const base = environment[parent];
  if (base !== undefined && isAbsolute(base, windows)) return paths.join(base, folder);
  if (homeDirectory === undefined || !isAbsolute(homeDirectory, windows)) return undefined;
  return paths.join(homeDirectory, fallback, folder);
}

/**
 * Finds the folders of natter: from its variables, else the XDG base directories on Unix and macOS (a relative value is
 * ignored, as the specification requires), or `%APPDATA%` and `%LOCALAPPDATA%` on Windows. The paths are absolute and
 * have natter's folder name; they are undefined without a home folder.
 * @throws Failure `configuration` if one of natter's variables is a relative path
 */
export const resolveFolders = (facts: FolderFacts) => ({
  /** Settings and credentials. */
  config: resolveFolder('config', facts),
  /** Conversations. */
  data: resolveFolder('data', facts),
  /** Input history and drafts: losing them does no harm. */
  state: resolveFolder('state', facts),
});

/**
 * Finds the folder of natter's compiled code, in the user's cache folder. `bin/start.cjs` decides the same before the
 * bundle is loaded, with `HOME` as the only home.
 */
export function resolveCacheFolder({ environment, platform }: FolderFacts): string | undefined {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const parent = environment[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME'] ?? '';
  if (paths.isAbsolute(parent)) return paths.join(parent, 'natter');
  const { HOME: home = '' } = environment;
  return paths.isAbsolute(home) ? paths.join(home, '.cache', 'natter') : undefined;
}
