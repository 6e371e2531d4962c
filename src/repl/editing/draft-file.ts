import fs from 'node:fs';
import path from 'node:path';

import { removeFile } from '../../storage/remove-file.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { replaceFile, stateVariable } from './private-file.ts';

/** A draft that was never sent, as it was found on disk. */
export interface StoredDraft {
  /** Names the session that wrote it. */
  readonly id: string;
  readonly text: string;
  readonly savedAt: Date;
}

const extension = '.json';

function fileOf(folder: string, id: string): string {
  return path.join(folder, `${encodeURIComponent(id)}${extension}`);
}

/** Forgets a session's draft; nothing when there is none. @throws Failure `storage` */
export function removeDraft(folder: string, id: string): void {
  const file = fileOf(folder, id);
  try {
    removeFile(file);
  } catch (error) {
    throw storageFailure('write', file, error, stateVariable);
  }
}

/**
 * Keeps a session's unsent text (`contentOf` the buffer), so that it outlives a crash or a kill; an empty one is
 * removed. Each session has a file of its own, so two windows never overwrite each other's.
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

/** Every draft left in the folder, newest first; damaged files are passed over. @throws Failure `storage` */
export function findDrafts(folder: string): readonly StoredDraft[] {
  try {
    const names = fs.readdirSync(folder).filter((name) => name.endsWith(extension));
    return names
      .map((name) => {
        const id = decodeURIComponent(name.slice(0, -extension.length));
        return parseDraft(id, fs.readFileSync(path.join(folder, name), 'utf8'));
      })
      .filter((draft) => draft !== undefined)
      .sort((one, other) => other.savedAt.getTime() - one.savedAt.getTime());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', folder, error, stateVariable);
  }
}
