import { describe, expect, test } from 'vitest';
import { buildViewModel } from '../../../src/repl/live/build-view-model.ts';
import {
  composed,
  effectsOf,
  enter,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

describe('Y18: a word that ends other programs', () => {
  test.each(['exit', 'quit', ':q', ' exit '])('%j alone leaves after asking once', (word) => {
    const asked = run(stateOf(), typed(word), enter);
    expect(asked.effects).toEqual([]);
    expect(buildViewModel(asked.state, '').notice).toBe('press Enter again to quit');
    expect(run(asked.state, enter).effects).toEqual([{ type: 'leave' }]);
  });

  test('leaves while an answer comes, too', () => {
    const { state, effects } = run(stateOf(), typed('one'), enter, typed('exit'), enter, enter);
    expect(state.hasLeft).toBe(true);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
  });

  test('is asked about again after any other key', () => {
    const { state, effects } = run(stateOf(), typed('exit'), enter, pressed('left'), enter);
    expect([state.hasLeft, state.isExitWordEntered]).toEqual([false, true]);
    expect(effects).toEqual([]);
  });

  test('in a longer prompt is a word', () => {
    const { state, effects } = run(stateOf(), typed('exit'), enter, typed(' codes?'), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'exit codes?' });
    expect(composed(state)).toBe('');
  });

  test('in line mode leaves when it is typed again', () => {
    const line = (text: string) => ({ type: 'line-entered', text, now: 0 }) as const;
    const start = stateOf({ isLineMode: true });
    const asked = run(start, line('exit'));
    expect(printed(asked.effects)).toEqual(['type exit again to quit; a longer line is a prompt']);
    expect(run(asked.state, line('quit')).state.hasLeft).toBe(true);
    const { state } = run(asked.state, line('one'), line('exit'));
    expect([state.hasLeft, state.isExitWordEntered]).toEqual([false, true]);
  });
});
