import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadConversation } from '../../src/conversation/library/read-conversation.ts';
import type { Conversation } from '../../src/conversation/tree.ts';
import { runInMemory } from './in-memory.ts';
import type { RunOptions, RunResult } from './natter.ts';

/** A new data folder, and runs of natter that use it. */
export interface DataFolder {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  run(words: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** The names of the journals. */
  files(): readonly string[];
  /** The only conversation; throws if there are several. */
  only(): Conversation;
}

const filesOf = (folder: string) =>
  readdirSync(join(folder, 'conversations'), { withFileTypes: true })
    .map(({ name }) => name)
    .sort();

export function createDataFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'natter-data-'));
  const env = { NATTER_DATA_DIR: path };
  const files = () => filesOf(path).filter((name) => name.endsWith('.jsonl'));
  return {
    path,
    env,
    files,
    run: (words, options = {}) =>
      runInMemory(words, { ...options, env: { ...env, ...options.env } }),
    only() {
      const [name = '', ...others] = files();
      if (others.length > 0) throw new Error(`there are ${others.length + 1} conversations`);
      const file = join(path, 'conversations', name);
      return loadConversation(file, name.replace('.jsonl', '')).fold.conversation();
    },
  };
}

/** The text of all journals. */
export function journalText(folder: DataFolder): string {
  return folder
    .files()
    .map((name) => readFileSync(join(folder.path, 'conversations', name), 'utf8'))
    .join('');
}
