import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';

const extension = '.jsonl';
/** No vowels, so that an id is never a word or a name such as `latest`; no lookalikes. */
const alphabet = '23456789bcdfghjkmnpqrstvwxyz';
const idPattern = new RegExp(`^[${alphabet}]{4,32}$`);

/** Letters of the id of a conversation. */
export const idLength = 8;

/** A short random id, for a conversation or a turn. */
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

/** Returns the same sequence of numbers for the same name, ignoring case; ids that come from a name use it instead of `random`. */
export function randomFrom(name: string): () => number {
  let part = -1;
  let bytes: number[] = [];
  return () => {
    if (bytes.length === 0) {
      part += 1;
      bytes = [...createHash('sha256').update(`${part} ${name.toLowerCase()}`).digest()];
    }
    return (bytes.shift() ?? 0) / 256;
  };
}

/** Environment variable with the data folder. */
export const dataVariable = 'NATTER_DATA_DIR';

/** The data folder. @throws Failure `storage` if the home folder is unknown */
export function requireDataFolder(folder: string | undefined): string {
  if (folder !== undefined) return folder;
  throw new Failure('storage', 'there are no conversations, because the home folder is unknown', {
    hint: `set HOME, or ${dataVariable} to the folder they are in`,
  });
}

/** `trash`: the deleted conversations. */
export type LibrarySection = 'conversations' | 'trash';

export const sectionFolder = (dataFolder: string, section: LibrarySection = 'conversations') =>
  join(dataFolder, section);

/** Only for ids from {@link idFromFile} and {@link newId}: typed text never becomes part of a path. */
export const conversationFile = (dataFolder: string, id: string, section?: LibrarySection) =>
  join(sectionFolder(dataFolder, section), id + extension);

/** The lock of a conversation, also of a deleted one. */
export const lockFile = (dataFolder: string, id: string) =>
  join(sectionFolder(dataFolder), `${id}.lock`);

/** Finds the file of a conversation, also of a deleted one. */
export function storedFile(dataFolder: string, id: string): string | undefined {
  const files = [conversationFile(dataFolder, id), conversationFile(dataFolder, id, 'trash')];
  return files.find((path) => existsSync(path));
}

/** Undefined for a file that is not a conversation's. */
export function idFromFile(name: string): string | undefined {
  if (!name.endsWith(extension)) return undefined;
  const id = name.slice(0, -extension.length);
  return idPattern.test(id) ? id : undefined;
}
