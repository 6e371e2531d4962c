import path from 'node:path';
import { Failure } from '../../failure.ts';
import type { SourceFile } from '../place.ts';
import { entryAt, isFile } from './boundary.ts';
import { fileOf, namesIn } from './find-prompt.ts';

/** A file to import, and the name of its prompt. */
export interface ImportSource {
  readonly name: string;
  readonly file: SourceFile;
}

const withoutExtension = (name: string) => name.replace(/\.(?:prompt\.)?[^.]+$/, '');

/** The name of a single file; a fabric pattern has that of its folder. */
function nameOfFile(file: string): string {
  const base = path.basename(file);
  const isPattern = base.toLowerCase() === 'system.md';
  return isPattern ? path.basename(path.dirname(file)) : withoutExtension(base);
}

/**
 * The prompt files of a path: a file, a fabric pattern, or all that a folder contains.
 * @param shown the path as typed
 * @throws Failure `not_found` for a path that does not exist, or a folder without prompt files
 */
export function findSources(target: string, shown: string): readonly ImportSource[] {
  const entry = entryAt(target);
  if (entry === undefined)
    throw new Failure('not_found', `there is no file or folder ${shown}`, {
      hint: 'name a prompt file, or a folder of them: natter prompts import --help',
    });
  if (!entry.isDirectory()) {
    return [{ name: nameOfFile(target), file: { name: shown, path: target } }];
  }
  const pattern = path.join(target, 'system.md');
  if (isFile(pattern)) {
    const file = { name: path.join(shown, 'system.md'), path: pattern };
    return [{ name: nameOfFile(pattern), file }];
  }
  const found = namesIn(target).flatMap((name) => {
    const file = fileOf(target, name);
    const relative = file === undefined ? '' : path.relative(target, file);
    return file === undefined
      ? []
      : [{ name, file: { name: path.join(shown, relative), path: file } }];
  });
  if (found.length > 0) return found;
  throw new Failure('not_found', `${shown} contains no prompt files`, {
    hint: 'prompt files are .md and .yaml files, and folders with system.md',
  });
}
