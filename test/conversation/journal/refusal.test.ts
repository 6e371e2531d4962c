import { describe, expect, test } from 'vitest';

import { exportHtml } from '../../../src/conversation/export/html.ts';
import { exportJson, exportMarkdown } from '../../../src/conversation/export/export.ts';
import { branchJournal, createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { compilePattern, searchConversation } from '../../../src/conversation/library/search.ts';
import { messagesOf, pathOf } from '../../../src/conversation/tree.ts';
import { fileOf, journalOptions, linesOf, resumed, wholeExport } from '../journal-fixtures.ts';

const refusal = 'I will not help';

/** A journal with a refused prompt; the answer may start with a text. */
function refused(text = '', options = journalOptions()) {
  const journal = createJournal(options);
  journal.addTurn({ role: 'user', content: 'how?' });
  const { id: answerId } = journal.startAnswer({ model: 'origin' });
  if (text !== '') journal.append('text', answerId, text);
  journal.append('refusal', answerId, 'I will ');
  journal.append('refusal', answerId, 'not help');
  return { journal, options, answerId, id: journal.conversation().id };
}

describe('a refusal', () => {
  test('is on disk while it streams, apart from the text', async () => {
    const { options, answerId, id } = refused('Well.');
    await options.clock.advance(500);
    const records = linesOf(options.folder, id)
      .slice(3)
      .map((line) => JSON.parse(line) as unknown);
    expect(records).toEqual([
      { type: 'text', turn: answerId, text: 'Well.' },
      { type: 'refusal', turn: answerId, text: refusal },
    ]);
  });

  test.each(['resumed', 'copied'])('is restored when its conversation is %s', async (way) => {
    const { journal, options, answerId, id } = refused('Well.');
    journal.endAnswer(answerId, { finishReason: 'stop' });
    await journal.close();
    const next = way === 'copied' ? branchJournal(options, id) : resumed(options, id);
    const answer = pathOf(next.conversation())[1];
    expect(answer).toMatchObject({ content: 'Well.', refusal, finishReason: 'stop' });
  });

  test('is sent later as content, in the fields of the contract', () => {
    const { journal } = refused('Well.');
    expect(messagesOf(journal.conversation(), [{ role: 'user', content: 'why?' }])).toEqual([
      { role: 'user', content: 'how?' },
      { role: 'assistant', content: `Well.\n\n${refusal}` },
      { role: 'user', content: 'why?' },
    ]);
  });

  test('is found by a search', async () => {
    const { journal, options, id } = refused('Well.');
    await journal.close();
    const pattern = compilePattern('not help', { regularExpression: false, caseSensitive: false });
    const found = [
      ...searchConversation(fileOf(options.folder, id), { each: [pattern], any: pattern }, 0),
    ];
    expect(found).toMatchObject([{ role: 'assistant', hits: 1, lines: [{ text: refusal }] }]);
  });

  test('is exported and marked as a refusal', () => {
    const { journal, answerId } = refused();
    journal.endAnswer(answerId, { finishReason: 'stop' });
    const conversation = journal.conversation();
    const selected = { siblings: false };
    expect(wholeExport(exportMarkdown, conversation, selected)).toContain(
      `## origin (refused)\n\n${refusal}\n`,
    );
    const html = wholeExport(exportHtml, conversation, selected);
    expect(html).toContain('<h2>origin (refused)</h2>');
    expect(html).toContain(refusal);
    expect(JSON.parse(wholeExport(exportJson, conversation, selected))).toMatchObject({
      turns: [{ content: 'how?' }, { content: '', refusal }],
    });
  });
});
