import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/repl/live/view-of.ts';
import {
  conversationOf,
  effectsOf,
  enter,
  escape,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const stopped = {
  type: 'answer-ended',
  outcome: { type: 'stopped', hasText: true },
  conversation: conversationOf(
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'first', incomplete: true },
  ),
  now: 0,
} as const;

describe('what waits after a stop', () => {
  const line = (text: string) => ({ type: 'line-entered', text, now: 0 }) as const;

  test('is told with the key that sends it', () => {
    const { state } = run(stateOf(), typed('one'), enter, typed('two'), enter, escape, stopped);
    expect(viewOf(state, '').notice).toBe('Enter sends what waits, Up takes it back');
    expect(effectsOf(run(state, enter).effects, 'ask')[0]?.question).toMatchObject({
      content: 'two',
    });
  });

  test('is told in line mode, where an empty line sends it', () => {
    const lines = stateOf({ isLineMode: true });
    const { state, effects } = run(lines, line('one'), line('two'), stopped);
    expect(printed(effects).at(-1)).toBe('1 line waits; Enter sends on');
    expect(effectsOf(run(state, line('')).effects, 'ask')).toHaveLength(1);
  });
});
