import { expect, test } from 'vitest';
import { showConversation } from '../../../src/repl/conversations/conversations.ts';
import { lineFormat } from '../../../src/repl/line-mode/run-line-mode.ts';
import { Transcript } from '../../../src/repl/transcript/transcript.ts';
import { conversationOf, stateOf } from '../../support/repl-state.ts';

const format = lineFormat(() => 80);

test('prints the prompts of a reopened conversation, but not typed ones', async () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const transcript = new Transcript(() => format, write);
  const turns = [
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: 'because', model: 'origin' },
  ] as const;
  await transcript.print(showConversation(stateOf({ conversation: conversationOf(...turns) })));
  await transcript.print([{ type: 'prompt', text: 'typed just now' }]);
  await transcript.closeAnswer();
  expect(written.join('')).toBe('natter: conversation c1: why?\nYou: why?\norigin: because\n');
});

test.each([
  ['one line', 'natter: one line\n'],
  ['ID  TITLE\nc1  tea', 'natter:\nID  TITLE\nc1  tea\n'],
])('starts a table on its own line: %j', (text, line) => {
  expect(format.notice(text)).toBe(line);
});

test.each([
  ['~12 tokens · 3 tokens/s', 'natter: about 12 tokens, 3 tokens a second\n'],
  ['version 2/3 · 1 s', 'natter: version 2 of 3, 1 s\n'],
])('writes symbols as words: %s', (text, line) => {
  expect(format.notice(text)).toBe(line);
});

test('breaks notices and failures between words', () => {
  const narrow = lineFormat(() => 20);
  expect(narrow.notice('the summary is removed')).toBe('natter: the summary\nis removed\n');
  expect(narrow.failure('it failed for a reason', 'ask again a little later')).toBe(
    'natter: it failed\nfor a reason\n  ask again a little\nlater\n',
  );
});
