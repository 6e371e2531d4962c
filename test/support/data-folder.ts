import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConversation } from '../../src/conversation/library/read-conversation.ts';
import type { Conversation } from '../../src/conversation/tree.ts';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { folderOf } from './folder.ts';
import { runInMemory } from './in-memory.ts';
import { jsonLines, type RunOptions } from './natter.ts';

export type DataFolder = ReturnType<typeof createDataFolder>;

/** A new data folder, and runs of natter that use it. */
export function createDataFolder() {
  const path = folderOf();
  const env = { NATTER_DATA_DIR: path };
  const files = () =>
    readdirSync(join(path, 'conversations'))
      .filter((name) => name.endsWith('.jsonl'))
      .sort();
  return {
    path,
    env,
    /** The names of the journals. */
    files,
    run: (words: readonly string[], options: RunOptions = {}) =>
      runInMemory(words, { ...options, env: { ...env, ...options.env } }),
    /** The only conversation; throws if there are several. */
    only: (): Conversation => {
      const [name = '', ...others] = files();
      if (others.length > 0) throw new Error(`there are ${others.length + 1} conversations`);
      const file = join(path, 'conversations', name);
      return loadConversation(file, name.replace('.jsonl', '')).fold.conversation();
    },
  };
}

/** A folder of settings with these profiles. */
export const configWith = (profiles: object) =>
  folderOf({ 'config.json': JSON.stringify({ version: 1, profiles }) });

/** Folders of a natter that uses the sandbox or a server, and its ledger. */
export function openLedger(env: Readonly<Record<string, string>> = {}) {
  const state = folderOf();
  const folder = join(state, 'usage');
  const all = { ...env, NATTER_STATE_DIR: state, NATTER_DATA_DIR: folderOf() };
  const text = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  return {
    env: all,
    state,
    folder,
    text,
    lines: () => jsonLines(text()) as readonly LedgerLine[],
    run: (words: readonly string[], input?: string) =>
      runInMemory(words, { env: all, ...(input !== undefined && { input }) }),
  };
}
