import { describe, expect, test } from 'vitest';
import { onPathsRecognised } from '../../../src/repl/files/picking.ts';
import { noticeOf } from '../../../src/repl/screen/notice.ts';
import {
  composed,
  effectsOf,
  pasted,
  pressed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const checksOf = (result: ReturnType<typeof run>) => effectsOf(result.effects, 'recognise-paths');

/** Replaces the paste by a mention. */
function recognised(result: ReturnType<typeof run>, mentions: string, start = result.state) {
  const [check] = checksOf(result);
  if (check === undefined) throw new Error('the paste was not checked');
  const { from, inserted } = check;
  return run(start, (state) => onPathsRecognised(state, from, inserted, mentions)).state;
}

describe('a pasted path of a file', () => {
  test('becomes a mention, and undo brings it back', () => {
    const state = recognised(run(stateOf(), typed('see '), pasted('/tmp/a.md ')), '@a.md');
    expect(composed(state)).toBe('see @a.md ');
    expect(noticeOf(state)).toContain('undoes it');
    const undone = run(state, pressed('_', { ctrl: true })).state;
    expect(composed(undone)).toBe('see /tmp/a.md ');
    expect(noticeOf(undone)).toBeUndefined();
  });

  test('keeps the caret behind text that was typed meanwhile', () => {
    const result = run(stateOf(), pasted('/tmp/a.md'));
    const more = run(result.state, typed(' is')).state;
    expect(composed(run(recognised(result, '@a.md', more), typed('!')).state)).toBe('@a.md is!');
  });

  test('stays if the text has changed', () => {
    const result = run(stateOf(), pasted('/tmp/a.md'));
    const changed = run(result.state, pressed('backspace')).state;
    expect(composed(recognised(result, '@a.md', changed))).toBe('/tmp/a.m');
  });

  test('is also recognised in a long paste', () => {
    const text = Array.from({ length: 9 }, (_, index) => `/tmp/${index}.md`).join('\n');
    expect(composed(recognised(run(stateOf(), pasted(text)), '@0.md @1.md'))).toBe('@0.md @1.md ');
  });
});

test.each([
  ['a word', [pasted('notes')]],
  ['a path within a word', [typed('a'), pasted('/tmp/a.md')]],
  ['the argument of a command', [typed('/attach '), pasted('/tmp/a.md')]],
  ['the argument of a command for the shell', [typed('!cat '), pasted('/tmp/a.md')]],
  ['a very long paste', [pasted(`/${'a'.repeat(10_000)}`)]],
  ['a typed path', [typed('/tmp/a.md')]],
])('%s is not checked', (_what, actions) => {
  expect(checksOf(run(stateOf(), ...actions))).toEqual([]);
});
