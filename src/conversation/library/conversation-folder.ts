import { join } from 'node:path';
import { Failure } from '../../failure.ts';

const extension = '.jsonl';
/** Letters and digits that are neither alike nor make words: an id is never taken for a name. */
const alphabet = '23456789bcdfghjkmnpqrstvwxyz';
const idPattern = new RegExp(`^[${alphabet}]{4,32}$`);

/** A short random id of a conversation or a turn that is not taken yet. */
export function newId(
  random: () => number,
  length: number,
  isTaken: (id: string) => boolean,
): string {
  const letter = () => alphabet[Math.floor(random() * alphabet.length)];
  let id: string;
  do id = Array.from({ length }, letter).join('');
  while (isTaken(id));
  return id;
}

/** Moves the data folder. */
export const dataVariable = 'NATTER_DATA_DIR';

/** The data folder. @throws Failure `storage` where the system names no home */
export function requireDataFolder(folder: string | undefined): string {
  if (folder !== undefined) return folder;
  throw new Failure('storage', 'there are no conversations, because the home folder is unknown', {
    hint: `set HOME, or ${dataVariable} to the folder they are in`,
  });
}

/** Where conversations are, in the data folder. */
export const conversationsFolder = (dataFolder: string) => join(dataFolder, 'conversations');
export const trashFolder = (dataFolder: string) => join(dataFolder, 'trash');

/** Takes ids of {@link idFromFile} and {@link newId} alone: nothing typed becomes part of a path. */
export const conversationFile = (folder: string, id: string) => join(folder, id + extension);
export const lockFile = (folder: string, id: string) => join(folder, `${id}.lock`);

/** Undefined for a file that is no conversation's. */
export function idFromFile(name: string): string | undefined {
  if (!name.endsWith(extension)) return undefined;
  const id = name.slice(0, -extension.length);
  return idPattern.test(id) ? id : undefined;
}
