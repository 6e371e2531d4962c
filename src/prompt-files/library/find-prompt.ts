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

/** Where prompt files are looked up. */
export interface PromptPlaces {
  /** The current directory, absolute. */
  readonly directory: string;
  readonly homeDirectory: string | undefined;
  /** The folder of a person's own prompts; undefined without a settings folder. It may not exist. */
  readonly own: string | undefined;
}

type PromptOrigin = 'project' | 'own';

/** A folder with prompt files. */
interface PromptFolder {
  readonly origin: PromptOrigin;
  readonly path: string;
  readonly boundary: Boundary;
}

/** A folder and those above it, up to the root of the file system. */
function foldersUpFrom(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** The nearest folder with an entry of this name. The home folder is not a project, even if it is a repository. */
function nearestWith(entry: string, start: string, home: string | undefined): string | undefined {
  const homes = home === undefined ? [] : [home, realPath(home)];
  return foldersUpFrom(start).find(
    (folder) => !homes.includes(folder) && entryAt(path.join(folder, entry)) !== undefined,
  );
}

/** The root of the repository that contains a folder. */
function repositoryOf(start: string, home: string | undefined): string | undefined {
  return nearestWith('.git', start, home);
}

const folderName = '.natter';

const promptsIn = (folder: string) => path.join(folder, folderName, 'prompts');

const projectBoundary = (root: string): Boundary => ({
  root: realPath(root),
  title: 'the project',
  followsLinks: false,
});

const ownBoundary = (folder: string): Boundary => ({
  root: folder,
  title: 'your folder of prompts',
  followsLinks: true,
});

/** The folders of the project: that of the current directory first, then those above it in the same repository. */
function projectFolders({ directory, homeDirectory }: PromptPlaces): readonly PromptFolder[] {
  const repository = repositoryOf(directory, homeDirectory);
  const above = foldersUpFrom(directory);
  const candidates = above.slice(0, repository === undefined ? 1 : above.indexOf(repository) + 1);
  return candidates
    .filter((folder) => isFolder(promptsIn(folder)))
    .map((folder) => ({
      origin: 'project',
      path: promptsIn(folder),
      boundary: projectBoundary(repository ?? folder),
    }));
}

/** All folders in the order in which a name is looked up. */
function promptFolders(places: PromptPlaces): readonly PromptFolder[] {
  const { own } = places;
  const project = projectFolders(places);
  if (own === undefined || !isFolder(own)) return project;
  return [...project, { origin: 'own', path: own, boundary: ownBoundary(own) }];
}

/** The folder for a new prompt of the project: at the root of its repository, else in the current directory. */
export function newProjectFolder({ directory, homeDirectory }: PromptPlaces): string {
  return promptsIn(repositoryOf(directory, homeDirectory) ?? directory);
}

/**
 * What a file named by its path may include: files of its project, else of the folder that contains it.
 * @param file its real path
 */
function boundaryOf(file: string, { homeDirectory }: PromptPlaces): Boundary {
  const folder = path.dirname(file);
  const project =
    repositoryOf(folder, homeDirectory) ?? nearestWith(folderName, folder, homeDirectory);
  if (project !== undefined) return projectBoundary(project);
  return { root: folder, title: 'the folder of the prompt file', followsLinks: false };
}

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
