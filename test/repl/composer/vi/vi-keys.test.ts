import { describe, expect, test } from 'vitest';
import { stopWork } from '../../../../src/repl/keys.ts';
import { createHistory } from '../../../../src/repl/composer/history.ts';
import { ownKeyMap } from '../../../../src/repl/composer/keys/key-bindings.ts';
import { draftFrom, withDraft } from '../../../../src/repl/composer/text-buffer.ts';
import { caretShapeOf, modeText, startVi } from '../../../../src/repl/composer/vi/vi-keys.ts';
import { composerOf } from '../../../../src/repl/screen/Composer.tsx';
import { noticeOf } from '../../../../src/repl/screen/App.tsx';
import type { ReplState } from '../../../../src/repl/state.ts';
import { runInApp } from '../../../support/app.tsx';
import {
  effectsOf,
  enter,
  escape,
  keyPressed,
  pasted,
  play,
  pressed,
  type StateChange,
  stateOf,
} from '../../../support/repl-state.ts';

type Keys = readonly (string | StateChange)[];

const history = createHistory(['older', 'newer']);

function viState(): ReplState {
  const state = stateOf({ history });
  return { ...state, vi: startVi(state.composer) };
}

const mode = ({ vi }: ReplState) => vi && modeText(vi);
const inNormal = (text: string) => play(viState(), text, escape).state;
const ctrl = (name: string) => pressed(name, { ctrl: true });
const up = pressed('up');
const home = pressed('home');
const erase = pressed('delete');
const newLine = ctrl('j');
/** Keys of one read, which may be a paste. */
const burst = (text: string) => keyPressed({ type: 'paste', text, keys: [{ type: 'text', text }] });
const longPaste = 'line\n'.repeat(20);

test.each<[what: string, keys: Keys, text: string, mode: string]>([
  ['insert mode at first', ['abc'], 'abc', 'INSERT'],
  ['normal mode after Esc', ['abc', escape], 'abc', 'NORMAL'],
  ['an incomplete command', ['abc', escape, '2', 'd'], 'abc', 'NORMAL 2d'],
  ['a selection of lines', ['abc', escape, 'V'], 'abc', 'V-LINE'],
  ['insert mode for the next prompt', ['one', escape, enter, 'two'], 'two', 'INSERT'],
  [
    'a returned draft, at its end',
    ['two', escape, ctrl('s'), 'ione', enter, ' more'],
    'two more',
    'INSERT',
  ],
  ['several commands of one read', ['one two', escape, 'bcwthree'], 'one three', 'INSERT'],
  ['Alt as Esc', ['one two', pressed('b', { alt: true }), 'x'], 'one wo', 'NORMAL'],
  ['an older prompt after k in the first line', ['draft', escape, 'k'], 'newer', 'NORMAL'],
  ['a newer one after j in the last line', ['draft', escape, 'kkj'], 'newer', 'NORMAL'],
  ['the draft after all', ['draft', escape, 'kj'], 'draft', 'NORMAL'],
  ['the line above after k', ['a', newLine, 'b', escape, 'kx'], '\nb', 'NORMAL'],
  ['a command after a slash', [escape, '/'], '/', 'INSERT'],
  ['no command line after Esc', ['draft', escape, ':q', escape, 'x'], 'draf', 'NORMAL'],
  ['nor after Backspace', ['draft', escape, ':', pressed('backspace'), 'x'], 'draf', 'NORMAL'],
  ['a whole insertion', ['one ', 'two', home, 'x', escape], 'xone two', 'NORMAL'],
  ['nothing of it after u', ['one ', 'two', home, 'x', escape, 'u'], '', 'NORMAL'],
  ['a recalled prompt after u, not the draft', ['draft', up, 's', escape, 'u'], 'newer', 'NORMAL'],
  ['keys with Ctrl in insert mode', ['one two', ctrl('w')], 'one ', 'INSERT'],
  ['Home and Delete', ['abc', escape, home, erase], 'bc', 'NORMAL'],
  ['Left and Delete', ['abc', escape, pressed('left'), erase], 'ac', 'NORMAL'],
  ['End and Delete', ['abc', escape, home, pressed('end'), erase], 'ab', 'NORMAL'],
  ['a draft after Ctrl+D', ['abc', escape, ctrl('d')], 'abc', 'NORMAL'],
  ['a command in a burst', ['one two three', escape, '02', burst('dw')], 'three', 'NORMAL'],
  ['. after a long paste', [escape, pasted(longPaste), '.'], longPaste + longPaste, 'NORMAL'],
  ['. in another prompt', [escape, pasted(longPaste), 'k.'], `newe${longPaste}r`, 'NORMAL'],
  ['a count of pastes', [escape, '2i', pasted('ab'), escape], 'abab', 'NORMAL'],
])('the composer has %s', (_, keys, text, modeAfter) => {
  const played = play(viState(), ...keys);
  expect([played.text, mode(played.state), played.state.hasQuit]).toEqual([text, modeAfter, false]);
});

