import path from 'node:path';
import type { Environment } from '../environment.ts';
import { Failure } from '../failure.ts';

/** Absolute paths, with natter's folder name; undefined if there is no home folder. */
export interface Folders {
  /** Settings and credentials. */
  readonly config: string | undefined;
  /** Conversations. */
  readonly data: string | undefined;
  /** Input history and drafts: losing them does no harm. */
  readonly state: string | undefined;
}

export interface FolderFacts {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** `os.homedir()`, or undefined if it fails. */
  readonly homeDirectory: string | undefined;
}

interface Location {
  /** natter's variable: the folder itself. */
  readonly variable: string;
  /** XDG variable: the parent folder. */
  readonly xdg: string;
  readonly unixDefault: readonly string[];
  readonly windowsVariable: string;
  readonly windowsDefault: readonly string[];
  readonly windowsFolder: readonly string[];
}

const locations = {
  config: {
    variable: 'NATTER_CONFIG_DIR',
    xdg: 'XDG_CONFIG_HOME',
    unixDefault: ['.config'],
    windowsVariable: 'APPDATA',
    windowsDefault: ['AppData', 'Roaming'],
    windowsFolder: ['natter'],
  },
  data: {
    variable: 'NATTER_DATA_DIR',
    xdg: 'XDG_DATA_HOME',
    unixDefault: ['.local', 'share'],
    windowsVariable: 'LOCALAPPDATA',
    windowsDefault: ['AppData', 'Local'],
    windowsFolder: ['natter', 'data'],
  },
  state: {
    variable: 'NATTER_STATE_DIR',
    xdg: 'XDG_STATE_HOME',
    unixDefault: ['.local', 'state'],
    windowsVariable: 'LOCALAPPDATA',
    windowsDefault: ['AppData', 'Local'],
    windowsFolder: ['natter', 'state'],
  },
} as const satisfies Record<keyof Folders, Location>;

/** On Windows, `\\no\\drive` is relative to the current drive. */
function isAbsolute(name: string, windows: boolean): boolean {
  return windows ? /^(?:[a-z]:[\\/]|[\\/]{2})/i.test(name) : path.posix.isAbsolute(name);
}

function resolveFolder(location: Location, facts: FolderFacts): string | undefined {
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
  const base = environment[windows ? location.windowsVariable : location.xdg];
  const folder = windows ? location.windowsFolder : ['natter'];
  if (base !== undefined && isAbsolute(base, windows)) return paths.join(base, ...folder);
  if (homeDirectory === undefined || !isAbsolute(homeDirectory, windows)) return undefined;
  const fallback = windows ? location.windowsDefault : location.unixDefault;
  return paths.join(homeDirectory, ...fallback, ...folder);
}

/**
 * The folders of natter: from its variables, else the XDG base directories on Unix and macOS (a relative value is
 * ignored, as the specification requires), or `%APPDATA%` and `%LOCALAPPDATA%` on Windows.
 * @throws Failure `configuration` if one of natter's variables is a relative path
 */
export function resolveFolders(facts: FolderFacts): Folders {
  return {
    config: resolveFolder(locations.config, facts),
    data: resolveFolder(locations.data, facts),
    state: resolveFolder(locations.state, facts),
  };
}

/**
 * The folder of natter's compiled code, in the user's cache folder. `bin/start.cjs` decides the same before the bundle
 * is loaded, with `HOME` as the only home.
 */
export function resolveCacheFolder({ environment, platform }: FolderFacts): string | undefined {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const parent = environment[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME'] ?? '';
  if (paths.isAbsolute(parent)) return paths.join(parent, 'natter');
  const { HOME: home = '' } = environment;
  return paths.isAbsolute(home) ? paths.join(home, '.cache', 'natter') : undefined;
}
