import { existsSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listEntries, renameConversation } from '../../../src/conversation/library/library.ts';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { markedTitle, summarize } from '../../../src/conversation/library/read-conversation.ts';
import { addPromptAndAnswer, journalOptions } from '../journal-fixtures.ts';

/** The only conversation of a new folder, with a prompt and an answer. */
async function stored(model = 'origin') {
  const options = journalOptions();
  const journal = createJournal(options);
  journal.addTurn({ role: 'user', content: 'why?' });
  const { id } = journal.startAnswer({ model });
  journal.append('text', id, 'because');
  journal.endAnswer(id, { model: 'nextgen' });
  await journal.close();
  const [entry] = listEntries(options.folder);
  if (entry === undefined) throw new Error('the conversation is missing');
  return entry;
}

describe('a conversation in the library', () => {
  test('takes a new title', async () => {
    const entry = await stored();
    renameConversation(entry, 'light');
    expect(summarize(entry.path).title).toBe('light');
  });

  test.runIf(existsSync('/dev/full'))('reports a full disk', async () => {
    const entry = await stored();
    unlinkSync(entry.path);
    symlinkSync('/dev/full', entry.path);
    expect(() => renameConversation(entry, 'light')).toThrow(
      expect.objectContaining({ kind: 'storage' }),
    );
  });

  test('has the model from the end of the answer', async () => {
    const entry = await stored('auto');
    expect(summarize(entry.path).model).toBe('nextgen');
  });

  test('keeps every byte before a new title', async () => {
    const entry = await stored();
    const before = readFileSync(entry.path, 'utf8');
    renameConversation(entry, 'light');
    expect(readFileSync(entry.path, 'utf8').startsWith(before)).toBe(true);
  });
});

test('a prompt and its answer count as two turns', async () => {
  const options = journalOptions();
  const journal = createJournal(options);
  addPromptAndAnswer(journal, 'one', 'first');
  await journal.close();
  const [entry] = listEntries(options.folder);
  expect(summarize(entry?.path ?? '').turns).toBe(2);
});

test.each([
  ['nothing', {}, '', false],
  ['a part of the text', { failure: 'unreachable', incomplete: true }, 'beca', true],
  ['an end without text', { finishReason: 'stop' }, '', true],
  ['a failure', { failure: 'unreachable', incomplete: true }, '', false],
] as const)('a prompt that got %s is answered: %j', async (_name, end, text, isAnswered) => {
  const options = journalOptions();
  const journal = createJournal(options);
  journal.addTurn({ role: 'user', content: 'why?' });
  const { id } = journal.startAnswer({ model: 'origin' });
  if (text !== '') journal.append('text', id, text);
  if (Object.keys(end).length > 0) journal.endAnswer(id, end);
  await journal.close();
  const [entry] = listEntries(options.folder);
  const summary = summarize(entry?.path ?? '');
  expect(summary.isAnswered).toBe(isAnswered);
  expect(markedTitle(summary)).toBe(isAnswered ? 'why?' : '(no answer) why?');
});
