import path from 'node:path';

import {
  findDrafts,
  holdDraft,
  removeDraft,
  saveDraft,
  type StoredDraft,
} from '../../repl/editing/draft-file.ts';
import { appendHistory, readHistory } from '../../repl/editing/history-file.ts';
import { Failure } from '../../failure.ts';
import type { HeldLock } from '../../storage/lock/hold-lock.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { maskText } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';

/** What outlives a session: prompts that were sent, and one that was not. */
export interface ReplMemory {
  /** Oldest first. */
  history(): readonly string[];
  remember(text: string): void;
  /** The newest text that a session which is gone left unsent; it is this session's now. */
  takeDraft(): string;
  keepDraft(text: string): void;
  /** The session is over: what it left unsent is for the next one. */
  close(): void;
}

/** Keeps nothing, for `--no-save` and where there is no folder. */
const forgetful: ReplMemory = {
  history: () => [],
  remember: () => undefined,
  takeDraft: () => '',
  keepDraft: () => undefined,
  close: () => undefined,
};

/** Warns once of a folder that cannot be used; the session goes on without. */
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

/** Drafts of older versions have the id of their process as their name, and no lock. */
const oldName = /^\d+$/;

/** The draft of a session. Its lock says to other sessions that this one is still there. */
function createDraft(context: Context, folder: string, onUnread: (failure: Failure) => void) {
  const { clock, process, random } = context;
  const parts = [process.id, clock.date().getTime(), Math.floor(random() * 1e9)];
  const ownId = parts.map((part) => part.toString(36)).join('-');
  let lock: HeldLock | undefined;
  const save = (text: string) => {
    if (text.trim() !== '') lock ??= holdDraft(folder, ownId, context);
    saveDraft(folder, ownId, text, clock.date());
  };
  const isOfRunning = ({ id }: StoredDraft) =>
    oldName.test(id) && Number(id) !== process.id && process.isRunning(Number(id));
  return {
    save,
    take(): string {
      for (const left of findDrafts(folder, onUnread)) {
        const leftLock = isOfRunning(left) ? undefined : holdDraft(folder, left.id, context);
        if (leftLock === undefined) continue;
        try {
          save(left.text);
          removeDraft(folder, left.id);
        } finally {
          leftLock.release();
        }
        return left.text;
      }
      return '';
    },
    close: () => lock?.release(),
  };
}

/** What a session keeps in the state folder; nothing for `--no-save` and where there is no folder. */
export function createReplMemory(
  context: Context,
  isKept: boolean,
  warn: (text: string) => void,
): ReplMemory {
  const { secrets } = context;
  const { state } = resolveFolders(context);
  if (!isKept || state === undefined) return forgetful;
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
