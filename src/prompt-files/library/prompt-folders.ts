import path from 'node:path';
import { type Boundary, entryAt, isFolder, realPath } from './boundary.ts';

/** Where prompt files are looked up. */
export interface PromptPlaces {
  /** The current directory, absolute. */
  readonly directory: string;
  readonly homeDirectory: string | undefined;
  /** The folder of a person's own prompts; undefined without a settings folder. It may not exist. */
  readonly own: string | undefined;
}

export type PromptOrigin = 'project' | 'own';

/** A folder with prompt files. */
export interface PromptFolder {
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
export function promptFolders(places: PromptPlaces): readonly PromptFolder[] {
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
export function boundaryOf(file: string, { homeDirectory }: PromptPlaces): Boundary {
  const folder = path.dirname(file);
  const project =
    repositoryOf(folder, homeDirectory) ?? nearestWith(folderName, folder, homeDirectory);
  if (project !== undefined) return projectBoundary(project);
  return { root: folder, title: 'the folder of the prompt file', followsLinks: false };
}
