import { expect, test } from 'vitest';
import { timeText } from '../../../src/conversation/prompt-time.ts';
import type { Turn } from '../../../src/conversation/tree.ts';
import { openedSettings, showConversation } from '../../../src/repl/conversations/conversations.ts';
import { closingOf, currentPath, lastPrompt } from '../../../src/repl/conversations/position.ts';
import { resolveSettings } from '../../../src/settings/resolve.ts';
import { storedWith } from '../../settings/fixtures/stored.ts';
import { conversationOf, stateOf } from '../../support/repl-state.ts';

function closing(answer: Partial<Turn>, measured?: number) {
  const conversation = conversationOf(
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: 'four letters each', ...answer },
  );
  const pair = lastPrompt(currentPath({ conversation }));
  if (pair === undefined) throw new Error('there is no prompt');
  return closingOf(conversation, pair, undefined, measured);
}

test.each<[string, Partial<Turn>, readonly string[]]>([
  ['its tokens', { usage: { completion_tokens: 207 } }, ['207 tokens']],
  ['estimated tokens', { model: 'a', timing: { total: 400 } }, ['a', '0.4 s', '~5 tokens']],
  ['minutes', { timing: { total: 125_400 } }, ['2 min 5 s', '~5 tokens']],
  ['at least 0.1 s', { timing: { total: 9 } }, ['0.1 s', '~5 tokens']],
])('an answer is closed with %s', (_, answer, facts) => {
  expect(closing(answer)).toMatchObject([{ facts, version: undefined }]);
});

test('a cut answer is closed with the time that was measured, and an empty one with nothing', () => {
  expect(closing({ incomplete: true }, 2500)).toMatchObject([{ facts: ['2.5 s', '~5 tokens'] }]);
  expect(closing({ content: '' })).toEqual([]);
});

const notices = (end: Partial<Turn>) =>
  showConversation(
    stateOf({
      conversation: conversationOf(
        { role: 'user', content: 'why?' },
        { role: 'assistant', content: 'because', model: 'origin', ...end },
      ),
    }),
  ).flatMap((entry) => (entry.type === 'notice' ? [entry.text] : []));

test.each([
  ['was stopped', { incomplete: true }, 'stopped'],
  ['was cut off', { incomplete: true, failure: 'incomplete' }, 'cut off'],
  ['reached the token limit', { finishReason: 'length' }, 'the answer reached the token limit'],
] as const)('N21: a shown answer that %s can be continued', (_what, end, words) => {
  expect(notices(end)).toContain(`${words}; /continue resumes it`);
  expect(notices({ finishReason: 'stop' })).toEqual(['conversation c1: why?']);
});

test.each([
  ['show', { type: 'reasoning', text: 'let me see' }],
  ['minimize', { type: 'notice', text: 'reasoned, 3 words' }],
] as const)(
  '/reasoning %s is for the answers of an opened conversation, too',
  (reasoning, entry) => {
    const thought = '<think>let me see</think>\n\n';
    const conversation = conversationOf(
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: 'because', thought },
    );
    expect(showConversation(stateOf({ conversation, reasoning }))[2]).toEqual(entry);
  },
);

test('the times of an opened conversation have the day first, and lines for hours between turns', () => {
  const at = (hour: number) => new Date(2026, 10, 28, hour, 5);
  const pair = (hour: number) =>
    [
      { role: 'user', content: 'why?', createdAt: at(hour) },
      { role: 'assistant', content: 'because', createdAt: at(hour) },
    ] as const;
  const conversation = conversationOf(...[1, 8, 9, 9, 12].flatMap(pair));
  const state = stateOf({ conversation });
  const settings = { ...state.settings, times: 'on' as const };
  const entries = showConversation({ ...state, settings }).slice(1);
  const times = entries.flatMap((entry) => {
    if (entry.type === 'notice') return [entry.text];
    return entry.type === 'closing' && entry.time ? [timeText(entry.time)] : [];
  });
  expect(times).toEqual([
    'Saturday 28 November 09:05',
    '09:05',
    '3 hours later, Saturday 28 November 12:05',
    '12:05',
  ]);
});

test('an opened conversation has its model, system prompt and parameters, unless this run sets them', () => {
  const conversation = {
    ...conversationOf(
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: 'because', model: 'nextgen' },
    ),
    parameters: { set: { temperature: 0.2, top_p: 1 }, removed: ['seed'] },
  };
  const opened = (flags: object, params = {}) =>
    openedSettings(
      resolveSettings({ flags: { ...flags, params }, environment: {}, stored: storedWith({}) }),
      conversation,
    );
  expect(opened({})).toMatchObject({
    model: 'nextgen',
    system: 'be brief',
    parameters: conversation.parameters,
  });
  expect(opened({ model: 'origin', system: 'be kind' }, { top_p: '0.5' })).toMatchObject({
    model: 'origin',
    system: 'be kind',
    parameters: { set: { temperature: 0.2 } },
  });
  expect(opened({ model: 'auto' }).model).toBe('auto');
});
