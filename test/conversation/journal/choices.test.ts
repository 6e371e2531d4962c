import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { branchJournal, createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { parseLine } from '../../../src/conversation/journal/records.ts';
import {
  conversationFile,
  conversationsFolder,
} from '../../../src/conversation/library/conversation-folder.ts';
import {
  loadConversation,
  summarize,
} from '../../../src/conversation/library/read-conversation.ts';
import { compileTerms, searchConversation } from '../../../src/conversation/library/search.ts';
import { modelOf, pathOf, titleOf, versionsOf } from '../../../src/conversation/tree.ts';
import {
  addPromptAndAnswer,
  filesIn,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  textsOf,
} from '../journal-fixtures.ts';

const fileOf = ({ folder }: ReturnType<typeof journalOptions>, id: string) =>
  conversationFile(conversationsFolder(folder), id);

describe('X19: an undone prompt and its answer', () => {
  async function undone() {
    const options = journalOptions();
    const id = await storedConversation(options, [
      ['one', 'first'],
      ['two', 'second'],
    ]);
    const journal = resumed(options, id);
    journal.undo(pathOf(journal.conversation())[2]?.id ?? '');
    await journal.close();
    return { options, id };
  }

  test('stay undone when the conversation is opened again, and in a copy of it', async () => {
    const { options, id } = await undone();
    expect(textsOf(resumed(options, id))).toEqual(['one', 'first']);
    const copy = branchJournal(options, id);
    expect(textsOf(copy)).toEqual(['one', 'first']);
    addPromptAndAnswer(copy, 'three', 'third');
    await copy.close();
    expect(textsOf(resumed(options, copy.conversation().id))).toEqual([
      'one',
      'first',
      'three',
      'third',
    ]);
  });

  test('N18: are in no version, list, title, search or export, also of a copy', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['alpha', 'first']]);
    const journal = resumed(options, id);
    const prompt = pathOf(journal.conversation())[0]?.id ?? '';
    journal.undo(prompt);
    const again = journal.addTurn({ role: 'user', content: 'charlie', parent: undefined });
    await journal.close();
    for (const opened of [resumed(options, id), branchJournal(options, id)]) {
      const { turns } = opened.conversation();
      expect([...turns.values()].map(({ content }) => content)).toEqual(['charlie']);
      expect(versionsOf(opened.conversation(), again)).toHaveLength(1);
      expect(titleOf(opened.conversation())).toBe('charlie');
    }
    const path = fileOf(options, id);
    expect(summarize(path)).toMatchObject({ title: 'charlie', turns: 1, isAnswered: false });
    expect(searchConversation(path, compileTerms(['alpha']), 0)).toEqual([]);
    expect(searchConversation(path, compileTerms(['first']), 0)).toEqual([]);
    expect(linesOf(options.folder, id).join('\n')).toContain('alpha');
  });

  test('N18: do not get the answer to a later prompt whose line is lost', async () => {
    const { options, id } = await undone();
    const journal = resumed(options, id);
    addPromptAndAnswer(journal, 'three', 'third');
    await journal.close();
    const path = fileOf(options, id);
    const isKept = (line: string) => !line.includes('"content":"three"');
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.filter((line) => !isKept(line))).toHaveLength(1);
    writeFileSync(path, lines.filter(isKept).join('\n'));
    expect(textsOf(resumed(options, id))).toEqual(['one', 'first', 'third']);
  });

  test('N18: are not in a preview that starts after the prompt', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['alpha', 'first']]);
    const journal = resumed(options, id);
    journal.undo(pathOf(journal.conversation())[0]?.id ?? '');
    await journal.close();
    const path = fileOf(options, id);
    const text = readFileSync(path, 'utf8');
    for (const start of ['"role":"user"', '"role":"assistant"']) {
      const { fold } = loadConversation(path, id, Buffer.byteLength(text.split(start)[0] ?? ''));
      expect(fold.conversation().turns.size).toBe(0);
    }
  });

  test('leave the other versions, none of which is selected, also in a copy', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['one', 'first']]);
    const journal = resumed(options, id);
    const other = journal.addTurn({ role: 'user', content: 'two', parent: undefined });
    journal.undo(other.id);
    await journal.close();
    for (const opened of [resumed(options, id), branchJournal(options, id)]) {
      expect(textsOf(opened)).toEqual([]);
      expect(opened.conversation().turns.size).toBe(2);
      addPromptAndAnswer(opened, 'three', 'third');
      await opened.close();
      expect(textsOf(resumed(options, opened.conversation().id))).toEqual(['three', 'third']);
    }
  });

  test('N18: can be the only turns, and take their summary with them', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['one', 'first']]);
    const journal = resumed(options, id);
    const [prompt, answer] = pathOf(journal.conversation()).map((turn) => turn.id);
    journal.setSummary({ turn: answer ?? '', after: answer ?? '', content: 'of one' });
    journal.undo(prompt ?? '');
    await journal.close();
    const { turns, summaries } = resumed(options, id).conversation();
    expect([turns.size, summaries]).toEqual([0, undefined]);
    expect(summarize(fileOf(options, id))).toMatchObject({
      title: '',
      turns: 0,
      isAnswered: false,
    });
    expect(branchJournal(options, id).conversation().turns.size).toBe(0);
  });

  test('D18 are recorded in a way that an older natter skips', async () => {
    const { options, id } = await undone();
    const last = linesOf(options.folder, id).at(-1) ?? '';
    expect(JSON.parse(last)).toEqual({ type: 'undo', turn: expect.any(String) });
    expect(parseLine(last.replace('undo', 'unheard-of'))).toEqual({ isLost: false });
  });
});

