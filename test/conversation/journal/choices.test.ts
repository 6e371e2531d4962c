import { describe, expect, test } from 'vitest';

import { branchJournal } from '../../../src/conversation/journal/open-journal.ts';
import { parseLine } from '../../../src/conversation/journal/records.ts';
import { modelOf, pathOf } from '../../../src/conversation/tree.ts';
import {
  addPromptAndAnswer,
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
    expect(parseLine(last.replace('undo', 'unheard-of'))).toEqual({ kind: 'foreign' });
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
  journal.appendText(answer.id, 'other');
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
  journal.setModel('nextgen');
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
