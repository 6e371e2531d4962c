import { expect, test } from 'vitest';
import { estimateMessages } from '../../../src/conversation/token-estimate.ts';
import { contextUse } from '../../../src/repl/conversations/position.ts';
import { runInApp } from '../../support/app.tsx';
import { conversationOf, stateOf } from '../../support/repl-state.ts';

const prompt = { role: 'user', content: 'why?' } as const;
const next = { role: 'user', content: 'and at sunset?' } as const;
const reported = {
  role: 'assistant',
  content: 'because',
  usage: { prompt_tokens: 700, completion_tokens: 300 },
} as const;
const unreported = { role: 'assistant', content: 'so', incomplete: true } as const;
const unanswered = { role: 'assistant', content: '', incomplete: true } as const;

test.each([
  ['what the service reported with the last answer', [prompt, reported], 1000, []],
  ['an estimate if nothing was reported', [prompt, unreported], 0, [prompt, unreported]],
  ['with an estimate of a later prompt', [prompt, reported, next], 1000, [next]],
  [
    'with an estimate of all later turns',
    [prompt, reported, next, unreported],
    1000,
    [next, unreported],
  ],
  ['unchanged after an unanswered prompt', [prompt, reported, next, unanswered], 1000, []],
])('the context use is %s', (_what, turns, counted, estimated) => {
  expect(contextUse({ conversation: conversationOf(...turns) })).toEqual({
    tokens: counted + estimateMessages(estimated),
    isEstimate: estimated.length > 0,
  });
});

test.each<[string, readonly [string, number] | undefined, RegExp]>([
  ['small', undefined, / small {2}1,000 tokens$/],
  ['small', ['small', 4000], /1K\/4K 25%$/],
  // It takes precedence over the catalogue, which applies to other models.
  ['origin', ['origin', 8000], /\/8K/],
  ['nextgen', ['origin', 8000], /\/1M/],
])(
  'Y31: the footer shows for %s the window that the service reported: %j',
  (model, window, row) => {
    const { settings, service } = stateOf();
    const state = stateOf({
      settings: { ...settings, model },
      service: { ...service, windows: new Map(window && [window]) },
      context: { tokens: 1000, isEstimate: false },
    });
    expect(runInApp(state).rows.at(-1)).toMatch(row);
  },
);