test('X18: an answer of a comparison keeps the model of the conversation, also in a copy', async () => {
  const options = journalOptions();
  const id = await storedConversation(options, [['one', 'first']]);
  const journal = resumed(options, id);
  const [prompt] = pathOf(journal.conversation());
  const answer = journal.startAnswer({
    model: 'nextgen',
    nextModel: 'origin',
    parent: prompt?.id,
  });
  journal.append('text', answer.id, 'other');
  journal.endAnswer(answer.id, { model: 'nextgen', finishReason: 'stop' });
  await journal.close();
  for (const opened of [resumed(options, id), branchJournal(options, id)]) {
    const turns = pathOf(opened.conversation());
    expect(turns.at(-1)).toMatchObject({ model: 'nextgen', content: 'other' });
    expect(modelOf(opened.conversation())).toBe('origin');
  }
});

test('the model that the user chose last is that of the conversation, also in a copy', async () => {
  const options = journalOptions();
  const id = await storedConversation(options, [['one', 'first']]);
  const journal = resumed(options, id);
  journal.set({ model: 'nextgen' });
  await journal.close();
  const copy = branchJournal(options, id);
  expect(modelOf(copy.conversation())).toBe('nextgen');
  const again = resumed(options, id);
  expect(modelOf(again.conversation())).toBe('nextgen');
  const answer = again.startAnswer({ model: 'origin' });
  again.endAnswer(answer.id, { model: 'origin', finishReason: 'stop' });
  await again.close();
  expect(modelOf(resumed(options, id).conversation())).toBe('origin');
});

describe('changed parameters', () => {
  const parameters = { set: { temperature: 0.2 }, removed: [] };

  test('of a new conversation are stored with its first turn', async () => {
    const options = journalOptions();
    const journal = createJournal(options);
    journal.set({ parameters });
    expect(filesIn(options.folder)).toEqual([]);
    addPromptAndAnswer(journal, 'one', 'first');
    await journal.close();
    const { id } = journal.conversation();
    expect(resumed(options, id).conversation().parameters).toEqual(parameters);
  });

  test('are stored without secrets', async () => {
    const options = journalOptions();
    const mask = (text: string) => text.replaceAll('secret', '***');
    const journal = createJournal({ ...options, mask });
    const { id } = journal.conversation();
    addPromptAndAnswer(journal, 'one', 'first');
    journal.set({ parameters: { set: { user: 'secret', tags: ['a secret'] }, removed: [] } });
    await journal.close();
    expect(resumed(options, id).conversation().parameters?.set).toEqual({
      user: '***',
      tags: ['a ***'],
    });
  });

  test('of a conversation without a prompt create no file', async () => {
    const options = journalOptions();
    const journal = createJournal(options);
    journal.set({ parameters });
    await journal.close();
    expect(filesIn(options.folder)).toEqual([]);
  });
});
