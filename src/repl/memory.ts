import path from 'node:path';
import fs from 'node:fs';
import type { Notices } from '../output/notices.ts';
import { Failure } from '../failure.ts';
import { type HeldLock, holdLock, type LockOptions } from '../storage/lock/lock.ts';
import { resolveFolders } from '../settings/folders.ts';
import { maskText } from '../secrets/secrets.ts';
import type { Context } from '../run.ts';
import { makePrivateFolder, removeFile } from '../storage/files.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import { replaceFile, stateVariable, appendLine } from '../storage/state-file.ts';

/** What is stored beyond a session: the history of prompts, and an unsent draft. */
export interface ReplMemory {
  /** Oldest first. */
  history(): readonly string[];
  remember(text: string): void;
  /** The newest draft of a session that has ended in this folder; this session takes it over. */
  takeDraft(): string;
  keepDraft(text: string): void;
  /** Releases the draft for the next session. */
  close(): void;
}

/** For `--no-save`, and without a folder. */
const noMemory: ReplMemory = {
  history: () => [],
  remember: () => undefined,
  takeDraft: () => '',
  keepDraft: () => undefined,
  close: () => undefined,
};

/** Warns once about a folder that cannot be used; the session continues without it. */
function tolerant(warn: (text: string) => void) {
  let isWarned = false;
  return <Result>(act: () => Result, otherwise: Result): Result => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!isWarned) warn(`input history is not saved: ${error.message}`);
      isWarned = true;
      return otherwise;
    }
  };
}

/** The names of drafts of older versions: the id of the process. They have no lock. */
const oldName = /^\d+$/;

/** The draft of a session. Its lock shows other sessions that this one is running. */
function createDraft(context: Context, folder: string, onUnread: (failure: Failure) => void) {
  const { clock, process, random } = context;
  const parts = [process.id, clock.date().getTime(), Math.floor(random() * 1e9)];
  const ownId = parts.map((part) => part.toString(36)).join('-');
  // A draft belongs to the folder in which it was typed.
  const place = path.resolve('.');
  let lock: HeldLock | undefined;
  const save = (text: string) => {
    if (text.trim() !== '') lock ??= holdDraft(folder, ownId, context);
    saveDraft(folder, ownId, text, clock.date(), place);
  };
  const isOfRunning = ({ id }: StoredDraft) =>
    oldName.test(id) && Number(id) !== process.id && process.isRunning(Number(id));
  return {
    save,
    take(): string {
      for (const found of findDrafts(folder, onUnread)) {
        if (found.place !== undefined && found.place !== place) continue;
        const foundLock = isOfRunning(found) ? undefined : holdDraft(folder, found.id, context);
        if (foundLock === undefined) continue;
        try {
          save(found.text);
          removeDraft(folder, found.id);
        } finally {
          foundLock.release();
        }
        return found.text;
      }
      return '';
    },
    close: () => lock?.release(),
  };
}

/** The memory in the state folder; none for `--no-save`, and without a folder. */
export function createReplMemory(context: Context, isKept: boolean, notices: Notices): ReplMemory {
  const warn = (text: string) => notices.notice(text);
  const { secrets } = context;
  const { state } = resolveFolders(context);
  if (!isKept || state === undefined) return noMemory;
  const file = path.join(state, 'history.jsonl');
  const tolerate = tolerant(warn);
  const draft = createDraft(context, path.join(state, 'drafts'), ({ message }) =>
    warn(`a draft was skipped: ${message}`),
  );
  return {
    history: () => tolerate(() => readHistory(file).texts, []),
    remember(text) {
      const masked = maskText(secrets, text);
      tolerate(() => appendHistory(file, masked, context.clock.date()), undefined);
    },
    takeDraft: () => tolerate(() => draft.take(), ''),
    keepDraft(text) {
      const masked = maskText(secrets, text);
      tolerate(() => draft.save(masked), undefined);
    },
    close: () => draft.close(),
  };
}

export interface StoredDraft {
  /** The id of the session that wrote it. */
  readonly id: string;
  readonly text: string;
  readonly savedAt: Date;
  /** The current folder of that session; undefined in files of older versions. */
  readonly place: string | undefined;
}

const extension = '.json';

function fileOf(folder: string, id: string): string {
  return path.join(folder, `${encodeURIComponent(id)}${extension}`);
}

