import { describe, expect, test } from 'vitest';
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

describe('the context use', () => {
  test('is the usage that the service reported with the last answer', () => {
    const conversation = conversationOf(prompt, reported);
    expect(contextUse({ conversation })).toEqual({ tokens: 1000, isEstimate: false });
  });

  test('is an estimate if the service never reported usage', () => {
    expect(contextUse({ conversation: conversationOf(prompt, unreported) })).toEqual({
      tokens: estimateMessages([prompt, unreported]),
      isEstimate: true,
    });
  });

  test('adds an estimate of the turns after the last reported usage', () => {
    expect(contextUse({ conversation: conversationOf(prompt, reported, next) })).toEqual({
      tokens: 1000 + estimateMessages([next]),
      isEstimate: true,
    });
    expect(
      contextUse({ conversation: conversationOf(prompt, reported, next, unreported) }),
    ).toEqual({
      tokens: 1000 + estimateMessages([next, unreported]),
      isEstimate: true,
    });
  });

  test('is unchanged after an unanswered prompt', () => {
    const conversation = conversationOf(prompt, reported, next, unanswered);
    expect(contextUse({ conversation })).toEqual({ tokens: 1000, isEstimate: false });
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
