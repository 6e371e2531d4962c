import { expect, test } from 'vitest';
import type { ReplState } from '../../../src/repl/state.ts';
import {
  conversationOf,
  enter,
  lineEntered,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const prompt = 'word '.repeat(200);
const conversation = conversationOf(
  { role: 'system', content: prompt },
  { role: 'user', content: 'why?' },
  { role: 'assistant', content: prompt, usage: { total_tokens: 400 } },
);

function shown(changes: Partial<ReplState>): readonly string[] {
  const before = stateOf();
  const state = stateOf({
    conversation,
    context: { tokens: 400, isEstimate: false },
    settings: { ...before.settings, system: prompt, maxTokens: 200 },
    service: { ...before.service, windows: new Map([['origin', 1000]]) },
    ...changes,
  });
  const change = state.isLineMode ? [lineEntered('/context')] : [typed('/context'), enter];
  return printed(run(state, ...change).effects)[0]?.split('\n') ?? [];
}

test('the parts of the window have bars, tokens and shares', () => {
  expect(shown({ unicode: true }).slice(0, 6)).toEqual([
    '40% of the window of origin: 400 of 1,000 tokens',
    'part                    tokens  share',
    'system prompt  ███▏       ~198    20%',
    'turns          ███▎       ~202    20%  1 prompt',
    'answer room    ███▎       ~200    20%',
    'free           ██████▍    ~400    40%',
  ]);
  expect(shown({}).join('')).toMatch(/^[\x20-\x7E]+$/);
});

test('the parts have no share of an unknown window', () => {
  const settings = { ...stateOf().settings, model: 'unknown' };
  expect(shown({ settings }).slice(0, 3)).toEqual([
    'the conversation has 400 tokens; the window of unknown is not known',
    'part   tokens',
    expect.stringMatching(/^turns +~400 +1 prompt$/),
  ]);
});
