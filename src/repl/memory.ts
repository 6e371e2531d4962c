// What is stored beyond a session: the history of prompts, and an unsent draft.
import path from 'node:path';
import fs from 'node:fs';
import type { Notices } from '../output/notices.ts';
import { Failure } from '../failure.ts';
import { type HeldLock, holdLock } from '../storage/lock.ts';
import { resolveFolders } from '../settings/folders.ts';
import { maskText } from '../secrets/secrets.ts';
import type { Context } from '../run.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import { readLines, unreadLines } from '../storage/read-lines.ts';
import { appendLine } from '../storage/append-file.ts';
import { makePrivateFolder, removeFile, replaceFile, stateVariable } from '../storage/files.ts';

const extension = '.json';

/**
 * Opens the history and the drafts in the state folder, and warns once if it cannot use that. Each session has a file
 * for its unsent text, so that no window overwrites the text of another, with a lock beside it while the session runs. A
 * draft belongs to the folder in which it was typed.
 */
export function createReplMemory(context: Context, isKept: boolean, notices: Notices) {
  const { clock, process, random, secrets } = context;
  const { state } = resolveFolders(context);
  const file = path.join(state ?? '', 'history.jsonl');
  const drafts = path.join(state ?? '', 'drafts');
  const parts = [process.id, clock.date().getTime(), Math.floor(random() * 1e9)];
  const own = parts.map((part) => part.toString(36)).join('-') + extension;
  const typedIn = path.resolve('.');
  let lock: HeldLock | undefined;
  let isWarned = false;
  const tolerate = <Result>(act: () => Result, otherwise: Result): Result => {
    if (!isKept || state === undefined) return otherwise;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
      const { message } =
        error instanceof Failure ? error : storageFailure('write', state, error, stateVariable);
      if (!isWarned) notices.notice(`input history is not saved: ${message}`);
      isWarned = true;
      return otherwise;
    }
  };
  /** Undefined while the draft's session is running. */
  const hold = (name: string) => {
    makePrivateFolder(drafts);
    const held = holdLock(path.join(drafts, name.replace(/\.json$/, '.lock')), context);
    return held.isHeld ? held : undefined;
  };
  const remove = (name: string) => removeFile(path.join(drafts, name));
  const save = (text: string) => {
    if (text.trim() === '') return remove(own);
    lock ??= hold(own);
    replaceFile(path.join(drafts, own), recordOf(text, clock.date(), typedIn));
  };
  const take = () => {
    for (const { name, text, folder = typedIn } of readDrafts(drafts, notices)) {
      const found = folder === typedIn ? hold(name) : undefined;
      if (found === undefined) continue;
      try {
        save(text);
        remove(name);
      } finally {
        found.release();
      }
      return text;
    }
    return '';
  };
  return {
    /** Oldest first. */
    history: () => tolerate<readonly string[]>(() => readHistory(file, notices), []),
    remember: (text: string) =>
      tolerate(() => appendHistory(file, maskText(secrets, text), clock.date()), undefined),
    /** The newest draft of a session that has ended in this folder; this session takes it over. */
    takeDraft: () => tolerate(take, ''),
    /** An empty text removes the draft. */
    keepDraft: (text: string) => tolerate(() => save(maskText(secrets, text)), undefined),
    /** Releases the draft for the next session. */
    close: () => lock?.release(),
  };
}

const recordOf = (text: string, at: Date, folder?: string) =>
  JSON.stringify({ at: at.toISOString(), folder, text });

/** The text of a record, when it was written and in which folder; undefined if it is damaged. */
function readRecord(content: string) {
  try {
    const { text, at = '', folder } = Object(JSON.parse(content)) as Record<string, unknown>;
    return typeof text === 'string' ? { text, at: String(at), folder } : undefined;
  } catch {
    return undefined;
  }
}

/** The drafts in the folder, newest first, without unreadable ones. @throws the system's error for the folder */
function readDrafts(folder: string, notices: Notices) {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(extension));
  const drafts = names.flatMap((name) => {
    const file = path.join(folder, name);
    try {
      const record = readRecord(fs.readFileSync(file, 'utf8'));
      if (record === undefined) notices.notice(unreadLines(file, [1]));
      return record === undefined ? [] : [{ name, ...record }];
    } catch {
      // Such as one that another session has sent meanwhile.
      return [];
    }
  });
  return drafts.sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** Maximum bytes and entries read from the end of the file. */
const maxReadBytes = 8 << 20;
const maxEntries = 2000;
/** UTF-16 units. Longer prompts are not stored here, so that they do not push out the others. */
const maxTextLength = 1 << 20;

/** JSON lines `{"at": ISO 8601, "text": …}`. @throws Failure `storage` */
export function appendHistory(file: string, text: string, at: Date): void {
  if (text.trim() !== '' && text.length <= maxTextLength) appendLine(file, recordOf(text, at));
}

/**
 * The newest 2000 entries in the last 8 MB, oldest first. One notice names damaged lines, unless the file is longer.
 * @throws Failure `storage`
 */
export function readHistory(file: string, notices: Notices): readonly string[] {
  try {
    const start = Math.max(0, fs.statSync(file).size - maxReadBytes);
    const lines = Array.from(readLines(file, start), (line) => line.replaceAll(/^\uFEFF|\0/g, ''));
    const records = lines.map(readRecord);
    const damaged = lines.flatMap((line, at) =>
      line.trim() === '' || records[at] !== undefined ? [] : [at + 1],
    );
    // The start may be within a line, and then the numbers of the others are unknown.
    if (damaged.length > 0 && start === 0) notices.notice(unreadLines(file, damaged));
    return records.flatMap((record) => record?.text ?? []).slice(-maxEntries);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', file, error, stateVariable);
  }
}
