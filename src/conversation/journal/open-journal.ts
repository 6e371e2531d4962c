import { existsSync, statSync } from 'node:fs';

import { Failure } from '../../failure.ts';
import { appendFile, endsTorn, type AppendFile } from '../../storage/append-file.ts';
import { holderText, type HeldLock, type RefusedLock } from '../../storage/lock/lock.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { renameFile } from '../../storage/files.ts';
import { attributeRecords } from '../attributes.ts';
import {
  conversationFile,
  dataVariable,
  idLength,
  lockFile,
  newId,
  randomFrom,
  requireDataFolder,
  storedFile,
} from '../library/conversation-folder.ts';
import { loadConversation, type LoadedConversation } from '../library/read-conversation.ts';
import { Journal, takeLock, type JournalOptions } from './journal.ts';
import {
  headerRecord,
  JournalFold,
  journalVersion,
  recordsOf,
  type JournalRecord,
} from './records.ts';

/** A new conversation; a copy starts with the records of its original, a named one with its title. */
function newJournal(
  options: JournalOptions,
  original: Iterable<JournalRecord>,
  file: AppendFile = appendFile,
  named?: { readonly id: string; readonly lock: HeldLock | undefined },
): Journal {
  const { random, clock, version, startedIn } = options;
  const folder = options.save === false ? undefined : options.folder;
  const isTaken = (id: string) => folder !== undefined && existsSync(conversationFile(folder, id));
  const id = named?.id ?? newId(random, idLength, isTaken);
  const fold = new JournalFold(id);
  fold.apply(headerRecord({ id, createdAt: clock.date(), folder: startedIn }, version));
  for (const record of original) fold.apply(record);
  if (folder === undefined) return new Journal(options, fold, undefined);
  const [path, lockPath] = [conversationFile(folder, id), lockFile(folder, id)];
  const target = { path, lockPath, lock: named?.lock, isNew: true, isTorn: false, file };
  return new Journal(options, fold, target);
}

/** A new conversation. Never fails: see `onWarning` and `state` of {@link Journal}. */
export function createJournal(options: JournalOptions, file?: AppendFile): Journal {
  return newJournal(options, [], file);
}

/**
 * The ids of a title: of the first conversation that it started, and of the next one, because that may have been renamed
 * or deleted since.
 */
export function idsFromTitle(dataFolder: string, title: string) {
  const isTaken = (id: string) => storedFile(dataFolder, id) !== undefined;
  return {
    first: newId(randomFrom(title), idLength, () => false),
    next: newId(randomFrom(title), idLength, isTaken),
  };
}

/**
 * Starts a conversation with a title. Its id comes from the title, so that two natters that start it at the same time
 * want the same lock.
 * @param id was free when the title was looked for
 * @returns undefined if another natter has started it since then
 * @throws Failure `storage` if another natter has it open
 */
export function startTitledJournal(
  options: JournalOptions & { readonly folder: string },
  title: string,
  id: string,
): Journal | undefined {
  const lock = takeLock(lockFile(options.folder, id), options);
  if (lock?.isHeld === false) {
    throw lockedFailure(id, lock, 'wait for it, or choose a different name');
  }
  if (existsSync(conversationFile(options.folder, id))) {
    lock?.release();
    return undefined;
  }
  return newJournal(options, attributeRecords({ title }), appendFile, { id, lock });
}

/** A copy of a conversation; the original may be open elsewhere. @throws Failure `storage` */
export function branchJournal(options: JournalOptions, id: string): Journal {
  const path = conversationFile(requireDataFolder(options.folder), id);
  const { fold, warning } = loadConversation(path, id);
  if (warning !== undefined) options.onWarning(warning);
  const records = recordsOf(fold.conversation(), () => false);
  return newJournal(options, records);
}

/** The failure for a conversation that is open in another process. */
export function lockedFailure(id: string, lock: RefusedLock, hint: string): Failure {
  const time = `${lock.since.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const message = `conversation ${id} is open in another natter${holderText(lock)} since ${time}`;
  return new Failure('storage', message, { hint });
}

/** Checks a file before it is written to; renames it if no record is readable. @throws Failure `storage` */
function checkReadable(path: string, id: string, { records, version }: LoadedConversation): void {
  if (version > journalVersion) {
    throw new Failure('storage', `conversation ${id} was written by a newer natter`, {
      hint: 'update natter, or read it with ‹natter conversations show›',
    });
  }
  if (records > 0 || statSync(path).size === 0) return;
  const aside = `${path}.unreadable`;
  renameFile(path, aside);
  throw new Failure('storage', `conversation ${id} has no readable records`, {
    hint: `its file was renamed to ${aside}`,
  });
}

/**
 * Opens a conversation to continue it.
 * @returns the failure while it is open elsewhere, where it can still be branched
 * @throws Failure `storage` if its file cannot be read, has no readable record, or has a newer format
 */
export function resumeJournal(options: JournalOptions, id: string): Journal | Failure {
  const folder = requireDataFolder(options.folder);
  const [path, lockPath] = [conversationFile(folder, id), lockFile(folder, id)];
  const lock = takeLock(lockPath, options);
  if (lock?.isHeld === false) {
    const hint = `wait for it, or continue in a copy: ‹natter --resume ${id} --branch›`;
    return lockedFailure(id, lock, hint);
  }
  try {
    const loaded = loadConversation(path, id);
    checkReadable(path, id, loaded);
    if (loaded.warning !== undefined) options.onWarning(loaded.warning);
    const target = { path, lockPath, lock, isNew: false, isTorn: endsTorn(path), file: appendFile };
    if (options.save !== false) return new Journal(options, loaded.fold, target);
    lock?.release();
    return new Journal(options, loaded.fold, undefined);
  } catch (error) {
    lock?.release();
    throw error instanceof Failure ? error : storageFailure('write', path, error, dataVariable);
  }
}
