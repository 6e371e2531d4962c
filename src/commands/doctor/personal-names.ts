import type { FolderFacts } from '../../settings/folders.ts';

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** `/home/alice`, `/Users/alice`, `C:\Users\alice` of any user. */
const homes = /((?:^|[^\w.~-])(?:\/home|\/Users|[a-z]:[\\/]Users)[\\/])[^\\/\s:"']+/gi;

const nameVariables = ['USER', 'LOGNAME', 'USERNAME'];
/** A shorter name, such as `me`, is an ordinary word of paths. */
const minNameLength = 3;

/** Replaces the home folder by `~`, and names of users in paths by `…`, so that a page can be published. */
export function createNameFilter({
  environment,
  homeDirectory,
}: Pick<FolderFacts, 'environment' | 'homeDirectory'>): (text: string) => string {
  const home = homeDirectory?.replace(/[\\/]+$/, '') ?? '';
  const ownHome = home === '' ? undefined : new RegExp(`${escaped(home)}(?![\\w.-])`, 'g');
  const names = nameVariables
    .map((variable) => environment[variable] ?? '')
    .filter((name) => name.length >= minNameLength && name !== 'root');
  const inPaths = names.map((name) => new RegExp(`([\\\\/])${escaped(name)}(?![\\w.-])`, 'gi'));
  return (text) => {
    const short = ownHome === undefined ? text : text.replaceAll(ownHome, '~');
    const others = short.replaceAll(homes, '$1…');
    return inPaths.reduce((rest, pattern) => rest.replaceAll(pattern, '$1…'), others);
  };
}
