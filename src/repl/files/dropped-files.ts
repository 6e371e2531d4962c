import { isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Draft, moveTo, replaceRange, type TextBuffer } from '../composer/text-buffer.ts';
import type { Session } from '../session.ts';
import type { Task } from '../state.ts';
import { step, task } from '../step.ts';
import type { ReplFiles } from './user-files.ts';

// Files that are dragged onto the terminal, which pastes their paths: they become mentions.

/** A longer paste is not a list of dropped files. */
const maxLength = 10_000;

/**
 * Replaces a paste that is only paths of existing files by mentions, unless the text has changed; undo brings the paths
 * back. `inserted` is its part of the draft.
 */
export function recognisePaths(
  session: Session,
  { from, inserted, text }: Readonly<{ from: number; inserted: string; text: string }>,
): void {
  const mentions = mentionsOfPaths(session.files, text);
  if (mentions === undefined) return;
  session.update((state) => {
    const { composer } = state;
    const end = from + inserted.length;
    if (composer.text.slice(from, end) !== inserted) return step(state);
    const hasBlank = /\s/.test(composer.text.charAt(end));
    const shown = mentions + (hasBlank ? '' : ' ');
    const replaced = replaceRange(composer, from, end, shown);
    const moved = composer.cursor + shown.length - inserted.length;
    const next = composer.cursor > end ? moveTo(replaced, moved) : replaced;
    return step({ ...state, composer: next, recognised: next.text });
  });
}

/** Whether a text that is inserted at the caret may be a dropped file; never in commands and within words. */
export function mayBeDropped({ text, cursor }: Draft, inserted: string): boolean {
  const isApart = cursor === 0 || /\s/.test(text.charAt(cursor - 1));
  const isPossible = isApart && inserted.length <= maxLength && !/^[/!]/.test(text);
  return isPossible && droppedPaths(inserted).length > 0;
}

export function dropCheck(before: TextBuffer, after: TextBuffer, text: string): readonly Task[] {
  const { cursor: from } = before;
  if (!mayBeDropped(before, text)) return [];
  const inserted = after.text.slice(from, after.cursor);
  return [task(recognisePaths, { from, inserted, text })];
}

/** The mention of an existing file or folder; undefined for any other path. */
function mentionOf(files: ReplFiles, path: string): string | undefined {
  const kind = files.kindOf(path);
  if (kind !== 'file' && kind !== 'folder') return undefined;
  const below = path.startsWith('~') ? '' : relative(resolve('.'), path);
  const isBelow = below !== '' && !/^\.\.(?:$|[/\\])/.test(below) && !isAbsolute(below);
  const name = (isBelow ? below : path).replace(/[/\\]$/, '') + (kind === 'folder' ? '/' : '');
  if (name.includes('"') || name.includes('\n') || name === '/') return undefined;
  return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}

/** The mentions of a text that is only paths of existing files; undefined for any other text. */
export function mentionsOfPaths(files: ReplFiles, text: string): string | undefined {
  for (const paths of droppedPaths(text)) {
    const mentions = paths.map((path) => mentionOf(files, path));
    if (!mentions.includes(undefined)) return mentions.join(' ');
  }
  return undefined;
}

/** Not a network share of Windows: looking for one logs in to its server. */
const absolute = /^(?:\/(?!\/)|~\/|[a-z]:[\\/])/i;

const windowsPath = /^["']?[a-z]:/i;

/** A word for a shell; a backslash does not escape the quote after a Windows path. */
const shellWord = /(?:"[a-z]:[^"]*"|"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\])+/gi;

const quotedPart = /"((?:[^"\\]|\\[^])*)"|'([^']*)'|\\([^])/g;

/** The text of a word, without its quotes and escapes. */
function textOf(word: string): string {
  if (windowsPath.test(word)) return word.replaceAll(/["']/g, '');
  return word.replaceAll(quotedPart, (_part, double?: string, single?: string, escaped = '') => {
    return double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped;
  });
}

/** The words of a text as a shell reads them; undefined if a quote is open. */
function wordsOf(text: string): readonly string[] | undefined {
  const isOpen = text.replaceAll(shellWord, '').trim() !== '';
  return isOpen ? undefined : (text.match(shellWord) ?? []).map(textOf);
}

function pathOf(name: string): string | undefined {
  if (!/^file:/i.test(name)) return absolute.test(name) ? name : undefined;
  try {
    const { hostname } = new URL(name);
    return hostname === '' || hostname === 'localhost' ? fileURLToPath(name) : undefined;
  } catch {
    // Not the URL of a local file.
    return undefined;
  }
}

/**
 * The readings of a pasted text as absolute paths, the likeliest first: terminals paste dropped files as quoted or
 * escaped words, as URLs, or as they are.
 */
export function droppedPaths(text: string): readonly (readonly string[])[] {
  return [wordsOf(text) ?? [], text.trim().split(/\r?\n/)].flatMap((names) => {
    const paths = names.flatMap((name) => pathOf(name) ?? []);
    return paths.length === names.length && paths.length > 0 ? [paths] : [];
  });
}
