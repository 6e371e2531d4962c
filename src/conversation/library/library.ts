import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import {
  isFolder,
  makePrivateFolder,
  removeFile,
  renameFile,
  replaceContent,
} from '../../storage/files.ts';
import { holdLock, isHeldElsewhere, type LockOptions } from '../../storage/lock.ts';
import { appendLine } from '../../storage/append-file.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { lockedFailure } from '../journal/journal.ts';
import { headerRecord, maskRecord, recordsOf } from '../journal/records.ts';
import { titleOf, type Conversation } from '../tree.ts';
import {
  conversationFile,
  dataVariable,
  idFromFile,
  idLength,
  lockFile,
  newId,
  randomFrom,
  sectionFolder,
  storedFile,
  type LibrarySection,
} from './conversation-folder.ts';
import { attributeRecords } from '../attributes.ts';
import { startFolder, summarize } from './read-conversation.ts';

export type LibraryEntry = ReturnType<typeof listEntries>[number];

export type ListedConversation = LibraryEntry & ReturnType<typeof summarize>;

/** Sorted by the last change, newest first. @throws Failure `storage` */
export function listEntries(dataFolder: string, section?: LibrarySection) {
  const folder = sectionFolder(dataFolder, section);
  try {
    const entries = readdirSync(folder).flatMap((name) => {
      const [id, path] = [idFromFile(name), join(folder, name)];
      const facts = id === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
      // A full disk leaves empty files; a conversation that is being created is empty for a moment.
      if (id === undefined || facts?.isFile() !== true || facts.size === 0) return [];
      return [{ id, path, changedAt: facts.mtime, size: facts.size }];
    });
    return entries.toSorted((one, other) => other.changedAt.getTime() - one.changedAt.getTime());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', folder, error, dataVariable);
  }
}

/** Files that are read before signals and keys are handled. */
const readsAtOnce = 50;

/** Reads what a list shows, one file at a time. Leaves out what cannot be read; `onProblem` gets the reason. */
export function* readListed(
  entries: readonly LibraryEntry[],
  onProblem: (message: string) => void = () => undefined,
): Generator<ListedConversation, void> {
  for (const entry of entries) {
    try {
      const summary = summarize(entry.path);
      if (summary.records > 0) yield { ...entry, ...summary };
      else onProblem(`${entry.path} has no readable records`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      onProblem(error.message);
    }
  }
}

/** All conversations of a section: pinned ones first, and the newest first in both groups. @throws Failure `storage` */
export async function listConversations(
  dataFolder: string,
  section?: LibrarySection,
  onProblem?: (message: string) => void,
): Promise<readonly ListedConversation[]> {
  const listed: ListedConversation[] = [];
  for (const conversation of readListed(listEntries(dataFolder, section), onProblem)) {
    listed.push(conversation);
    if (listed.length % readsAtOnce === 0) await nextTurn();
  }
  return listed.sort((one, other) => other.marks.length - one.marks.length);
}

function move(from: string, to: string): void {
  try {
    makePrivateFolder(dirname(to));
    if (existsSync(to)) throw Object.assign(new Error('it exists'), { code: 'EEXIST' });
    renameFile(from, to);
  } catch (error) {
    throw storageFailure('write', to, error, dataVariable);
  }
}

/** @throws Failure `storage` if the folder of the lock cannot be written */
function lockOf(dataFolder: string, id: string, options: LockOptions) {
  const lockPath = lockFile(dataFolder, id);
  try {
    return holdLock(lockPath, options);
  } catch (error) {
    throw storageFailure('write', lockPath, error, dataVariable);
  }
}

/**
 * Moves a conversation to the trash.
 * @throws Failure `storage`, also while it is open in another natter
 */
export function deleteConversation(
  dataFolder: string,
  { id, path }: LibraryEntry,
  options: LockOptions,
): void {
  const lock = lockOf(dataFolder, id, options);
  if (!lock.isHeld) throw lockedFailure(id, lock, 'close it there, then delete it');
  try {
    move(path, conversationFile(dataFolder, id, 'trash'));
  } finally {
    lock.release();
  }
}

/** Moves a conversation back from the trash. @throws Failure `storage` */
export function undeleteConversation(dataFolder: string, { id, path }: LibraryEntry): void {
  move(path, conversationFile(dataFolder, id));
}

/**
 * The conversations, deleted ones too, that last changed before a time, oldest first: without those that are pinned, open
 * or not readable. @throws Failure `storage`
 */
export function findOld(
  dataFolder: string,
  before: Date,
  { process }: LockOptions,
): readonly ListedConversation[] {
  const sections = ['conversations', 'trash'] as const;
  const old = sections
    .flatMap((section) => listEntries(dataFolder, section))
    .filter(({ changedAt }) => changedAt < before)
    .sort((one, other) => one.changedAt.getTime() - other.changedAt.getTime());
  const isOpen = (id: string) => isHeldElsewhere(lockFile(dataFolder, id), process);
  return [...readListed(old)].filter(({ id, marks }) => !marks.includes('pinned') && !isOpen(id));
}

/**
 * Removes the file of a conversation, unless it changed since it was listed, or is open.
 * @returns whether it is removed @throws Failure `storage`
 */
export function removeForGood(
  dataFolder: string,
  { id, path, changedAt }: LibraryEntry,
  options: LockOptions,
): boolean {
  const lock = lockOf(dataFolder, id, options);
  if (!lock.isHeld) return false;
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts?.mtime.getTime() !== changedAt.getTime()) return false;
    removeFile(path);
    return true;
  } catch (error) {
    throw storageFailure('write', path, error, dataVariable);
  } finally {
    lock.release();
  }
}

