import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadConversation } from '../../src/conversation/library/read-conversation.ts';
import type { Conversation } from '../../src/conversation/tree.ts';
import { runNatter, type RunOptions, type RunResult } from '../support/natter.ts';

/** A data folder of its own, and natter run with it against the sandbox. */
export interface DataFolder {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  run(words: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Files of conversations, names alone. */
  files(): readonly string[];
  /** The only conversation there is. */
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
    run: (words, options = {}) => runNatter(words, { ...options, env: { ...env, ...options.env } }),
    only() {
      const [name = '', ...others] = files();
      if (others.length > 0) throw new Error(`there are ${others.length + 1} conversations`);
      const file = join(path, 'conversations', name);
      return loadConversation(file, name.replace('.jsonl', '')).fold.conversation();
    },
  };
}

/** Text of all journals, as it is on disk. */
export function journalText(folder: DataFolder): string {
  return folder
    .files()
    .map((name) => readFileSync(join(folder.path, 'conversations', name), 'utf8'))
    .join('');
}
