import { sep } from 'node:path';
import picomatch from 'picomatch';
import { findFiles, type FoundFiles } from './find-files.ts';

/** The files that match a pattern, such as `*.md`. @throws as {@link findFiles} */
export async function matchFiles(pattern: string, signal: AbortSignal): Promise<FoundFiles> {
  const typed = sep === '/' ? pattern : pattern.replaceAll(sep, '/');
  const plain = typed.replace(/^(?:\.\/+)+/, '');
  const { base } = picomatch.scan(plain);
  const folder = base === '' ? '.' : base;
  const rest = plain.slice(base.length);
  const hidden = /(?:^|\/)\./.test(rest);
  return findFiles(folder, { matches: picomatch(plain), hidden, signal });
}