/** Removes a session's draft, if there is one. @throws Failure `storage` */
export function removeDraft(folder: string, id: string): void {
  const file = fileOf(folder, id);
  try {
    removeFile(file);
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}

/**
 * Saves a session's unsent text (`contentOf` the buffer), so that it survives a crash; an empty text removes the file.
 * Each session has a separate file, so two windows never overwrite each other's draft.
 * @throws Failure `storage`
 */
export function saveDraft(
  folder: string,
  id: string,
  text: string,
  at: Date,
  place?: string,
): void {
  if (text.trim() === '') return removeDraft(folder, id);
  replaceFile(fileOf(folder, id), JSON.stringify({ at: at.toISOString(), folder: place, text }));
}

function parseDraft(id: string, content: string): StoredDraft | undefined {
  try {
    const record: unknown = JSON.parse(content);
    if (typeof record !== 'object' || record === null) return undefined;
    if (!('text' in record && typeof record.text === 'string')) return undefined;
    const at = 'at' in record && typeof record.at === 'string' ? record.at : 0;
    const savedAt = new Date(at);
    const place =
      'folder' in record && typeof record.folder === 'string' ? record.folder : undefined;
    return {
      id,
      text: record.text,
      place,
      savedAt: Number.isNaN(savedAt.getTime()) ? new Date(0) : savedAt,
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readDraft(folder: string, name: string): StoredDraft | undefined {
  const file = path.join(folder, name);
  try {
    const id = decodeURIComponent(name.slice(0, -extension.length));
    return parseDraft(id, fs.readFileSync(file, 'utf8'));
  } catch (error) {
    // Another session sent it meanwhile, or the file name is not one of natter's.
    if (errorCode(error) === 'ENOENT' || error instanceof URIError) return undefined;
    throw storageFailure('read', file, error, stateVariable);
  }
}

/**
 * Every draft in the folder, newest first. Damaged and vanished files are skipped, and so are unreadable ones, which
 * are reported to `onUnread`. @throws Failure `storage` for the folder
 */
export function findDrafts(
  folder: string,
  onUnread: (failure: Failure) => void,
): readonly StoredDraft[] {
  let names: readonly string[];
  try {
    names = fs.readdirSync(folder).filter((name) => name.endsWith(extension));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', folder, error, stateVariable);
  }
  return names
    .map((name) => {
      try {
        return readDraft(folder, name);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        onUnread(error);
        return undefined;
      }
    })
    .filter((draft) => draft !== undefined)
    .sort((one, other) => other.savedAt.getTime() - one.savedAt.getTime());
}

/** Undefined while the draft's session is running. @throws Failure `storage` */
function holdDraft(folder: string, id: string, options: LockOptions): HeldLock | undefined {
  const file = fileOf(folder, id).replace(/\.json$/, '.lock');
  try {
    makePrivateFolder(folder);
    const lock = holdLock(file, options);
    return lock.isHeld ? lock : undefined;
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}

/** Maximum bytes and entries read from the end of the file. */
const maxReadBytes = 8 << 20;
const maxEntries = 2000;
/** UTF-16 units. Longer prompts are not stored here, so that they do not push out the others. */
const maxTextLength = 1 << 20;

export interface StoredHistory {
  /** Oldest first. */
  readonly texts: readonly string[];
  /** Number of invalid lines, cut or damaged. */
  readonly skipped: number;
}

/** JSON lines `{"at": ISO 8601, "text": …}`. @throws Failure `storage` */
export function appendHistory(file: string, text: string, at: Date): void {
  if (text.trim() === '' || text.length > maxTextLength) return;
  appendLine(file, JSON.stringify({ at: at.toISOString(), text }));
}

/** The file's last bytes from the start of a line, so that no character is cut. */
function readEnd(file: string): string {
  const descriptor = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(descriptor);
    const start = Math.max(0, size - maxReadBytes);
    const bytes = Buffer.alloc(size - start);
    const length = fs.readSync(descriptor, bytes, 0, bytes.length, start);
    const firstLine = start === 0 ? 0 : bytes.indexOf('\n') + 1;
    return bytes.toString('utf8', firstLine, length);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The text of one line; undefined if the line is invalid. */
function parseEntry(line: string): string | undefined {
  try {
    const record: unknown = JSON.parse(line.replaceAll(/^\uFEFF|\0/g, ''));
    const isEntry = typeof record === 'object' && record !== null && 'text' in record;
    return isEntry && typeof record.text === 'string' ? record.text : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The newest 2000 entries in the last 8 MB; empty if there is no file. @throws Failure `storage` */
export function readHistory(file: string): StoredHistory {
  try {
    const lines = readEnd(file)
      .split('\n')
      .filter((line) => line.trim() !== '');
    const texts = lines.map(parseEntry).filter((text) => text !== undefined);
    return { texts: texts.slice(-maxEntries), skipped: lines.length - texts.length };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { texts: [], skipped: 0 };
    throw storageFailure('read', file, error, stateVariable);
  }
}
