import path from 'node:path';
import type { FolderFacts } from './folders.ts';

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
