import { isAbsolute, relative, resolve } from 'node:path';
import type { FilesPort } from '../session/ports.ts';
import type { SessionCore } from '../session/session-core.ts';
import type { Effect } from '../state/effect.ts';
import { droppedPaths } from './dropped-paths.ts';

type RecognisePaths = Extract<Effect, { readonly type: 'recognise-paths' }>;

/** The mention of an existing file or folder; undefined for any other path. */
function mentionOf(files: FilesPort, path: string): string | undefined {
  const kind = files.kindOf(path);
  if (kind !== 'file' && kind !== 'folder') return undefined;
  const below = path.startsWith('~') ? '' : relative(resolve('.'), path);
  const isBelow = below !== '' && !/^\.\.(?:$|[/\\])/.test(below) && !isAbsolute(below);
  const name = (isBelow ? below : path).replace(/[/\\]$/, '') + (kind === 'folder' ? '/' : '');
  if (name.includes('"') || name.includes('\n') || name === '/') return undefined;
  return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}

/** The mentions of a text that is only paths of existing files; undefined for any other text. */
export function mentionsOfPaths(files: FilesPort, text: string): string | undefined {
  for (const paths of droppedPaths(text)) {
    const mentions = paths.map((path) => mentionOf(files, path));
    if (!mentions.includes(undefined)) return mentions.join(' ');
  }
  return undefined;
}

/** Turns a paste that is only paths of existing files into mentions. */
export function recognisePaths(core: SessionCore, { from, inserted, text }: RecognisePaths): void {
  const mentions = mentionsOfPaths(core.ports.files, text);
  if (mentions !== undefined) core.dispatch({ type: 'paths-recognised', from, inserted, mentions });
}
