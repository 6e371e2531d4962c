import { describe, expect, test } from 'vitest';

import { branchJournal, createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { parseLine } from '../../../src/conversation/journal/records.ts';
import { modelOf, pathOf } from '../../../src/conversation/tree.ts';
import {
  addPromptAndAnswer,
  filesIn,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  textsOf,
} from '../journal-fixtures.ts';

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

  test('return when they are selected', async () => {
    const { options, id } = await undone();
    const journal = resumed(options, id);
    const prompt = [...journal.conversation().turns.values()][2]?.id ?? '';
    journal.select(prompt);
    expect(textsOf(journal)).toEqual(['one', 'first', 'two', 'second']);
  });

  test('can be the only turns', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['one', 'first']]);
    const journal = resumed(options, id);
    journal.undo(pathOf(journal.conversation())[0]?.id ?? '');
    await journal.close();
    expect(textsOf(resumed(options, id))).toEqual([]);
    const copy = branchJournal(options, id);
    expect(textsOf(copy)).toEqual([]);
    expect(copy.conversation().turns.size).toBe(2);
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
