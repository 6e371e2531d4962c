import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChatOptions } from '../../src/commands/chat/run.ts';
import { journalOptions } from '../../src/ask/open-conversation.ts';
import { present, startRun } from '../../src/run.ts';
import { refuseOneShotOptions, runRepl, welcomeEntry } from '../../src/repl/run.ts';
import type { Failure } from '../../src/failure.ts';
import { createJournal } from '../../src/conversation/journal/journal.ts';
import { folderOf } from '../support/folder.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { stateOf } from '../support/repl-state.ts';

const options: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };

test.each([
  ['a missing recording', { replay: 'missing.jsonl' }],
  ['a missing attachment', { sandbox: true, file: ['missing.txt'] }],
])('%s leaves the conversation to continue unlocked', async (_what, wrong) => {
  const folder = folderOf();
  const { context } = createMemoryContext({ environment: { NATTER_DATA_DIR: folder } });
  const { notices } = await present(context, options);
  const journal = createJournal(journalOptions(context, notices, true));
  journal.addTurn({ role: 'user', content: 'hello' });
  await journal.close();
  const files = () => readdirSync(join(folder, 'conversations'));
  const before = files();
  const run = await startRun(context, { ...options, ...wrong, continue: true });
  await expect(runRepl(run, [])).rejects.toThrow('missing');
  expect(files()).toEqual(before);
});

test.each([
  [{ every: '1s' }, /^--every needs .* standard input/, 'natter --every 1s "sum up" <'],
  [{ split: 'auto' }, /^--split needs a prompt/, 'natter --split auto "'],
] as const)(
  '%j on a terminal is refused with an example that works',
  (option, message, example) => {
    const refuse = () => refuseOneShotOptions({ ...options, ...option });
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(example) as string }) as Failure,
    );
  },
);

const service = { address: 'the sandbox', isSandbox: true, hasKey: true };

test('a conversation in plain lines starts with the source, the model and /help', () => {
  expect(welcomeEntry(stateOf({ isLineMode: true, service }))).toEqual({
    type: 'notice',
    text: 'sandbox, model origin; /help lists the commands',
  });
});

test.each([
  [80, 'natter · sandbox · origin · /help · @file · Ctrl+J new line'],
  [34, 'natter · sandbox · origin · /help'],
])('a conversation in %i columns starts with keys to learn', (columns, text) => {
  const entry = welcomeEntry(stateOf({ service, columns, unicode: true }));
  expect(entry).toEqual({ type: 'notice', text });
});
