import { describe, expect, test } from 'vitest';
import { estimateMessages } from '../../../src/conversation/token-estimate.ts';
import { contextUse } from '../../../src/repl/conversations/position.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import { runInApp } from '../../support/app.tsx';
import { conversationOf, run, stateOf, type StateChange } from '../../support/repl-state.ts';

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

const settings = {
  model: 'small',
  system: undefined,
  maxTokens: undefined,
  theme: 'color',
  wrap: 'words',
  times: 'off',
} as const;
const context = { tokens: 1000, isEstimate: false };
const listed =
  (id: string, window: number): StateChange =>
  (state) =>
    step({ ...state, service: { ...state.service, windows: new Map([[id, window]]) } });

const footerOf = (state: ReplState) => runInApp(state).rows.at(-1);

test('Y31: the footer shows the window that the service reported', () => {
  const before = stateOf({ settings, context });
  expect(footerOf(before)).toMatch(/ small {2}1,000 tokens$/);
  const { state } = run(before, listed('small', 4000));
  expect(footerOf(state)).toMatch(/1\.0K\/4\.0K 25%$/);
});

test("Y31: the service's window takes precedence over the catalogue, which applies to other models", () => {
  const origin = { ...settings, model: 'origin' };
  const { state } = run(stateOf({ settings: origin, context }), listed('origin', 8000));
  expect(footerOf(state)).toMatch(/\/8\.0K/);
  const nextgen = { ...state, settings: { ...origin, model: 'nextgen' } };
  expect(footerOf(nextgen)).toMatch(/\/1M/);
});
