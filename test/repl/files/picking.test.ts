import { describe, expect, test } from 'vitest';
import { onPathsRecognised } from '../../../src/repl/files/dropped-files.ts';
import { onFilesPicked } from '../../../src/repl/menu.ts';
import { noticeOf } from '../../../src/repl/screen/notice.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import {
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pasted,
  pressed,
  run,
  type StateChange,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const tab = pressed('tab');
const requestsOf = ({ effects }: ReturnType<typeof run>) =>
  effectsOf(effects, 'pick-files').map(({ typed: wanted }) => wanted);

/** What the picker found for the mention at the end of the draft. */
function found(state: ReplState, ...values: readonly string[]): StateChange {
  const [request] = effectsOf(
    run(state, typed('x'), pressed('backspace')).effects,
    'pick-files',
  ).slice(-1);
  if (request === undefined) throw new Error('the picker is closed');
  const candidates = values.map((value) => ({
    value: value.replace(/\/$/, ''),
    ...(value.endsWith('/') && { isFolder: true }),
  }));
  return (before) => onFilesPicked(before, request, candidates, false);
}

/** The state after a text was typed and files were found. */
function picking(text: string, ...values: readonly string[]): ReplState {
  const { state } = run(stateOf(), typed(text));
  return run(state, found(state, ...values)).state;
}

const sent = (result: ReturnType<typeof run>) =>
  effectsOf(result.effects, 'send').map(({ prompt }) => prompt.type === 'new' && prompt.content);

describe('the file picker', () => {
  test('opens at the @ of a mention, and follows what is typed', () => {
    const result = run(stateOf(), typed('see @'), typed('n'), typed('o'), pressed('backspace'));
    expect(requestsOf(result)).toEqual(['', 'n', 'no', 'n']);
  });

  test.each([
    ['an address', [typed('bob@example.com')]],
    ['a command', [typed('/system @')]],
    ['a command for the shell', [typed('!echo @')]],
    ['a paste', [pasted('@no')]],
  ])('does not open in %s', (_what, actions) => {
    expect(requestsOf(run(stateOf(), ...actions))).toEqual([]);
  });

  test('closes after the mention', () => {
    const state = picking('@n', 'notes.md');
    const after = run(state, typed(' '), typed('n'));
    expect(after.state.completion).toBeUndefined();
    expect(requestsOf(after)).toEqual([]);
  });

  test.each([
    ['Tab', tab],
    ['Enter', enter],
  ])('%s accepts the selected file', (_key, key) => {
    const { state, effects } = run(picking('see @n', 'notes.md', 'src/n.ts'), key);
    expect(composed(state)).toBe('see @notes.md ');
    expect(state.completion).toBeUndefined();
    expect(effects).toEqual([]);
  });

  test('Tab before the files are found accepts the best of them', () => {
    const { state } = run(stateOf(), typed('see @n'), tab);
    const { state: accepted } = run(state, found(state, 'notes.md', 'src/n.ts'));
    expect([composed(accepted), accepted.completion]).toEqual(['see @notes.md ', undefined]);
  });

  test('Tab before the files of a typed folder are found selects the first of them', () => {
    const { state } = run(stateOf(), typed('@src/'), tab);
    const { state: open } = run(state, found(state, 'src/n.ts', 'src/o.ts'));
    expect([composed(open), open.completion?.selected]).toEqual(['@src/', 1]);
  });

  test('Tab before the files are found is forgotten with the next key', () => {
    const { state } = run(stateOf(), typed('@n'), tab, typed('o'));
    const { state: open } = run(state, found(state, 'notes.md'));
    expect([composed(open), open.completion?.candidates.length]).toEqual(['@no', 1]);
  });

  test('quotes a path with a space', () => {
    const { state } = run(picking('@n', 'my notes.md'), tab);
    expect(composed(state)).toBe('@"my notes.md" ');
  });

  test('continues in a folder', () => {
    const result = run(picking('@s', 'src/'), tab);
    expect(composed(result.state)).toBe('@src/');
    expect(requestsOf(result)).toEqual(['src/']);
  });

  test.each([
    ['Esc', escape],
    ['Ctrl+C', interrupt],
  ])('%s closes it, and it stays closed', (_key, key) => {
    const { state } = run(picking('@n', 'notes.md'), key);
    expect([state.completion, composed(state)]).toEqual([undefined, '@n']);
    expect(requestsOf(run(state, typed('o')))).toEqual([]);
  });

  test('Enter sends a path that is typed in full', () => {
    expect(sent(run(picking('@notes.md', 'notes.md', 'notes.md.bak'), enter))).toEqual([
      '@notes.md',
    ]);
  });

  test('Enter sends a folder that is typed in full, and Tab continues with what it has', () => {
    const state = picking('see @src/', 'src/a.ts', 'src/b.ts');
    expect(sent(run(state, enter))).toEqual(['see @src/']);
    expect(composed(run(state, tab, enter).state)).toBe('see @src/a.ts ');
    expect(composed(run(state, tab, tab).state)).toBe('see @src/a.ts ');
  });

  test.each(['~/', '../', '/'])('Enter does not send all of %s', (folder) => {
    const { state, effects } = run(picking(`@${folder}`, `${folder}a.ts`), enter);
    expect([composed(state), effects]).toEqual([`@${folder}a.ts `, []]);
  });

  test('Enter sends if no file matches', () => {
    expect(sent(run(picking('ask @someone'), enter))).toEqual(['ask @someone']);
  });

  test('keys do not belong to a menu for an older text', () => {
    const result = run(picking('@n', 'notes.md'), typed('ow'), enter);
    expect(sent(result)).toEqual(['@now']);
  });
});

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
