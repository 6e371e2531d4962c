import { existsSync, statSync } from 'node:fs';

import { Failure } from '../../failure.ts';
import { appendFile, endsTorn, type AppendFile } from '../../storage/append-file.ts';
import type { RefusedLock } from '../../storage/lock/hold-lock.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import {
  conversationFile,
  conversationsFolder,
  dataVariable,
  lockFile,
  newId,
} from '../library/conversation-folder.ts';
import { headerRecord, recordsOf } from './turn-records.ts';
import type { Journal, JournalOptions } from './journal.ts';
import { fileSink, memorySink, openLazily, takeLock } from './journal-sink.ts';
import {
  loadConversation,
  lostLinesWarning,
  type LoadedConversation,
} from '../library/load-conversation.ts';
import { journalVersion, type JournalRecord } from './records.ts';
import type { JournalFold } from './fold-journal.ts';
import { emptyFold, writeConversation } from './write-conversation.ts';
import { renameFile } from '../../storage/rename-file.ts';

const idLength = 8;

/** A new conversation; `content` is the start of a copy. */
function newJournal(
  options: JournalOptions,
  content: readonly JournalRecord[],
  file: AppendFile,
): Journal {
  const { folder, random, save } = options;
  const isKept = folder !== undefined && save !== false;
  const place = isKept ? conversationsFolder(folder) : '';
  const id = newId(
    random,
    idLength,
    (candidate) => isKept && existsSync(conversationFile(place, candidate)),
  );
  const fold = emptyFold(id, options);
  for (const record of content) fold.apply(record);
  const open = new Set<string>();
  const allRecords = recordsFrom(fold, options, open);
  const path = conversationFile(place, id);
  const target = { path, lockPath: lockFile(place, id), isNew: true, isTorn: false };
  const sink = isKept
    ? openLazily(fileSink({ ...target, allRecords, file }, options), allRecords)
    : memorySink(options);
  return writeConversation({ options, id, fold, open, sink });
}

function recordsFrom(fold: JournalFold, options: JournalOptions, open: ReadonlySet<string>) {
  return () => {
    const conversation = fold.conversation();
    return [
      headerRecord(conversation.id, conversation.createdAt, options.version),
      ...recordsOf(conversation, (turnId) => open.has(turnId)),
    ];
  };
}

/** A new conversation. Never fails: see `onWarning` and `state` of {@link Journal}. */
export function createJournal(options: JournalOptions, file: AppendFile = appendFile): Journal {
  return newJournal(options, [], file);
}

/** A copy of a conversation; the original may be open elsewhere. @throws Failure `storage` */
export function branchJournal(
  options: JournalOptions & { readonly folder: string },
  id: string,
  file: AppendFile = appendFile,
): Journal {
  const path = conversationFile(conversationsFolder(options.folder), id);
  const { fold, lostLines } = loadConversation(path, id);
  warnOfLostLines(options, id, lostLines);
  return newJournal(
    options,
    recordsOf(fold.conversation(), () => false),
    file,
  );
}

function warnOfLostLines({ onWarning }: JournalOptions, id: string, lostLines: number): void {
  const warning = lostLinesWarning(id, lostLines);
  if (warning !== undefined) onWarning(warning);
}

/** A refused conversation can still be branched. */
export type ResumeResult =
  | { readonly isOpen: true; readonly journal: Journal }
  | { readonly isOpen: false; readonly refusal: Failure };

/** For a conversation that another process has open. */
export function lockedFailure(id: string, { holder, since }: RefusedLock, hint: string): Failure {
  const who = holder === undefined ? '' : ` (process ${holder.processId} on ${holder.host})`;
  const message = `conversation ${id} is open in another natter${who} since ${since.toISOString()}`;
  return new Failure('storage', message, { hint });
}

/** Checks a file before it is written to; renames one without a single record. @throws Failure `storage` */
function checkReadable(path: string, id: string, { records, version }: LoadedConversation): void {
  if (version > journalVersion) {
    throw new Failure('storage', `conversation ${id} was written by a newer natter`, {
      hint: 'update natter, or read it with natter conversations show',
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
 * @throws Failure `storage` when its file cannot be read, has no readable record, or has a newer format
 */
export function resumeJournal(
  options: JournalOptions & { readonly folder: string },
  id: string,
  file: AppendFile = appendFile,
): ResumeResult {
  const place = conversationsFolder(options.folder);
  const path = conversationFile(place, id);
  const lockPath = lockFile(place, id);
  const lock = takeLock(lockPath, options);
  if (lock?.isHeld === false) {
    const hint = `wait for it, or continue in a copy: natter --resume ${id} --branch`;
    return { isOpen: false, refusal: lockedFailure(id, lock, hint) };
  }
  try {
    const loaded = loadConversation(path, id);
    checkReadable(path, id, loaded);
    warnOfLostLines(options, id, loaded.lostLines);
    const open = new Set<string>();
    const allRecords = recordsFrom(loaded.fold, options, open);
    const isTorn = endsTorn(path);
    const target = { path, lockPath, lock, isNew: false, isTorn, allRecords, file };
    const sink = options.save === false ? memorySink(options) : fileSink(target, options);
    if (options.save === false) lock?.release();
    const journal = writeConversation({ options, id, fold: loaded.fold, open, sink });
    return { isOpen: true, journal };
  } catch (error) {
    lock?.release();
    throw error instanceof Failure ? error : storageFailure('write', path, error, dataVariable);
  }
}
