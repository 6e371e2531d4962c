import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { Failure } from '../../failure.ts';
import { appendFile, endsTorn } from '../../storage/append-file.ts';
import { holdLock } from '../../storage/lock/hold-lock.ts';
import { makePrivateFolder } from '../../storage/private-folder.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import {
  conversationFile,
  conversationsFolder,
  dataVariable,
  idFromFile,
  lockFile,
  trashFolder,
} from './conversation-folder.ts';
import type { JournalOptions } from '../journal/journal.ts';
import { heldFailure } from '../journal/open-journal.ts';
import { formatRecord } from '../journal/records.ts';
import { renameFile } from '../../storage/rename-file.ts';

/** A conversation as a folder lists it. */
export interface LibraryEntry {
  readonly id: string;
  readonly path: string;
  /** When it last changed. */
  readonly changedAt: Date;
  /** Bytes. */
  readonly size: number;
}

/** Where a library keeps conversations: what is open to all commands, and what was deleted. */
export type Shelf = 'conversations' | 'trash';

const folderOf = (dataFolder: string, shelf: Shelf) =>
  shelf === 'trash' ? trashFolder(dataFolder) : conversationsFolder(dataFolder);

function entryOf(folder: string, name: string): LibraryEntry | undefined {
  const id = idFromFile(name);
  if (id === undefined) return undefined;
  const path = join(folder, name);
  const facts = statSync(path, { throwIfNoEntry: false });
  // An empty file is what a full disk made of a conversation, or one that begins just now.
  if (facts?.isFile() !== true || facts.size === 0) return undefined;
  return { id, path, changedAt: facts.mtime, size: facts.size };
}

/** The conversations of a shelf, the one changed last first. @throws Failure `storage` */
export function listEntries(
  dataFolder: string,
  shelf: Shelf = 'conversations',
): readonly LibraryEntry[] {
  const folder = folderOf(dataFolder, shelf);
  try {
    return readdirSync(folder)
      .map((name) => entryOf(folder, name))
      .filter((entry) => entry !== undefined)
      .sort((one, other) => other.changedAt.getTime() - one.changedAt.getTime());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', folder, error, dataVariable);
  }
}

function move(from: string, folder: string, id: string): void {
  const to = conversationFile(folder, id);
  try {
    makePrivateFolder(folder);
    if (existsSync(to)) throw Object.assign(new Error('it is there'), { code: 'EEXIST' });
    renameFile(from, to);
  } catch (error) {
    throw storageFailure('write', to, error, dataVariable);
  }
}

/**
 * Moves a conversation to the trash, where nothing expires.
 * @throws Failure `storage`, also while another natter has it open
 */
export function deleteConversation(
  dataFolder: string,
  { id, path }: LibraryEntry,
  options: Pick<JournalOptions, 'process' | 'clock'>,
): void {
  const lockPath = lockFile(conversationsFolder(dataFolder), id);
  let lock: ReturnType<typeof holdLock>;
  try {
    lock = holdLock(lockPath, options);
  } catch (error) {
    throw storageFailure('write', lockPath, error, dataVariable);
  }
  if (!lock.isHeld) throw heldFailure(id, lock, 'close it there, then delete it');
  try {
    move(path, trashFolder(dataFolder), id);
  } finally {
    lock.release();
  }
}

/** Puts a conversation back from the trash. @throws Failure `storage` */
export function undeleteConversation(dataFolder: string, { id, path }: LibraryEntry): void {
  move(path, conversationsFolder(dataFolder), id);
}

/**
 * Gives a conversation a title, even one that is open elsewhere: one appended line disturbs nobody.
 * @throws Failure `storage`
 */
export function renameConversation({ path }: LibraryEntry, title: string): void {
  const line = formatRecord({ type: 'title', title });
  try {
    const bytes = Buffer.from(endsTorn(path) ? `\n${line}` : line);
    if (appendFile.append(path, bytes) === bytes.length) return;
  } catch (error) {
    throw storageFailure('write', path, error, dataVariable);
  }
  throw new Failure('storage', `cannot write ${path}: the disk is full`);
}
