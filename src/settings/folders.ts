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
 * For each folder: its place below the home folder; on Windows, the variable of its parent, the parent's place below the
 * home folder, and natter's folder in it.
 */
const places = {
  config: ['.config', 'APPDATA', 'AppData\\Roaming', 'natter'],
  data: ['.local/share', 'LOCALAPPDATA', 'AppData\\Local', 'natter\\data'],
  state: ['.local/state', 'LOCALAPPDATA', 'AppData\\Local', 'natter\\state'],
} as const;

/** On Windows, `\\no\\drive` is relative to the current drive. */
function isAbsolute(name: string, windows: boolean): boolean {
  return windows ? /^(?:[a-z]:[\\/]|[\\/]{2})/i.test(name) : path.posix.isAbsolute(name);
}

function resolveFolder(name: keyof typeof places, facts: FolderFacts): string | undefined {
  const { environment, platform, homeDirectory } = facts;
  const windows = platform === 'win32';
  const paths = windows ? path.win32 : path.posix;
  const variable = `NATTER_${name.toUpperCase()}_DIR`;
  const chosen = environment[variable] ?? '';
  if (chosen !== '') {
    if (isAbsolute(chosen, windows)) return paths.normalize(chosen);
    // A path relative to the current directory would let any checkout supply settings.
    throw new Failure('configuration', `${variable} must be an absolute path`, {
      hint: `set ${variable} to a path that starts at ${windows ? 'a drive' : 'the root'}`,
    });
  }
  const [unixPlace, ...windowsPlace] = places[name];
  const unix = [`XDG_${name.toUpperCase()}_HOME`, unixPlace, 'natter'] as const;
  const [parent, fallback, folder] = windows ? windowsPlace : unix;
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
