import { describe, expect, test } from 'vitest';
import { estimateMessages } from '../../../src/conversation/token-estimate.ts';
import { contextUse } from '../../../src/repl/state/position.ts';
import { conversationOf } from '../../support/repl-state.ts';

const prompt = { role: 'user', content: 'why?' } as const;
const next = { role: 'user', content: 'and at sunset?' } as const;
const counted = {
  role: 'assistant',
  content: 'because',
  usage: { prompt_tokens: 700, completion_tokens: 300 },
} as const;
const uncounted = { role: 'assistant', content: 'so', incomplete: true } as const;
const unanswered = { role: 'assistant', content: '', incomplete: true } as const;

describe('how full the window is', () => {
  test('is what the service counted with the last answer', () => {
    const conversation = conversationOf(prompt, counted);
    expect(contextUse(conversation, undefined)).toEqual({ tokens: 1000, isEstimate: false });
  });

  test('is an estimate where the service never counted', () => {
    expect(contextUse(conversationOf(prompt, uncounted), undefined)).toEqual({
      tokens: estimateMessages([prompt, uncounted]),
      isEstimate: true,
    });
  });

  test('grows by an estimate of what came after the last count', () => {
    expect(contextUse(conversationOf(prompt, counted, next), undefined)).toEqual({
      tokens: 1000 + estimateMessages([next]),
      isEstimate: true,
    });
    expect(contextUse(conversationOf(prompt, counted, next, uncounted), undefined)).toEqual({
      tokens: 1000 + estimateMessages([next, uncounted]),
      isEstimate: true,
    });
  });

  test('is unchanged after an unanswered prompt', () => {
    const conversation = conversationOf(prompt, counted, next, unanswered);
    expect(contextUse(conversation, undefined)).toEqual({ tokens: 1000, isEstimate: false });
  });
});
