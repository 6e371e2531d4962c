import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { type FolderFacts, resolveFolders } from '../settings/folders.ts';
import { entryAt, isFile, isFolder } from '../storage/files.ts';
import { failureReason, storageFailure } from '../storage/storage-failure.ts';
import { failureAt, type Place, type SourceFile } from './place.ts';

/** The files that a prompt file may include and insert. */
export interface Boundary {
  /** A real path. */
  readonly root: string;
  /** The name that messages have for the folder. */
  readonly title: string;
  /** Whether a symbolic link may lead out of it, as in a person's own folder of prompts. */
  readonly followsLinks: boolean;
}

/** The real path of an existing file or folder, else the path. */
function realPath(name: string): string {
  try {
    return fs.realpathSync.native(name);
  } catch {
    return path.resolve(name);
  }
}

/** Whether a path is a folder, or below it. */
function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  const isAbove = relative === '..' || relative.startsWith(`..${path.sep}`);
  return !isAbove && !path.isAbsolute(relative);
}

/** The path as messages show it: from the current directory, if it is below. */
function shownPath(target: string): string {
  const relative = path.relative('.', target);
  return relative !== '' && isInside('.', target) ? relative : target;
}

/** @throws Failure `usage` for a prompt file that is a link to a file outside the boundary */
export function checkInside({ root, title, followsLinks }: Boundary, file: SourceFile): void {
  if (followsLinks || isInside(root, realPath(file.path))) return;
  throw new Failure('usage', `${file.name} is a link to a file outside ${title}`, {
    hint: 'copy the file instead',
  });
}

const isAbsolute = (name: string) =>
  path.isAbsolute(name) || path.win32.isAbsolute(name) || /^(?:~|[A-Za-z]:)/.test(name);

/**
 * The file of an `include` or `file` placeholder, or of the key `schema`. Its path is relative to the file that contains it.
 * @throws Failure `usage` for a path that is absolute, leads out of the boundary, or is not that of a file
 */
export function resolveReference(
  { root, title, followsLinks }: Boundary,
  { name, place }: { readonly name: string; readonly place: Place },
): SourceFile {
  const refuse = (reason: string, hint?: string) =>
    failureAt(place, `cannot use ${name}: ${reason}`, { hint });
  if (isAbsolute(name)) {
    throw refuse('the path must be relative', 'it is relative to the folder of this file');
  }
  const target = path.resolve(path.dirname(place.file.path), name);
  const outside = () => refuse(`it is outside ${title}`, `${title} is ${root}`);
  // The name is checked before the file is looked up, so that the message does not depend on what exists elsewhere.
  if (!isInside(root, target)) throw outside();
  try {
    const real = fs.realpathSync.native(target);
    if (!followsLinks && !isInside(root, real)) throw outside();
    if (!fs.statSync(real).isFile()) throw refuse('it is not a file');
    const found = followsLinks ? target : real;
    return { name: shownPath(found), path: found };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refuse(failureReason(error));
  }
}

