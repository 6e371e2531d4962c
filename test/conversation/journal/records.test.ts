import { expect, test } from 'vitest';
import { JournalFold, type JournalRecord } from '../../../src/conversation/journal/records.ts';

const prompt = {
  type: 'turn',
  id: 'a',
  parent: null,
  role: 'user',
  content: 'why?',
  created_at: '2026-11-20T12:00:00.000Z',
} as const satisfies JournalRecord;

test('a turn whose record appears twice keeps the first one', () => {
  const fold = new JournalFold('x');
  fold.apply(prompt);
  fold.apply({ ...prompt, content: 'something else' });
  expect([...fold.conversation().turns.values()]).toMatchObject([{ content: 'why?' }]);
});

test('a conversation without any date was created at the epoch', () => {
  expect(new JournalFold('x').conversation().createdAt).toEqual(new Date(0));
});
