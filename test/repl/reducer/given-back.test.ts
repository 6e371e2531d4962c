import { describe, expect, test } from 'vitest';
import {
  composed,
  conversationOf,
  effectsOf,
  enter,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const failed = {
  type: 'answer-ended',
  outcome: {
    type: 'failed',
    hasText: false,
    failure: { kind: 'server_error', message: 'the service answered 500' },
  },
  conversation: conversationOf({ role: 'user', content: 'one' }),
  now: 0,
} as const;

describe('a prompt that came back unanswered', () => {
  test('makes room for /retry: a slash right after it begins a command', () => {
    const { effects } = run(stateOf(), typed('one'), enter, failed, typed('/retry'), enter);
    expect(effectsOf(effects, 'ask').at(-1)?.question).toMatchObject({ type: 'again' });
  });

  test('is text like any other once it was edited', () => {
    const { state } = run(stateOf(), typed('one'), enter, failed, typed(' or'), typed('/two'));
    expect(composed(state)).toBe('one or/two');
  });
});
