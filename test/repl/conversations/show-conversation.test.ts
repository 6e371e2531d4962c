import { expect, test } from 'vitest';
import { showConversation } from '../../../src/repl/conversations/conversations.ts';
import { conversationOf } from '../../support/repl-state.ts';

const notices = (end: { readonly incomplete?: true; readonly finishReason?: string }) =>
  showConversation(
    conversationOf(
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: 'because', model: 'origin', ...end },
    ),
  ).flatMap((entry) => (entry.type === 'notice' ? [entry.text] : []));

test.each([
  ['is incomplete', { incomplete: true }],
  ['reached the token limit', { finishReason: 'length' }],
] as const)('a shown answer that %s can be continued', (_what, end) => {
  expect(notices(end)).toContain('cut off; /continue resumes it');
});

test('a shown answer that is complete has no notice', () => {
  expect(notices({ finishReason: 'stop' })).toEqual(['conversation c1: why?']);
});
