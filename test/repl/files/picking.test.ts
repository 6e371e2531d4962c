import { describe, expect, test } from 'vitest';
import { onPathsRecognised } from '../../../src/repl/files/dropped-files.ts';
import { onFilesPicked } from '../../../src/repl/menu.ts';
import { noticeOf } from '../../../src/repl/screen/App.tsx';
import type { ReplState } from '../../../src/repl/state.ts';
import {
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pasted,
  play,
  pressed,
  type StateChange,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const tab = pressed('tab');
const requestsOf = ({ effects }: ReturnType<typeof play>) =>
  effectsOf(effects, 'pick-files').map(({ typed: wanted }) => wanted);

/** What the picker found for the mention at the end of the draft. */
function found(state: ReplState, ...values: readonly string[]): StateChange {
  const [request] = effectsOf(play(state, 'x', pressed('backspace')).effects, 'pick-files').slice(
    -1,
  );
  if (request === undefined) throw new Error('the picker is closed');
  const candidates = values.map((value) => ({
    value: value.replace(/\/$/, ''),
    ...(value.endsWith('/') && { isFolder: true }),
  }));
  return (before) => onFilesPicked(before, request, candidates, false);
}

/** The state after a text was typed and files were found. */
function picking(text: string, ...values: readonly string[]): ReplState {
  const { state } = play(stateOf(), text);
  return play(state, found(state, ...values)).state;
}

describe('the file picker', () => {
  test('opens at the @ of a mention, and follows what is typed', () => {
    const result = play(stateOf(), 'see @', 'n', 'o', pressed('backspace'));
    expect(requestsOf(result)).toEqual(['', 'n', 'no', 'n']);
  });

  test.each([
    ['an address', ['bob@example.com']],
    ['a command', ['/system @']],
    ['a command for the shell', ['!echo @']],
    ['a paste', [pasted('@no')]],
  ])('does not open in %s', (_what, actions) => {
    expect(requestsOf(play(stateOf(), ...actions))).toEqual([]);
  });

  test.each([
    ['Tab', tab],
    ['Enter', enter],
  ])('%s accepts the selected file', (_key, key) => {
    const { state, effects } = play(picking('see @n', 'notes.md', 'src/n.ts'), key);
    expect(composed(state)).toBe('see @notes.md ');
    expect(state.completion).toBeUndefined();
    expect(effects).toEqual([]);
  });

  test.each([
    ['accepts the best of them', 'see @n', ['notes.md', 'src/n.ts'], 'see @notes.md '],
    ['selects the first of a typed folder', '@src/', ['src/n.ts', 'src/o.ts'], '@src/'],
  ])('Tab before the files are found %s', (_what, text, files, draft) => {
    const { state } = play(stateOf(), typed(text), tab);
    const accepted = play(state, found(state, ...files)).state;
    expect(composed(accepted)).toBe(draft);
    expect(accepted.completion?.selected).toBe(draft.endsWith('/') ? 1 : undefined);
  });

  test('Tab before the files are found is forgotten with the next key', () => {
    const { state } = play(stateOf(), '@n', tab, 'o');
    const { state: open } = play(state, found(state, 'notes.md'));
    expect([composed(open), open.completion?.candidates.length]).toEqual(['@no', 1]);
  });

  test('quotes a path with a space', () => {
    const { state } = play(picking('@n', 'my notes.md'), tab);
    expect(composed(state)).toBe('@"my notes.md" ');
  });

  test('continues in a folder', () => {
    const result = play(picking('@s', 'src/'), tab);
    expect(composed(result.state)).toBe('@src/');
    expect(requestsOf(result)).toEqual(['src/']);
  });

  test.each([
    ['Esc', escape],
    ['Ctrl+C', interrupt],
  ])('%s closes it, and it stays closed', (_key, key) => {
    const { state } = play(picking('@n', 'notes.md'), key);
    expect([state.completion, composed(state)]).toEqual([undefined, '@n']);
    expect(requestsOf(play(state, 'o'))).toEqual([]);
  });

  test('Enter sends a path that is typed in full', () => {
    expect(play(picking('@notes.md', 'notes.md', 'notes.md.bak'), enter).sent).toEqual([
      '@notes.md',
    ]);
  });

  test('Enter sends a folder that is typed in full, and Tab continues with what it has', () => {
    const state = picking('see @src/', 'src/a.ts', 'src/b.ts');
    expect(play(state, enter).sent).toEqual(['see @src/']);
    expect(play(state, tab, enter).text).toBe('see @src/a.ts ');
    expect(play(state, tab, tab).text).toBe('see @src/a.ts ');
  });

  test.each(['~/', '../', '/'])('Enter does not send all of %s', (folder) => {
    const { state, effects } = play(picking(`@${folder}`, `${folder}a.ts`), enter);
    expect([composed(state), effects]).toEqual([`@${folder}a.ts `, []]);
  });

  test('keys do not belong to a menu for an older text', () => {
    const result = play(picking('@n', 'notes.md'), 'ow', enter);
    expect(result.sent).toEqual(['@now']);
  });
});

const checksOf = (result: ReturnType<typeof play>) => effectsOf(result.effects, 'recognise-paths');

/** Replaces the paste by a mention. */
function recognised(result: ReturnType<typeof play>, mentions: string, start = result.state) {
  const [check] = checksOf(result);
  if (check === undefined) throw new Error('the paste was not checked');
  const { from, inserted } = check;
  return play(start, (state) => onPathsRecognised(state, from, inserted, mentions)).state;
}

describe('a pasted path of a file', () => {
  test('becomes a mention, and undo brings it back', () => {
    const state = recognised(play(stateOf(), 'see ', pasted('/tmp/a.md ')), '@a.md');
    expect(composed(state)).toBe('see @a.md ');
    expect(noticeOf(state)).toContain('undoes it');
    const undone = play(state, pressed('_', { ctrl: true })).state;
    expect(composed(undone)).toBe('see /tmp/a.md ');
    expect(noticeOf(undone)).toBeUndefined();
  });

  test('keeps the caret behind text that was typed meanwhile', () => {
    const result = play(stateOf(), pasted('/tmp/a.md'));
    const more = play(result.state, ' is').state;
    expect(play(recognised(result, '@a.md', more), '!').text).toBe('@a.md is!');
  });

  test('stays if the text has changed', () => {
    const result = play(stateOf(), pasted('/tmp/a.md'));
    const changed = play(result.state, pressed('backspace')).state;
    expect(composed(recognised(result, '@a.md', changed))).toBe('/tmp/a.m');
  });

  test('is also recognised in a long paste', () => {
    const text = Array.from({ length: 9 }, (_, index) => `/tmp/${index}.md`).join('\n');
    expect(composed(recognised(play(stateOf(), pasted(text)), '@0.md @1.md'))).toBe('@0.md @1.md ');
  });
});

test.each([
  ['a word', [pasted('notes')]],
  ['a path within a word', ['a', pasted('/tmp/a.md')]],
  ['the argument of a command', ['/attach ', pasted('/tmp/a.md')]],
  ['the argument of a command for the shell', ['!cat ', pasted('/tmp/a.md')]],
  ['a very long paste', [pasted(`/${'a'.repeat(10_000)}`)]],
  ['a typed path', ['/tmp/a.md']],
])('%s is not checked', (_what, actions) => {
  expect(checksOf(play(stateOf(), ...actions))).toEqual([]);
});