/**
 * An id for an imported conversation; undefined if the conversation is there already, also in the trash. natter's keep
 * their id, unless a different one has it.
 */
function freeId(
  dataFolder: string,
  { id, createdAt }: Conversation,
  origin: string,
): string | undefined {
  const ownId = idFromFile(`${id}.jsonl`);
  if (ownId !== undefined) {
    const path = storedFile(dataFolder, ownId);
    if (path === undefined) return ownId;
    if (summarize(path).createdAt.getTime() === createdAt.getTime()) return undefined;
  }
  const derived = newId(randomFrom(origin), idLength, () => false);
  return storedFile(dataFolder, derived) === undefined ? derived : undefined;
}

/**
 * Writes an imported conversation, which last changed with its last turn. It is there whole or not at all.
 * @returns why it was not added, or the conversation @throws Failure `storage`
 */
export function addConversation(
  dataFolder: string,
  imported: Conversation,
  writing: {
    readonly origin: string;
    readonly version: string;
    readonly mask: (text: string) => string;
    readonly processId: number;
    readonly now: Date;
  },
): 'already there' | 'without a prompt' | { id: string; title: string; changedAt: Date } {
  const { origin, version, mask, processId, now } = writing;
  const turns = [...imported.turns.values()];
  if (turns.every(({ role }) => role !== 'user')) return 'without a prompt';
  const id = freeId(dataFolder, imported, origin);
  if (id === undefined) return 'already there';
  const conversation = { ...imported, id };
  const records = [headerRecord(conversation, version), ...recordsOf(conversation)];
  const lines = records.map((record) => `${JSON.stringify(maskRecord(record, mask))}\n`);
  const last = turns.reduce((time, turn) => Math.max(time, turn.createdAt.getTime()), 0);
  const changedAt = last > 0 && last < now.getTime() ? new Date(last) : now;
  const path = conversationFile(dataFolder, id);
  const temporary = `${path}.${processId}.new`;
  try {
    makePrivateFolder(dirname(path));
    replaceContent(path, lines.join(''), 0o600, temporary);
    utimesSync(path, changedAt, changedAt);
  } catch (error) {
    removeFile(temporary);
    throw storageFailure('write', path, error, dataVariable);
  }
  return { id, title: mask(titleOf(conversation)), changedAt };
}

/**
 * Appends a title, even while the conversation is open elsewhere: one append does not disturb other writers.
 * @throws Failure `storage`
 */
export function renameConversation({ path }: LibraryEntry, title: string): void {
  const [record] = attributeRecords({ title });
  appendLine(path, JSON.stringify(record), dataVariable);
}

/** The conversation that changed last; cannot be an id, because ids have no vowels. */
const latestName = 'latest';

