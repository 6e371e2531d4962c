import { expect, test } from 'vitest';
import { showConversation } from '../../../src/repl/conversations/conversations.ts';
import { lineFormat } from '../../../src/repl/line-mode/run-line-mode.ts';
import { createTranscript } from '../../../src/repl/transcript/transcript.ts';
import { conversationOf, stateOf } from '../../support/repl-state.ts';

const format = lineFormat(() => 80);

test('prints the prompts of a reopened conversation, but not typed ones', async () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const transcript = createTranscript(() => format, write);
  const turns = [
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: 'because', model: 'origin' },
  ] as const;
  await transcript.print(showConversation(stateOf({ conversation: conversationOf(...turns) })));
  await transcript.print([{ type: 'prompt', text: 'typed just now' }]);
  await transcript.closeAnswer();
  expect(written.join('')).toBe('natter: conversation c1: why?\nYou: why?\norigin: because\n');
});

test('writes symbols as words, and breaks a failure between words', () => {
  expect(format.notice({ type: 'notice', text: '~12 tokens · 3 tokens/s' })).toBe(
    'natter: about 12 tokens, 3 tokens a second\n',
  );
  const [message, hint] = ['it failed for a reason', 'ask again a little later'];
  expect(lineFormat(() => 20).failure({ type: 'failure', message, hint })).toBe(
    'natter: it failed\nfor a reason\n  ask again a little\nlater\n',
  );
});
