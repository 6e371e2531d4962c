import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { printNotice } from '../../src/repl/step.ts';
import { runInApp } from '../support/app.tsx';
import {
  composed,
  effectsOf,
  enter,
  interrupt,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

describe('Y18: a word that quits other programs', () => {
  test.each(['exit', 'quit', ':q', ':q!', ':qa', ':qa!', ':wq', ':wqa', ':x', ':xa', ' exit '])(
    '%j alone quits after a confirmation',
    (word) => {
      const asked = run(stateOf(), typed(word), enter);
      expect(asked.effects).toEqual([]);
      expect(noticeOf(asked.state)).toBe('press Enter again to quit');
      const left = run(asked.state, enter);
      expect(left.effects).toEqual([{ type: 'quit' }]);
      expect(composed(left.state)).toBe('');
    },
  );

  test('quits during an answer too', () => {
    const { state, effects } = run(stateOf(), typed('one'), enter, typed('exit'), enter, enter);
    expect(state.hasQuit).toBe(true);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
  });

  test('needs a new confirmation after any other key', () => {
    const { state, effects } = run(stateOf(), typed('exit'), enter, pressed('left'), enter);
    expect([state.hasQuit, state.isExitWordEntered]).toEqual([false, true]);
    expect(effects).toEqual([]);
  });

  test('is ordinary text in a longer prompt', () => {
    const { state, effects } = run(stateOf(), typed('exit'), enter, typed(' codes?'), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'exit codes?' });
    expect(composed(state)).toBe('');
  });

  test('quits in line mode when it is typed again', () => {
    const line = (text: string) => ({ type: 'line-entered', text, now: 0 }) as const;
    const start = stateOf({ isLineMode: true });
    const asked = run(start, line('exit'));
    expect(printed(asked.effects)).toEqual([
      'type exit again to quit; add words to send it as a prompt',
    ]);
    expect(run(asked.state, line('quit')).state.hasQuit).toBe(true);
    const { state } = run(asked.state, line('one'), line('exit'));
    expect([state.hasQuit, state.isExitWordEntered]).toEqual([false, true]);
  });
});

test('Ctrl+C cancels a question, and pressed again does not quit', () => {
  const cancel = (state: ReplState) => printNotice({ ...state, dialog: undefined }, 'cancelled');
  const dialog = { type: 'choice', title: 'replace it?', choices: [], cancel } as const;
  const cancelled = runInApp(stateOf({ dialog }), interrupt);
  expect(printed(cancelled.effects)).toEqual(['cancelled']);
  expect(run(cancelled.state, interrupt).state.hasQuit).toBe(false);
});
