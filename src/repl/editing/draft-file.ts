import fs from 'node:fs';
import path from 'node:path';

import { Failure } from '../../failure.ts';
import { holdLock, type HeldLock, type LockOptions } from '../../storage/lock/lock.ts';
import { makePrivateFolder, removeFile } from '../../storage/files.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { replaceFile, stateVariable } from '../../storage/state-file.ts';

export interface StoredDraft {
  /** The id of the session that wrote it. */
  readonly id: string;
  readonly text: string;
  readonly savedAt: Date;
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
export function saveDraft(folder: string, id: string, text: string, at: Date): void {
  if (text.trim() === '') return removeDraft(folder, id);
  replaceFile(fileOf(folder, id), JSON.stringify({ at: at.toISOString(), text }));
}

function parseDraft(id: string, content: string): StoredDraft | undefined {
  try {
    const record: unknown = JSON.parse(content);
    if (typeof record !== 'object' || record === null) return undefined;
    if (!('text' in record && typeof record.text === 'string')) return undefined;
    const at = 'at' in record && typeof record.at === 'string' ? record.at : 0;
    const savedAt = new Date(at);
    return {
      id,
      text: record.text,
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
export function holdDraft(folder: string, id: string, options: LockOptions): HeldLock | undefined {
  const file = fileOf(folder, id).replace(/\.json$/, '.lock');
  try {
    makePrivateFolder(folder);
    const lock = holdLock(file, options);
    return lock.isHeld ? lock : undefined;
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}
