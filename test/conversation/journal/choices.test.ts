import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { branchJournal, createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { parseLine } from '../../../src/conversation/journal/records.ts';
import {
  loadConversation,
  summarize,
} from '../../../src/conversation/library/read-conversation.ts';
import { compileTerms, searchConversation } from '../../../src/conversation/library/search.ts';
import { modelOf, pathOf, titleOf, versionsOf } from '../../../src/conversation/tree.ts';
import {
  addPromptAndAnswer,
  fileOf,
  filesIn,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  textsOf,
} from '../journal-fixtures.ts';

/** A stored conversation, open; `again` closes it and opens it and a copy of it. */
async function opened(...texts: readonly (readonly [prompt: string, answer: string])[]) {
  const options = journalOptions();
  const id = await storedConversation(options, texts);
  const journal = resumed(options, id);
  const path = fileOf(options.folder, id);
  const turns = pathOf(journal.conversation()).map((turn) => turn.id);
  const again = async () => {
    await journal.close();
    return [resumed(options, id), branchJournal(options, id)] as const;
  };
  return { options, id, path, journal, turns, again };
}

describe('X19: an undone prompt and its answer', () => {
  async function undone() {
    const conversation = await opened(['one', 'first'], ['two', 'second']);
    conversation.journal.undo(conversation.turns[2] ?? '');
    return conversation;
  }

  test('stay undone when the conversation is opened again, and in a copy of it', async () => {
    const { options, again } = await undone();
    const [same, copy] = await again();
    expect([textsOf(same), textsOf(copy)]).toEqual([
      ['one', 'first'],
      ['one', 'first'],
    ]);
    addPromptAndAnswer(copy, 'three', 'third');
    await copy.close();
    const texts = textsOf(resumed(options, copy.conversation().id));
    expect(texts).toEqual(['one', 'first', 'three', 'third']);
  });

  test('N18: are in no version, list, title, search or export, also of a copy', async () => {
    const { options, id, path, journal, turns, again } = await opened(['alpha', 'first']);
    journal.undo(turns[0] ?? '');
    const next = journal.addTurn({ role: 'user', content: 'charlie', parent: undefined });
    for (const one of await again()) {
      const conversation = one.conversation();
      expect([...conversation.turns.values()].map(({ content }) => content)).toEqual(['charlie']);
      expect(versionsOf(conversation, next)).toHaveLength(1);
      expect(titleOf(conversation)).toBe('charlie');
    }
    expect(summarize(path)).toMatchObject({ title: 'charlie', turns: 1, isAnswered: false });
    for (const word of ['alpha', 'first']) {
      expect(searchConversation(path, compileTerms([word]), 0)).toEqual([]);
    }
    expect(linesOf(options.folder, id).join('\n')).toContain('alpha');
  });

  test('N18: do not get the answer to a later prompt whose line is lost', async () => {
    const { options, id, path, journal } = await undone();
    addPromptAndAnswer(journal, 'three', 'third');
    await journal.close();
    const lines = readFileSync(path, 'utf8').split('\n');
    const kept = lines.filter((line) => !line.includes('"content":"three"'));
    expect(kept).toHaveLength(lines.length - 1);
    writeFileSync(path, kept.join('\n'));
    expect(textsOf(resumed(options, id))).toEqual(['one', 'first', 'third']);
  });

  test('N18: are not in a preview that starts after the prompt', async () => {
    const { id, path, journal, turns } = await opened(['alpha', 'first']);
    journal.undo(turns[0] ?? '');
    await journal.close();
    const text = readFileSync(path, 'utf8');
    for (const start of ['"role":"user"', '"role":"assistant"']) {
      const { fold } = loadConversation(path, id, Buffer.byteLength(text.split(start)[0] ?? ''));
      expect(fold.conversation().turns.size).toBe(0);
    }
  });

  test('leave the other versions, none of which is selected, also in a copy', async () => {
    const { options, journal, again } = await opened(['one', 'first']);
    const other = journal.addTurn({ role: 'user', content: 'two', parent: undefined });
    journal.undo(other.id);
    for (const one of await again()) {
      expect(textsOf(one)).toEqual([]);
      expect(one.conversation().turns.size).toBe(2);
      addPromptAndAnswer(one, 'three', 'third');
      await one.close();
      expect(textsOf(resumed(options, one.conversation().id))).toEqual(['three', 'third']);
    }
  });

  test('N18: can be the only turns, and take their summary with them', async () => {
    const { path, journal, turns, again } = await opened(['one', 'first']);
    const [prompt = '', answer = ''] = turns;
    journal.setSummary({ turn: answer, after: answer, content: 'of one' });
    journal.undo(prompt);
    for (const one of await again()) {
      expect(one.conversation()).toMatchObject({ turns: new Map(), summaries: undefined });
    }
    expect(summarize(path)).toMatchObject({ title: '', turns: 0, isAnswered: false });
  });

  test('D18 are recorded in a way that an older natter skips', async () => {
    const { options, id } = await undone();
    const last = linesOf(options.folder, id).at(-1) ?? '';
    expect(JSON.parse(last)).toEqual({ type: 'undo', turn: expect.any(String) });
    expect(parseLine(last.replace('undo', 'unheard-of'))).toEqual({ isLost: false });
  });
});

test('X18: an answer of a comparison keeps the model of the conversation, also in a copy', async () => {
  const { journal, turns, again } = await opened(['one', 'first']);
  const [parent] = turns;
  const answer = journal.startAnswer({ model: 'nextgen', nextModel: 'origin', parent });
  journal.append('text', answer.id, 'other');
  journal.endAnswer(answer.id, { model: 'nextgen', finishReason: 'stop' });
  for (const one of await again()) {
    const last = pathOf(one.conversation()).at(-1);
    expect(last).toMatchObject({ model: 'nextgen', content: 'other' });
    expect(modelOf(one.conversation())).toBe('origin');
  }
});

test('the model that the user chose last is that of the conversation, also in a copy', async () => {
  const { options, id, journal, again } = await opened(['one', 'first']);
  journal.set({ model: 'nextgen' });
  const [same, copy] = await again();
  expect([same, copy].map((one) => modelOf(one.conversation()))).toEqual(['nextgen', 'nextgen']);
  const answer = same.startAnswer({ model: 'origin' });
  same.endAnswer(answer.id, { model: 'origin', finishReason: 'stop' });
  await same.close();
  expect(modelOf(resumed(options, id).conversation())).toBe('origin');
});

test('changed parameters create no file, and are stored with the first turn, without secrets', async () => {
  const options = journalOptions();
  const mask = (text: string) => text.replaceAll('secret', '***');
  const journal = createJournal({ ...options, mask });
  journal.set({ parameters: { set: { user: 'secret', tags: ['a secret'] }, removed: ['seed'] } });
  expect(filesIn(options.folder)).toEqual([]);
  addPromptAndAnswer(journal, 'one', 'first');
  await journal.close();
  const { parameters } = resumed(options, journal.conversation().id).conversation();
  expect(parameters).toEqual({ set: { user: '***', tags: ['a ***'] }, removed: ['seed'] });
});
