import { expect, test } from 'vitest';
import { exportMarkdown } from '../../../src/conversation/export/export.ts';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import type { AnswerEnd } from '../../../src/conversation/tree.ts';
import { addPromptAndAnswer, journalOptions, wholeExport } from '../journal-fixtures.ts';

/** A prompt whose answer has this text and end. */
function journalWith(text: string, end: AnswerEnd) {
  const journal = createJournal({ ...journalOptions(), save: false });
  const prompt = journal.addTurn({ role: 'user', content: 'why?' });
  const answer = journal.startAnswer({ model: 'origin', parent: prompt.id });
  journal.append('text', answer.id, text);
  journal.endAnswer(answer.id, end);
  return journal;
}

const headings = (journal: ReturnType<typeof journalWith>) =>
  wholeExport(exportMarkdown, journal.conversation(), { siblings: false }).match(/^## .*/gm);

test.each<[string, string, AnswerEnd, string]>([
  ['that was cut off', 'be', { incomplete: true, failure: 'incomplete' }, 'incomplete: cut off'],
  ['that failed', 'be', { incomplete: true, failure: 'unreachable' }, 'incomplete: unreachable'],
  ['without a known end', 'be', { incomplete: true }, 'incomplete'],
  ['without text', '', { incomplete: true, failure: 'rate_limited' }, 'no answer: rate limited'],
  ['at the token limit', 'be', { finishReason: 'length' }, 'reached the token limit'],
  ['that is empty', '', { failure: 'no_answer' }, 'no answer'],
])('an answer %s has one reason', (_, text, end, remark) => {
  expect(headings(journalWith(text, end))).toEqual(['## You', `## origin (${remark})`]);
});

test('a prompt that later requests omit is marked', () => {
  const journal = journalWith('', { incomplete: true, failure: 'rate_limited' });
  addPromptAndAnswer(journal, 'go on', 'gladly');
  expect(headings(journal)).toEqual([
    '## You (not answered, not sent again)',
    '## origin (no answer: rate limited)',
    '## You',
    '## origin',
  ]);
});
