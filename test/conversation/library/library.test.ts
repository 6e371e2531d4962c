import { appendFileSync, readFileSync, utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  listEntries,
  listConversations,
  renameConversation,
} from '../../../src/conversation/library/library.ts';
import { branchJournal, createJournal } from '../../../src/conversation/journal/journal.ts';
import type { AnswerEnd } from '../../../src/conversation/tree.ts';
import { attributeRecords } from '../../../src/conversation/attributes.ts';
import { summarize } from '../../../src/conversation/library/read-conversation.ts';
import { journalOptions, resumed } from '../journal-fixtures.ts';

/** The only conversation of a new folder, whose answer has this text, and this end if it has ended. */
async function stored(text: string, end?: AnswerEnd) {
  const options = journalOptions();
  const journal = createJournal(options);
  journal.addTurn({ role: 'user', content: 'why?' });
  const { id } = journal.startAnswer({ model: 'auto' });
  if (text !== '') journal.append('text', id, text);
  if (end !== undefined) journal.endAnswer(id, end);
  await journal.close();
  const [entry] = listEntries(options.folder);
  if (entry === undefined) throw new Error('the conversation is missing');
  return entry;
}

test('a conversation has two turns, the model from the end of the answer, and an appended title', async () => {
  const entry = await stored('because', { model: 'nextgen' });
  expect(summarize(entry.path)).toMatchObject({ title: 'why?', model: 'nextgen', turns: 2 });
  const before = readFileSync(entry.path, 'utf8');
  renameConversation(entry, 'light');
  expect(summarize(entry.path).title).toBe('light');
  expect(readFileSync(entry.path, 'utf8').startsWith(before)).toBe(true);
});

/** The attributes that are a mark in lists, with their marks. */
const marks = [{ name: 'pin', mark: 'pinned' }] as const;

describe.each(marks)('the mark $mark', ({ name, mark }) => {
  const recordWith = (value: boolean) =>
    attributeRecords({ [name]: value }).map((record) => JSON.stringify(record))[0] ?? '';

  /** Three conversations, of which the first one has the mark by a record that follows a torn one. */
  async function withMark() {
    const options = journalOptions();
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three']) {
      const journal = createJournal(options);
      journal.addTurn({ role: 'user', content: `${prompt} ${recordWith(true)}` });
      ids.push(journal.conversation().id);
      await journal.close();
    }
    const entries = listEntries(options.folder);
    for (const [index, id] of ids.entries()) {
      const { path } = entries.find((entry) => entry.id === id) ?? {};
      if (path === undefined) throw new Error('the conversation is missing');
      if (index === 0) appendFileSync(path, `{"type":"ti${recordWith(true)}\n`);
      utimesSync(path, index + 1, index + 1);
    }
    return { options, ids };
  }

  test('lists its conversation before newer ones', async () => {
    const { options, ids } = await withMark();
    const [one, two, three] = ids;
    expect(listEntries(options.folder).map(({ id }) => id)).toEqual([three, two, one]);
    const listed = await listConversations(options.folder);
    expect(listed.map(({ id }) => id)).toEqual([one, three, two]);
    expect(listed.map((entry) => entry.marks)).toEqual([[mark], [], []]);
  });

  test('stays removed, and a copy has it as its original', async () => {
    const { options, ids } = await withMark();
    const [id = ''] = ids;
    const copy = branchJournal(options, id);
    expect(copy.conversation()[name]).toBe(true);
    await copy.close();
    const opened = resumed(options, id);
    opened.set({ [name]: false });
    await opened.close();
    const listed = await listConversations(options.folder);
    expect(listed.find((entry) => entry.id === id)?.marks).toEqual([]);
  });
});

test.each<[string, AnswerEnd | undefined, string, boolean]>([
  ['nothing', undefined, '', false],
  ['a part of the text', { failure: 'unreachable', incomplete: true }, 'beca', true],
  ['an end without text', { finishReason: 'stop' }, '', true],
  ['a failure', { failure: 'unreachable', incomplete: true }, '', false],
])('a prompt that got %s is answered: %j', async (_name, end, text, isAnswered) => {
  const { path } = await stored(text, end);
  expect(summarize(path).isAnswered).toBe(isAnswered);
});
