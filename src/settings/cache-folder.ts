import path from 'node:path';
import type { FolderFacts } from './folders.ts';

/**
 * The folder of natter's compiled code: in that of Node's own variable, else in the user's cache folder.
 * `bin/compile-cache.cjs` decides the same before the bundle is loaded, with `HOME` as the only home.
 */
export function resolveCacheFolder({ environment, platform }: FolderFacts): string | undefined {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const { NODE_COMPILE_CACHE: own, HOME: home = '' } = environment;
  const parents = [own, environment[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME']];
  const parent = parents.find((name) => name !== undefined && paths.isAbsolute(name));
  if (parent !== undefined) return paths.join(parent, 'natter');
  return paths.isAbsolute(home) ? paths.join(home, '.cache', 'natter') : undefined;
}
