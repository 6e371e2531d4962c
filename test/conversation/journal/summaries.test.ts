import { expect, test } from 'vitest';
import { exportHtml } from '../../../src/conversation/export/html.ts';
import { exportJson, exportMarkdown } from '../../../src/conversation/export/export.ts';
import { branchJournal } from '../../../src/conversation/journal/open-journal.ts';
import { compileTerms, searchConversation } from '../../../src/conversation/library/search.ts';
import { messagesOf, pathOf, summaryOf } from '../../../src/conversation/tree.ts';
import {
  addPromptAndAnswer,
  fileOf,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  whole,
} from '../journal-fixtures.ts';

const selected = { siblings: false };

/** Two exchanges, of which the first is summarized. */
async function summarized() {
  const options = journalOptions();
  const id = await storedConversation(options, [
    ['one', 'first'],
    ['two', 'second'],
  ]);
  const journal = resumed(options, id);
  const path = pathOf(journal.conversation());
  const [turn, after] = [path[1]?.id ?? '', path[3]?.id ?? ''];
  journal.setSummary({ turn, after, content: 'of the first', model: 'origin' });
  await journal.close();
  return { options, id, turn };
}

const contents = (conversation: Parameters<typeof messagesOf>[0]) =>
  messagesOf(conversation).map(({ content }) => content);

const withSummary = [
  'Summary of the earlier conversation:\n\n<summary>\nof the first\n</summary>\n\ntwo',
  'second',
];

test('a summary is a record of its own type, and is sent again when the conversation is resumed or copied', async () => {
  const { options, id, turn } = await summarized();
  expect(JSON.parse(linesOf(options.folder, id).at(-1) ?? '')).toMatchObject({
    type: 'summary',
    turn,
    content: 'of the first',
  });
  expect(contents(resumed(options, id).conversation())).toEqual(withSummary);
  const copy = branchJournal(options, id);
  expect(contents(copy.conversation())).toEqual(withSummary);
  addPromptAndAnswer(copy, 'three', 'third');
  await copy.close();
  const again = resumed(options, copy.conversation().id);
  expect(contents(again.conversation())).toEqual([...withSummary, 'three', 'third']);
});

test('a removed summary stays removed, and the turns are sent again', async () => {
  const { options, id, turn } = await summarized();
  const journal = resumed(options, id);
  journal.removeSummary(turn);
  await journal.close();
  expect(contents(resumed(options, id).conversation())).toEqual(['one', 'first', 'two', 'second']);
});

test('a summary applies only to a path that has its last turn', async () => {
  const { options, id } = await summarized();
  const journal = resumed(options, id);
  const first = pathOf(journal.conversation())[0]?.id;
  const other = journal.startAnswer({ model: 'nextgen', parent: first });
  journal.append('text', other.id, 'another');
  journal.endAnswer(other.id, {});
  expect(summaryOf(journal.conversation())).toBeUndefined();
  expect(contents(journal.conversation())).toEqual(['one', 'another']);
});

test('exports have the summary after the turns that it replaces', async () => {
  const { options, id } = await summarized();
  const conversation = resumed(options, id).conversation();
  expect(whole(exportMarkdown(conversation, selected))).toContain(
    'first\n\n## Summary (sent instead of the turns above)\n\nof the first\n\n## You\n\ntwo',
  );
  expect(whole(exportHtml(conversation, selected))).toContain('of the first');
  expect(JSON.parse(whole(exportJson(conversation, selected)))).toMatchObject({
    summaries: [{ content: 'of the first', model: 'origin' }],
    turns: [{ content: 'one' }, { content: 'first' }, { content: 'two' }, { content: 'second' }],
  });
});

test('a search finds the text of a summary', async () => {
  const { options, id, turn } = await summarized();
  const found = searchConversation(fileOf(options.folder, id), compileTerms(['of the']), 0);
  expect(found).toMatchObject([{ turn, role: 'summary', hits: 1 }]);
});
