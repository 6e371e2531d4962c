import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import type { ReplState } from '../../src/repl/state.ts';
import {
  composed,
  effectsOf,
  enter,
  pasted,
  pressed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const stash = pressed('s', { ctrl: true });
const notice = (state: ReplState) => noticeOf(state);

describe('Ctrl+S', () => {
  test('puts the draft aside, on disk in the history, and brings it back with its caret', () => {
    const put = run(stateOf(), typed('a long draft'), pressed('left'), stash);
    expect(composed(put.state)).toBe('');
    expect(effectsOf(put.effects, 'remember')).toEqual([
      { type: 'remember', input: 'a long draft' },
    ]);
    expect(notice(put.state)).toBe('Ctrl+S restores the stashed draft');
    const { state } = run(put.state, stash);
    expect([composed(state), state.composer.cursor]).toEqual(['a long draft', 11]);
    expect(notice(state)).toBeUndefined();
  });

  test('the draft returns after the next prompt was sent', () => {
    const asking = run(stateOf(), typed('a long draft'), stash, typed('quick?')).state;
    expect(notice(asking)).toBe('after this prompt: the stashed draft');
    const { state, effects } = run(asking, enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'quick?' });
    expect(composed(state)).toBe('a long draft');
  });

  test('a command leaves it aside', () => {
    const { state } = run(stateOf(), typed('draft'), stash, typed('/usage'), enter);
    expect([composed(state), state.stash?.length]).toEqual(['', 1]);
  });

  test('several drafts return in reverse order', () => {
    const put = run(stateOf(), typed('one'), stash, typed('two'), stash).state;
    expect(notice(put)).toBe('Ctrl+S restores 1 of 2 drafts');
    const two = run(put, stash).state;
    expect(composed(two)).toBe('two');
    expect(composed(run(two, enter).state)).toBe('one');
  });

  test('a paste keeps its text', () => {
    const text = 'line\n'.repeat(20);
    const { state } = run(stateOf(), pasted(text), stash, stash);
    expect(composed(state)).toBe(text);
  });

  test('does nothing without a draft', () => {
    const { state, effects } = run(stateOf(), stash);
    expect([composed(state), effects]).toEqual(['', []]);
  });
});
