import { expect, test } from 'vitest';
import { createHistory } from '../../src/repl/composer/history.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { modeText, startVi } from '../../src/repl/composer/vi/vi-keys.ts';
import { composed, escape, pasted, run, stateOf, typed } from '../support/repl-state.ts';

function inNormal(text: string, changes: Partial<ReplState> = {}): ReplState {
  const state = stateOf(changes);
  return run({ ...state, vi: startVi(state.composer) }, typed(text), escape).state;
}

const mode = (state: ReplState) => state.vi && modeText(state.vi);
const keys = (state: ReplState, text: string) => run(state, typed(text));

// As Vim 9 does with bracketed paste.
test.each([
  ['', 'dd', 'onedd', 4],
  ['0', 'dd', 'ddone', 1],
  ['0l', 'd\nd', 'ond\nde', 4],
  ['0d', 'dd', 'ddone', 1],
  ['0vl', 'dd', 'dde', 1],
  ['V', 'dd', 'dd', 1],
])('a paste after %j is text, and ends in normal mode', (typedKeys, text, all, cursor) => {
  const { state } = run(keys(inNormal('one'), typedKeys).state, pasted(text));
  expect([composed(state), state.composer.cursor, mode(state)]).toEqual([all, cursor, 'NORMAL']);
  expect(composed(keys(state, 'u').state)).toBe('one');
});

test('. and counts repeat a long paste, also in a recalled prompt', () => {
  const paste = 'line\n'.repeat(20);
  const start = inNormal('', { history: createHistory(['old']) });
  const put = run(start, pasted(paste)).state;
  expect(composed(keys(put, '.').state)).toBe(paste + paste);
  expect(composed(keys(put, 'k.').state)).toBe(`ol${paste}d`);
  const counted = run(keys(inNormal(''), '2i').state, pasted(paste), escape).state;
  expect(composed(counted)).toBe(paste + paste);
});
