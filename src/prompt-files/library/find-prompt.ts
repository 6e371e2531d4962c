import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import type { SourceFile } from '../place.ts';
import {
  type Boundary,
  entryAt,
  isFile,
  isFolder,
  isInside,
  realPath,
  shownPath,
} from './boundary.ts';
import {
  boundaryOf,
  promptFolders,
  type PromptFolder,
  type PromptOrigin,
  type PromptPlaces,
} from './prompt-folders.ts';

/** A prompt file on disk. */
export interface FoundPrompt {
  /** As it is typed after `natter run`. */
  readonly name: string;
  /** `path` for a file that was named by its path. */
  readonly origin: PromptOrigin | 'path';
  readonly file: SourceFile;
  readonly boundary: Boundary;
}

const extensions = ['.md', '.yaml', '.yml'];
const patternFile = 'system.md';

/** The file of a name in a folder: `name.md`, `name.yaml`, or `name/system.md` of a fabric pattern. */
export function fileOf(folder: string, name: string): string | undefined {
  const base = path.join(folder, ...name.split('/'));
  const candidates = [
    ...extensions.map((extension) => base + extension),
    path.join(base, patternFile),
  ];
  const named = extensions.some((extension) => name.endsWith(extension)) ? [base] : [];
  return [...candidates, ...named].find(isFile);
}

/** A name of a prompt: parts with slashes, of which none is hidden or leads upwards. */
export const isPromptName = (word: string) =>
  word.split('/').every((part) => part !== '' && !/^\.|[\\:\0]/.test(part));

/** A word with a separator or the extension of a prompt file may be a path. */
function mayBePath(word: string): boolean {
  const hasExtension = /\.(?:md|markdown|txt|prompt|ya?ml)$/i.test(word);
  return hasExtension || word.includes('/') || word.includes(path.sep) || word.startsWith('.');
}

function foundIn(folder: PromptFolder, name: string, file: string, directory: string): FoundPrompt {
  const { origin, boundary } = folder;
  const target = boundary.followsLinks ? file : realPath(file);
  return { name, origin, boundary, file: { name: shownPath(file, directory), path: target } };
}

/** The prompt file with this path, or the pattern in the folder with this path. */
function findPath(places: PromptPlaces, word: string): FoundPrompt | undefined {
  let file = path.resolve(places.directory, word);
  if (isFolder(file)) file = path.join(file, patternFile);
  // A pipe, such as <(command), is not a regular file.
  if (entryAt(file) === undefined) return undefined;
  const folder = promptFolders(places).find((one) => isInside(one.path, file));
  if (folder !== undefined) return foundIn(folder, word, file, places.directory);
  // A person names the file, so a link to it is followed; its project is that of the file.
  const real = realPath(file);
  const boundary = boundaryOf(real, places);
  return { name: word, origin: 'path', boundary, file: { name: word, path: real } };
}

const mostDepth = 4;

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw storageFailure('read', folder, error);
  }
}

function namesBelow(folder: string, prefix: string, depth: number): readonly string[] {
  const entries = entriesOf(path.join(folder, prefix));
  return entries.flatMap((entry) => {
    const { name } = entry;
    // Fragments have an underscore.
    if (/^[._]/.test(name)) return [];
    const place = path.join(prefix, name);
    if (isFile(path.join(folder, place, patternFile))) return [place];
    if (entry.isDirectory()) return depth < mostDepth ? namesBelow(folder, place, depth + 1) : [];
    const extension = extensions.find((one) => name.endsWith(one));
    return extension === undefined ? [] : [place.slice(0, -extension.length)];
  });
}

/** The names of the prompts in a folder, sorted. @throws Failure `storage` if it cannot be read */
export function namesIn(folder: string): readonly string[] {
  const names = namesBelow(folder, '', 1).map((name) => name.split(path.sep).join('/'));
  return [...new Set(names)].sort();
}

function promptsOf(folder: PromptFolder, directory: string): readonly FoundPrompt[] {
  return namesIn(folder.path).flatMap((name) => {
    const file = fileOf(folder.path, name);
    return file === undefined ? [] : [foundIn(folder, name, file, directory)];
  });
}

/** All prompts that a name can find: those of the project first. */
export function listPrompts(places: PromptPlaces): readonly FoundPrompt[] {
  const seen = new Set<string>();
  return promptFolders(places)
    .flatMap((folder) => promptsOf(folder, places.directory))
    .filter(({ name }) => {
      const isNew = !seen.has(name);
      seen.add(name);
      return isNew;
    });
}

function notFound(places: PromptPlaces, word: string, hint: string | undefined): Failure {
  const near = nearlyNamed(
    word,
    listPrompts(places).map(({ name }) => name),
  );
  const list = 'natter prompts lists prompt files';
  return new Failure('not_found', `there is no prompt file "${word}"`, {
    hint: near === undefined ? (hint ?? list) : `did you mean ${near}? ${hint ?? list}`,
  });
}

/**
 * The prompt file with this path, else with this name in the project, else in the person's own folder.
 * @param hint of the failure, instead of that for the list
 * @throws Failure `not_found`
 */
export function findPrompt(places: PromptPlaces, word: string, hint?: string): FoundPrompt {
  const atPath = mayBePath(word) ? findPath(places, word) : undefined;
  if (atPath !== undefined) return atPath;
  if (isPromptName(word)) {
    for (const folder of promptFolders(places)) {
      const file = fileOf(folder.path, word);
      if (file !== undefined) return foundIn(folder, word, file, places.directory);
    }
  }
  throw notFound(places, word, hint);
}
