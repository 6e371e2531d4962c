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
import type { HeldLock } from '../../storage/lock/lock.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { maskText } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';

/** What is stored beyond a session: the history of prompts, and an unsent draft. */
export interface ReplMemory {
  /** Oldest first. */
  history(): readonly string[];
  remember(text: string): void;
  /** The newest draft of a session that has ended; this session takes it over. */
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
      for (const found of findDrafts(folder, onUnread)) {
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
export function createReplMemory(
  context: Context,
  isKept: boolean,
  warn: (text: string) => void,
): ReplMemory {
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
