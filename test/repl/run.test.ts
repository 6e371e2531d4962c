import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChatOptions } from '../../src/commands/chat/chat-run.ts';
import { journalOptions } from '../../src/ask/open-conversation.ts';
import { present } from '../../src/run.ts';
import { runRepl } from '../../src/repl/run.ts';
import { createJournal } from '../../src/conversation/journal/open-journal.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const options: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };

/** A data folder with one conversation. */
async function storedConversation() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-data-'));
  const { context } = createMemoryContext({ environment: { NATTER_DATA_DIR: folder } });
  const { notices } = await present(context, options);
  const journal = createJournal(journalOptions(context, notices, true));
  journal.addTurn({ role: 'user', content: 'hello' });
  await journal.close();
  return { context, files: () => readdirSync(join(folder, 'conversations')) };
}

test.each([
  ['a missing recording', { replay: 'missing.jsonl' }],
  ['a missing attachment', { sandbox: true, file: ['missing.txt'] }],
])('%s leaves the conversation to continue unlocked', async (_what, wrong) => {
  const { context, files } = await storedConversation();
  const before = files();
  await expect(runRepl(context, { ...options, ...wrong, continue: true }, [])).rejects.toThrow(
    'missing',
  );
  expect(files()).toEqual(before);
});
