import path from 'node:path';

import { findDrafts, removeDraft, saveDraft } from '../repl/editing/draft-file.ts';
import { appendHistory, readHistory } from '../repl/editing/history-file.ts';
import { Failure } from '../failure.ts';
import { resolveFolders } from '../settings/folders.ts';
import { maskText } from './mask-secrets.ts';
import type { Context } from './context.ts';

/** What outlives a session: prompts that were sent, and one that was not. */
export interface ReplMemory {
  /** Oldest first. */
  history(): readonly string[];
  remember(text: string): void;
  /** The newest text that a session which is gone left unsent; it is this session's now. */
  takeDraft(): string;
  keepDraft(text: string): void;
}

/** Keeps nothing, for `--no-save` and where there is no folder. */
const forgetful: ReplMemory = {
  history: () => [],
  remember: () => undefined,
  takeDraft: () => '',
  keepDraft: () => undefined,
};

/** Warns once of a folder that cannot be used; the session goes on without. */
function tolerant(warn: (text: string) => void) {
  let isWarned = false;
  return <Result>(act: () => Result, otherwise: Result): Result => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!isWarned) warn(`input history is not kept: ${error.message}`);
      isWarned = true;
      return otherwise;
    }
  };
}

/** A session's drafts are kept under the id of its process, so that it can be told whether it still runs. */
export function createReplMemory(
  context: Context,
  isKept: boolean,
  warn: (text: string) => void,
): ReplMemory {
  const { secrets } = context;
  const { state } = resolveFolders(context);
  if (!isKept || state === undefined) return forgetful;
  const file = path.join(state, 'history.jsonl');
  const drafts = path.join(state, 'drafts');
  const ownId = String(context.process.id);
  const tolerate = tolerant(warn);
  const takeDraft = () => {
    const left = findDrafts(drafts).find(({ id }) => !context.process.isRunning(Number(id)));
    if (left === undefined) return '';
    saveDraft(drafts, ownId, left.text, context.clock.date());
    removeDraft(drafts, left.id);
    return left.text;
  };
  return {
    history: () => tolerate(() => readHistory(file).texts, []),
    remember(text) {
      const masked = maskText(secrets, text);
      tolerate(() => appendHistory(file, masked, context.clock.date()), undefined);
    },
    takeDraft: () => tolerate(takeDraft, ''),
    keepDraft(text) {
      const masked = maskText(secrets, text);
      tolerate(() => saveDraft(drafts, ownId, masked, context.clock.date()), undefined);
    },
  };
}
