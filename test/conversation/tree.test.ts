import { expect, test } from 'vitest';

import { createJournal } from '../../src/conversation/journal/journal.ts';
import { messagesOf, pathOf, versionsOf, titleFrom, titleOf } from '../../src/conversation/tree.ts';
import { addAnswer, addPromptAndAnswer, journalOptions, textsOf } from './journal-fixtures.ts';

const unsaved = () => createJournal({ ...journalOptions(), save: false });

const sent = (journal: ReturnType<typeof unsaved>) =>
  messagesOf(journal.conversation()).map(({ role, content }) => `${role}: ${content}`);

test('puts the last system prompt first, unless it is empty, then the turns in order', () => {
  const journal = unsaved();
  journal.addTurn({ role: 'system', content: 'be brief' });
  addPromptAndAnswer(journal, 'one', 'first');
  journal.addTurn({ role: 'system', content: 'be long' });
  journal.addTurn({ role: 'user', content: 'two' });
  const turns = ['user: one', 'assistant: first', 'user: two'];
  expect(sent(journal)).toEqual(['system: be long', ...turns]);
  journal.addTurn({ role: 'system', content: '' });
  expect(sent(journal)).toEqual(turns);
});

test.each([
  ['D15 includes the text of a stopped answer', 'fir', ['user: one', 'assistant: fir']],
  ['D16 leaves out a prompt whose answer never started', undefined, []],
  ['D16 leaves out a prompt whose answer failed without text', '', []],
])('%s, and roles alternate', (_what, text, before) => {
  const journal = unsaved();
  journal.addTurn({ role: 'user', content: 'one' });
  const end = { incomplete: true, ...(text === '' && { failure: 'rate_limited' as const }) };
  if (text !== undefined) addAnswer(journal, text, { model: 'origin' }, end);
  journal.addTurn({ role: 'user', content: 'two' });
  expect(sent(journal)).toEqual([...before, 'user: two']);
});

test('an edit and a retry are versions of the original, and each can be selected again', () => {
  const journal = unsaved();
  addPromptAndAnswer(journal, 'one', 'first');
  const [prompt, answer] = pathOf(journal.conversation());
  addAnswer(journal, '', { model: 'nextgen', parent: prompt?.id });
  const edited = journal.addTurn({ role: 'user', content: 'uno', parent: undefined });
  expect(textsOf(journal)).toEqual(['uno']);
  expect(versionsOf(journal.conversation(), edited)).toHaveLength(2);
  journal.select(prompt?.id ?? '');
  expect(textsOf(journal)).toEqual(['one', '']);
  journal.select(answer?.id ?? '');
  expect(textsOf(journal)).toEqual(['one', 'first']);
});

test.each([
  ['why is the sky blue?', 'why is the sky blue?'],
  ['\n\n  Two   words\nand more', 'Two words'],
  ['', ''],
  ['word '.repeat(20), 'word word word word word word word word word word word…'],
  ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ['👩‍🚀'.repeat(5), '👩‍🚀'.repeat(5)],
])('the prompt %j has the title %j', (prompt, title) => {
  expect(titleFrom(prompt)).toBe(title);
});

test('a set title overrides the first prompt', () => {
  const journal = unsaved();
  addPromptAndAnswer(journal, 'why?', 'because');
  expect(titleOf(journal.conversation())).toBe('why?');
  journal.set({ title: 'reasons' });
  expect(titleOf(journal.conversation())).toBe('reasons');
});
