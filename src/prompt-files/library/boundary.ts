import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { failureAt, type SourceFile } from '../place.ts';
import type { Placeholder } from '../template.ts';

/** The files that a prompt file may include and insert. */
export interface Boundary {
  /** A real path. */
  readonly root: string;
  /** As messages call the folder. */
  readonly title: string;
  /** Whether a symbolic link may lead out of it, as in a person's own folder of prompts. */
  readonly followsLinks: boolean;
}

/** The real path of an existing file or folder, else the path. */
export function realPath(name: string): string {
  try {
    return fs.realpathSync.native(name);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return path.resolve(name);
  }
}

/** What a path leads to; undefined if that is nothing, or cannot be looked up. */
export function entryAt(name: string): fs.Stats | undefined {
  try {
    return fs.statSync(name, { throwIfNoEntry: false });
  } catch (error) {
    // A file where a folder is expected, or a folder that may not be entered.
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

export const isFile = (name: string): boolean => entryAt(name)?.isFile() === true;

export const isFolder = (name: string): boolean => entryAt(name)?.isDirectory() === true;

/** Whether a path is a folder, or below it. Both must be absolute. */
export function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  const isAbove = relative === '..' || relative.startsWith(`..${path.sep}`);
  return !isAbove && !path.isAbsolute(relative);
}

/** As messages show a path: from the current directory, if it is below. */
export function shownPath(target: string, directory: string): string {
  const relative = path.relative(directory, target);
  return relative !== '' && isInside(directory, target) ? relative : target;
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

/** A path in a prompt file. */
type Reference = Pick<Placeholder, 'name' | 'place'> & {
  readonly kind: Placeholder['kind'] | 'schema';
};

const verbOf = (kind: Reference['kind']) =>
  kind === 'include' ? 'include' : kind === 'schema' ? 'read' : 'insert';

/**
 * The file of an `include` or `file` placeholder, or of the key `schema`. Its path is relative to the file that contains it.
 * @throws Failure `usage` for a path that is absolute, leads out of the boundary, or is not that of a file
 */
export function resolveReference(
  { root, title, followsLinks }: Boundary,
  { kind, name, place }: Reference,
  directory: string,
): SourceFile {
  const refuse = (reason: string, hint?: string) =>
    failureAt(place, `cannot ${verbOf(kind)} ${name}: ${reason}`, {
      ...(hint !== undefined && { hint }),
    });
  if (isAbsolute(name)) {
    throw refuse('the path must be relative', 'it is relative to the folder of this file');
  }
  const target = path.resolve(path.dirname(place.file.path), name);
  const outside = () => refuse(`it is outside ${title}`, `${title} is ${root}`);
  // Before the file is looked up, so that the message does not depend on what exists elsewhere.
  if (!isInside(root, target)) throw outside();
  try {
    const real = fs.realpathSync.native(target);
    if (!followsLinks && !isInside(root, real)) throw outside();
    if (!fs.statSync(real).isFile()) throw refuse('it is not a file');
    const found = followsLinks ? target : real;
    return { name: shownPath(found, directory), path: found };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refuse(failureReason(error));
  }
}