test('the caret has a shape for each mode', () => {
  const states = [[], [escape], [escape, 'd'], [escape, 'v']].map(
    (keys: Keys) => play(viState(), 'abc', ...keys).state,
  );
  const shapes = states.map(({ vi }) => vi && caretShapeOf(vi));
  expect(shapes).toEqual(['bar', 'block', 'underline', 'block']);
});

test('a text from elsewhere ends a selection', () => {
  const selecting = play(inNormal('one two'), 'vb').state;
  const composer = withDraft(selecting.composer, draftFrom('other'));
  const { text, state } = play({ ...selecting, composer }, 'x');
  expect([text, mode(state)]).toEqual(['othe', 'NORMAL']);
});

test.each<[what: string, keys: Keys, stops: readonly boolean[]]>([
  ['insert mode', ['two'], [false, true]],
  ['a selection', ['two', escape, 'v'], [false, true]],
  ['an incomplete command', ['two', escape, '2d'], [false, true]],
  ['nothing', ['two', escape], [true]],
])('Esc ends %s before it stops an answer', (_, keys, stops) => {
  let { state } = play(viState(), 'one', enter, ...keys);
  const seen = stops.map(() => {
    const played = play(state, escape);
    ({ state } = played);
    return effectsOf(played.effects, stopWork).length > 0;
  });
  expect(seen).toEqual(stops);
});

test('Esc closes the completion menu first', () => {
  const request = { kind: 'command', from: 1, to: 2, typed: 'c' } as const;
  const candidates = [{ value: 'copy' }, { value: 'continue' }];
  const menu = { source: 'tab', request, candidates, selected: 0 } as const;
  const { state } = play({ ...play(viState(), '/c').state, completion: menu }, escape);
  expect([state.completion, mode(state)]).toEqual([undefined, 'INSERT']);
  expect(mode(play(state, escape).state)).toBe('NORMAL');
});

test('in normal mode, Enter sends, and the keys of natter work', () => {
  expect(play(inNormal('one'), enter).sent).toEqual(['one']);
  expect(play(inNormal('x'), '/').state.isSearching).toBe(true);
  expect(play(inNormal('one'), ctrl('c')).state.armed).toBe('interrupt');
  expect(play(inNormal('one'), ctrl('g')).effects).toEqual([
    { type: 'editExternally', input: 'one' },
  ]);
  expect(play(inNormal('one'), pressed('down')).text).toBe('one');
});

describe('quitting', () => {
  test.each([':q', ':q!', ':wq', ':x', 'ZZ'])('%s quits after Enter', (keys) => {
    const asked = play(inNormal('draft'), keys, ...(keys === 'ZZ' ? [] : [enter]));
    expect(asked.effects).toEqual([]);
    expect(noticeOf(asked.state)).toBe('press Enter to quit');
    expect(play(asked.state, enter).state.hasQuit).toBe(true);
  });

  test('any other key ends the question', () => {
    expect(play(inNormal('draft'), 'ZZ', 'l', enter)).toMatchObject({
      sent: ['draft'],
      state: { hasQuit: false },
    });
  });

  test('an unknown command is refused', () => {
    expect(play(inNormal('draft'), ':w', enter).printed).toEqual(['unknown command :w']);
  });
});

test('a selection is shown in its rows', () => {
  const { state } = play(viState(), 'one', newLine, 'two three', escape, 'gglvjw');
  expect(composerOf(state, undefined).selections).toEqual([
    { from: 1, to: 4 },
    { from: 0, to: 5 },
  ]);
});

test('the hint names the keys that stop an answer', () => {
  const stopKeys = (state: ReplState) =>
    /· ([^·]+) stops/.exec(runInApp(play(state, 'x', enter).state).rows[1] ?? '')?.[1];
  const withKey = (key: string) => stateOf({ keyMap: ownKeyMap({ stop: key }, 'default') });
  const states = [viState(), stateOf(), withKey('f4'), withKey('none')];
  expect(states.map(stopKeys)).toEqual(['Esc Esc', 'Esc', 'F4', 'Ctrl+C']);
});

// As Vim 9 does with bracketed paste.
test('keys after one that opens the search in the same read do not change the draft', () => {
  const { state, text, sent } = play(inNormal('draft'), '/foo', enter);
  expect([text, sent, state.isSearching]).toEqual(['draft', [], true]);
});

test.each([
  ['', 'dd', 'onedd', 4],
  ['0', 'dd', 'ddone', 1],
  ['0l', 'd\nd', 'ond\nde', 4],
  ['0d', 'dd', 'ddone', 1],
  ['0vl', 'dd', 'dde', 1],
  ['V', 'dd', 'dd', 1],
])('a paste after %j is text, and ends in normal mode', (before, paste, all, cursor) => {
  const { state, text } = play(inNormal('one'), before, pasted(paste));
  expect([text, state.composer.cursor, mode(state)]).toEqual([all, cursor, 'NORMAL']);
  expect(play(state, 'u').text).toBe('one');
});