/** Ids in a hint. */
const maxCandidates = 5;

function ambiguous(name: string, found: readonly LibraryEntry[]): Failure {
  const shown = found.slice(0, maxCandidates).map(({ id }) => id);
  if (found.length > maxCandidates) shown.push('…');
  return new Failure('usage', `"${name}" matches ${found.length} conversations`, {
    hint: `type more of the id: ${shown.join(', ')}`,
  });
}

function unknown(dataFolder: string, name: string, section: LibrarySection): Failure {
  const id = idFromFile(`${name}.jsonl`);
  const path = id && conversationFile(dataFolder, id, section);
  if (path !== undefined && isFolder(path)) {
    return new Failure('storage', `${path} is a folder, not the file of a conversation`);
  }
  const isInTrash = section === 'trash';
  const where = isInTrash ? ' in the trash' : '';
  return new Failure('not_found', `there is no conversation "${name}"${where}`, {
    remedy: { code: 'list-conversations', name, isInTrash },
  });
}

/** The conversations with this title, ignoring case. */
const titled = (listed: readonly ListedConversation[], name: string) =>
  listed.filter(({ title }) => title.toLowerCase() === name.trim().toLowerCase());

/**
 * `name`: `latest`, an id or its start, or a title or its start, ignoring case.
 * @returns at least one entry
 * @throws Failure `not_found`
 */
export function conversationsNamed(
  dataFolder: string,
  name: string,
  section: LibrarySection = 'conversations',
): readonly [LibraryEntry, ...LibraryEntry[]] {
  const entries = listEntries(dataFolder, section);
  if (name === latestName) {
    const [newest] = entries;
    if (newest !== undefined) return [newest];
    if (section === 'trash') throw new Failure('not_found', 'the trash is empty');
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'natter "why is the sky blue?" starts one',
    });
  }
  if (name.trim() === '') throw unknown(dataFolder, name, section);
  const byId = entries.filter(({ id }) => id.startsWith(name));
  const listed = byId.length > 0 ? [] : [...readListed(entries)];
  const exact = titled(listed, name);
  const start = name.trim().toLowerCase();
  const byStart = listed.filter(({ title }) => title.toLowerCase().startsWith(start));
  const [first, ...others] = [byId, exact, byStart].find(({ length }) => length > 0) ?? [];
  if (first === undefined) throw unknown(dataFolder, name, section);
  return [first, ...others];
}

/**
 * The only conversation of that name; see `conversationsNamed`.
 * @throws Failure `not_found`; `usage` if several match
 */
export function findConversation(
  dataFolder: string,
  name: string,
  section: LibrarySection = 'conversations',
): LibraryEntry {
  const found = conversationsNamed(dataFolder, name, section);
  if (found.length === 1) return found[0];
  throw ambiguous(name, found);
}

/**
 * The only conversation with exactly this title, ignoring case, or with this id. If there is none, a free id that comes
 * from the title, so that two natters that start it at the same time want the same lock.
 * @throws Failure `usage` if several have the title
 */
export function findTitled(dataFolder: string, title: string): LibraryEntry | string {
  const usualId = newId(randomFrom(title), idLength, () => false);
  // A different one if the usual one was renamed or deleted. Chosen before the search: the next natter may start it now.
  const isTaken = (id: string) => storedFile(dataFolder, id) !== undefined;
  const free = newId(randomFrom(title), idLength, isTaken);
  const entries = listEntries(dataFolder);
  // The usual one saves reading the others.
  const usual = [...readListed(entries.filter(({ id }) => id === title || id === usualId))];
  const first = usual.find(({ id }) => id === title) ?? titled(usual, title)[0];
  if (first !== undefined) return first;
  const found = titled([...readListed(entries)], title);
  if (found.length > 1) throw ambiguous(title, found);
  return found[0] ?? free;
}

/** The conversation of a folder that changed last; undefined if none was started there. */
export function latestIn(dataFolder: string, folder: string): LibraryEntry | undefined {
  return listEntries(dataFolder).find(({ path }) => {
    try {
      return startFolder(path) === folder;
    } catch {
      // A file that cannot be read is not known to be of this folder.
      return false;
    }
  });
}