/** The folder of a person's own prompts; undefined without a settings folder. It may not exist. */
export function ownFolder(facts: FolderFacts): string | undefined {
  const { config } = resolveFolders(facts);
  return config === undefined ? undefined : path.join(config, 'prompts');
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

const folderName = '.natter';

const promptsIn = (folder: string) => path.join(folder, folderName, 'prompts');

const projectBoundary = (root: string): Boundary => ({
  root: realPath(root),
  title: 'the project',
  followsLinks: false,
});

/**
 * All folders in the order in which a name is looked up: that of the current directory, those above it in the same
 * repository, the person's own.
 */
function promptFolders(facts: FolderFacts) {
  const { homeDirectory } = facts;
  const own = ownFolder(facts);
  const directory = path.resolve('.');
  const repository = nearestWith('.git', directory, homeDirectory);
  const above = foldersUpFrom(directory);
  const candidates = above.slice(0, repository === undefined ? 1 : above.indexOf(repository) + 1);
  const project = candidates
    .map((folder) => ({
      origin: 'project' as const,
      path: promptsIn(folder),
      boundary: projectBoundary(repository ?? folder),
    }))
    .filter((folder) => isFolder(folder.path));
  if (own === undefined || !isFolder(own)) return project;
  const boundary = { root: own, title: 'your folder of prompts', followsLinks: true };
  return [...project, { origin: 'own' as const, path: own, boundary }];
}

/** The folder for a new prompt of the project: at the root of its repository, else in the current directory. */
export function newProjectFolder({ homeDirectory }: FolderFacts): string {
  const directory = path.resolve('.');
  return promptsIn(nearestWith('.git', directory, homeDirectory) ?? directory);
}

/**
 * What a file named by its path may include: files of its project, else of the folder that contains it.
 * @param file its real path
 */
function boundaryOf(file: string, { homeDirectory }: FolderFacts): Boundary {
  const folder = path.dirname(file);
  const project =
    nearestWith('.git', folder, homeDirectory) ?? nearestWith(folderName, folder, homeDirectory);
  if (project !== undefined) return projectBoundary(project);
  return { root: folder, title: 'the folder of the prompt file', followsLinks: false };
}

/** A prompt file on disk. */
export interface FoundPrompt {
  /** The name that is typed after `natter run`. */
  readonly name: string;
  /** `path` for a file that was named by its path. */
  readonly origin: 'project' | 'own' | 'path';
  readonly file: SourceFile;
  readonly boundary: Boundary;
}

const extensions = ['.md', '.yaml', '.yml'];
const patternFile = 'system.md';

/** The file of a name in a folder: `name.md`, `name.yaml`, or `name/system.md` of a fabric pattern. */
function fileOf(folder: string, name: string): string | undefined {
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

type Folder = ReturnType<typeof promptFolders>[number];

function foundIn({ origin, boundary }: Folder, name: string, file: string): FoundPrompt {
  const target = boundary.followsLinks ? file : realPath(file);
  return { name, origin, boundary, file: { name: shownPath(file), path: target } };
}

/** The prompt file with this path, or the pattern in the folder with this path. */
function findPath(facts: FolderFacts, word: string): FoundPrompt | undefined {
  let file = path.resolve(word);
  if (isFolder(file)) file = path.join(file, patternFile);
  // A pipe, such as <(command), is not a regular file.
  if (entryAt(file) === undefined) return undefined;
  const folder = promptFolders(facts).find((one) => isInside(one.path, file));
  if (folder !== undefined) return foundIn(folder, word, file);
  // A person names the file, so a link to it is followed; its project is that of the file.
  const real = realPath(file);
  const boundary = boundaryOf(real, facts);
  return { name: word, origin: 'path', boundary, file: { name: word, path: real } };
}

const mostDepth = 4;

/** @throws Failure `storage` for a folder that cannot be read */
function namesBelow(folder: string, prefix: string, depth: number): readonly string[] {
  const here = path.join(folder, prefix);
  let entries: readonly fs.Dirent[];
  try {
    entries = fs.readdirSync(here, { withFileTypes: true });
  } catch (error) {
    throw storageFailure('read', here, error);
  }
  return entries.flatMap((entry) => {
    const place = path.join(prefix, entry.name);
    // Fragments have an underscore.
    if (/^[._]/.test(entry.name)) return [];
    if (isFile(path.join(folder, place, patternFile))) return [place];
    if (entry.isDirectory()) return depth < mostDepth ? namesBelow(folder, place, depth + 1) : [];
    const extension = extensions.find((one) => place.endsWith(one));
    return extension === undefined ? [] : [place.slice(0, -extension.length)];
  });
}

/** The prompt files in a folder, sorted by their names. @throws Failure `storage` if it cannot be read */
export function filesIn(folder: string) {
  const names = namesBelow(folder, '', 1).map((name) => name.split(path.sep).join('/'));
  return [...new Set(names)].sort().flatMap((name) => {
    const file = fileOf(folder, name);
    return file === undefined ? [] : [{ name, file }];
  });
}

/** All prompts that a name can find: those of the project first. */
export function listPrompts(facts: FolderFacts): readonly FoundPrompt[] {
  const found = new Map<string, FoundPrompt>();
  for (const folder of promptFolders(facts)) {
    for (const { name, file } of filesIn(folder.path)) {
      if (!found.has(name)) found.set(name, foundIn(folder, name, file));
    }
  }
  return [...found.values()];
}

/** The prompt file with this path, else with this name in the project, else in the person's own folder. */
export function lookUpPrompt(facts: FolderFacts, word: string): FoundPrompt | undefined {
  const atPath = mayBePath(word) ? findPath(facts, word) : undefined;
  if (atPath !== undefined || !isPromptName(word)) return atPath;
  for (const folder of promptFolders(facts)) {
    const file = fileOf(folder.path, word);
    if (file !== undefined) return foundIn(folder, word, file);
  }
  return undefined;
}

/**
 * Looks up a prompt file that has to exist.
 * @param hint of the failure, instead of that for the list
 * @throws Failure `not_found`
 */
export function findPrompt(facts: FolderFacts, word: string, hint?: string): FoundPrompt {
  const found = lookUpPrompt(facts, word);
  if (found !== undefined) return found;
  const near = nearlyNamed(
    word,
    listPrompts(facts).map(({ name }) => name),
  );
  const create = isPromptName(word) ? `; ‹natter prompts edit ${word}› creates it` : '';
  const list = hint ?? `‹natter prompts› lists prompt files${create}`;
  throw new Failure('not_found', `there is no prompt file "${word}"`, {
    hint: near === undefined ? list : `did you mean ${near}? ${list}`,
  });
}
