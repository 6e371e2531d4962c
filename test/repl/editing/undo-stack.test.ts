import { describe, expect, test } from 'vitest';
import { joinEdit, type Edit } from '../../../src/repl/editing/undo-stack.ts';

const typed = (at: number, inserted: string): Edit => ({ at, inserted, removed: '', cursor: at });
const removed = (at: number, text: string): Edit => ({
  at,
  inserted: '',
  removed: text,
  cursor: at + text.length,
});

function joined(joinsLast: boolean, ...edits: readonly Edit[]): readonly Edit[] {
  return edits.reduce<readonly Edit[]>((stack, edit) => joinEdit(stack, edit, joinsLast), []);
}

describe('the extent of one undo', () => {
  test('a word typed letter by letter is one step', () => {
    expect(joined(true, typed(0, 'a'), typed(1, 'b'))).toEqual([typed(0, 'ab')]);
  });

  test('a new word is a step of its own, the space belongs to the word before', () => {
    expect(joined(true, typed(0, 'a'), typed(1, ' '), typed(2, 'b'))).toEqual([
      typed(0, 'a '),
      typed(2, 'b'),
    ]);
  });

  test('text typed elsewhere is a step of its own', () => {
    expect(joined(true, typed(0, 'a'), typed(5, 'b'))).toHaveLength(2);
  });

  test('letters removed backwards are one step, in the order of the text', () => {
    const [step] = joined(true, removed(2, 'c'), removed(1, 'b'));
    expect(step).toMatchObject({ at: 1, removed: 'bc', cursor: 3 });
  });

  test('letters removed forwards are one step', () => {
    expect(joined(true, removed(1, 'b'), removed(1, 'c'))).toMatchObject([
      { at: 1, removed: 'bc' },
    ]);
  });

  test('letters removed elsewhere are a step of its own', () => {
    expect(joined(true, removed(1, 'b'), removed(5, 'c'))).toHaveLength(2);
  });

  test('typing after a removal is a step of its own, and a removal after typing', () => {
    expect(joined(true, removed(1, 'b'), typed(1, 'c'))).toHaveLength(2);
    expect(joined(true, typed(1, 'c'), removed(1, 'c'))).toHaveLength(2);
  });

  test('an edit that does not continue the last one is a step of its own', () => {
    expect(joined(false, typed(0, 'a'), typed(1, 'b'))).toHaveLength(2);
  });

  test('the 500 latest steps are kept', () => {
    const edits = Array.from({ length: 501 }, (_, index) => typed(index * 10, `${index}`));
    const stack = joined(false, ...edits);
    expect([stack.length, stack[0]?.inserted, stack.at(-1)?.inserted]).toEqual([500, '1', '500']);
  });
});
