import { describe, expect, test } from 'vitest';
import type { ReplState } from '../../../../src/repl/state.ts';
import { createHistory } from '../../../../src/repl/composer/history.ts';
import { ownKeyMap } from '../../../../src/repl/composer/keys/key-bindings.ts';
import { keyPress } from '../../../../src/repl/composer/keys/key-event.ts';
import { draftFrom, withDraft } from '../../../../src/repl/composer/text-buffer.ts';
import { caretShapeOf, modeText, startVi } from '../../../../src/repl/composer/vi/vi-keys.ts';
import { composerOf } from '../../../../src/repl/screen/Composer.tsx';
import { noticeOf } from '../../../../src/repl/screen/notice.ts';
import { runInApp } from '../../../support/app.tsx';
import {
  composed,
  effectsOf,
  enter,
  escape,
  keyPressed,
  pasted,
  pressed,
  printed,
  run,
  type StateChange,
  stateOf,
  typed,
} from '../../../support/repl-state.ts';

function viState(changes: Partial<ReplState> = {}): ReplState {
  const state = stateOf(changes);
  return { ...state, vi: startVi(state.composer) };
}

const mode = (state: ReplState) => state.vi && modeText(state.vi);
const inNormal = (text: string, changes: Partial<ReplState> = {}) =>
  run(viState(changes), typed(text), escape).state;
const keys = (state: ReplState, ...texts: readonly string[]) =>
  run(state, ...texts.map((text) => typed(text)));

describe('modes', () => {
  test('begins in insert mode; the footer shows the mode and an incomplete command', () => {
    const start = viState();
    expect(mode(start)).toBe('INSERT');
    const normal = run(start, typed('abc'), escape).state;
    expect(mode(normal)).toBe('NORMAL');
    expect(mode(keys(normal, '2', 'd').state)).toBe('NORMAL 2d');
    expect(mode(keys(normal, 'V').state)).toBe('V-LINE');
  });

  test('the caret has a shape for each mode', () => {
    const shape = ({ vi }: ReplState) => vi && caretShapeOf(vi);
    const normal = inNormal('abc');
    const states = [viState(), normal, keys(normal, 'd').state, keys(normal, 'v').state];
    expect(states.map(shape)).toEqual(['bar', 'block', 'underline', 'block']);
    expect(shape(stateOf())).toBeUndefined();
  });

  test('Enter in normal mode sends, and the next prompt is typed in insert mode', () => {
    const { state, effects } = run(inNormal('one'), enter);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
    expect([mode(state), composed(state)]).toEqual(['INSERT', '']);
    expect(composed(run(state, typed('two')).state)).toBe('two');
  });

  test('a draft that returns after a prompt is continued at its end', () => {
    const stashed = run(inNormal('two'), pressed('s', { ctrl: true })).state;
    const { state } = run(stashed, typed('ione'), enter, typed(' more'));
    expect([mode(state), composed(state)]).toEqual(['INSERT', 'two more']);
  });

  test('several characters of one read are commands in normal mode', () => {
    expect(composed(keys(inNormal('one two'), 'bcwthree').state)).toBe('one three');
  });

  test('Alt with a character is Esc and the character', () => {
    const { state } = run(viState(), typed('one two'), pressed('b', { alt: true }), typed('x'));
    expect(composed(state)).toBe('one wo');
  });

  test('a text from elsewhere ends a selection', () => {
    const selecting = keys(inNormal('one two'), 'vb').state;
    const composer = withDraft(selecting.composer, draftFrom('other'));
    const { state } = run({ ...selecting, composer }, typed('x'));
    expect([composed(state), mode(state)]).toEqual(['othe', 'NORMAL']);
  });
});

describe('Esc', () => {
  const answering = run(viState(), typed('one'), enter).state;

  test('ends insert mode first; the answer continues', () => {
    const first = run(answering, escape);
    expect([first.effects, mode(first.state)]).toEqual([[], 'NORMAL']);
    expect(run(first.state, escape).effects).toEqual([{ type: 'stop' }]);
  });

  test('ends a selection and an incomplete command before it stops an answer', () => {
    const normal = run(answering, typed('two'), escape).state;
    for (const key of ['v', '2d']) {
      const { effects, state } = run(keys(normal, key).state, escape);
      expect([effects, mode(state)]).toEqual([[], 'NORMAL']);
    }
  });

  test('closes the completion menu first', () => {
    const request = { kind: 'command', from: 1, to: 2, typed: 'c' } as const;
    const candidates = [{ value: 'copy' }, { value: 'continue' }];
    const menu = { source: 'tab', request, candidates, selected: 0 } as const;
    const open = { ...run(viState(), typed('/c')).state, completion: menu };
    const { state } = run(open, escape);
    expect([state.completion, mode(state)]).toEqual([undefined, 'INSERT']);
    expect(mode(run(state, escape).state)).toBe('NORMAL');
  });
});

describe('history', () => {
  const history = createHistory(['older', 'newer']);

  test('k in the first line recalls earlier prompts, j in the last one later ones', () => {
    const start = run(viState({ history }), typed('draft'), escape).state;
    const { state: once } = keys(start, 'k');
    expect(composed(once)).toBe('newer');
    expect(composed(keys(once, 'k').state)).toBe('older');
    expect(composed(keys(once, 'j').state)).toBe('draft');
  });

  test('k moves within a draft of several lines', () => {
    const { state } = run(
      viState({ history }),
      typed('a'),
      pressed('j', { ctrl: true }),
      typed('b'),
      escape,
      typed('kx'),
    );
    expect(composed(state)).toBe('\nb');
  });

  test('a slash begins a command on an empty composer, else a search of the history', () => {
    const empty = run(viState({ history }), escape, typed('/')).state;
    expect([composed(empty), mode(empty)]).toEqual(['/', 'INSERT']);
    expect(run(viState({ history }), typed('x'), escape, typed('/')).state.isSearching).toBe(true);
  });
});

describe('quitting', () => {
  const quit: readonly StateChange[] = [enter];

  test.each([':q', ':q!', ':wq', ':x'])('%s quits after Enter again', (command) => {
    const asked = run(inNormal('draft'), typed(command), enter);
    expect(asked.effects).toEqual([]);
    expect(noticeOf(asked.state)).toBe('press Enter to quit');
    expect(run(asked.state, ...quit).effects).toEqual([{ type: 'quit' }]);
  });

  test('ZZ quits after Enter', () => {
    const asked = keys(inNormal('draft'), 'ZZ');
    expect(asked.effects).toEqual([]);
    expect(noticeOf(asked.state)).toBe('press Enter to quit');
    expect(run(asked.state, ...quit).state.hasQuit).toBe(true);
  });

  test('any other key ends the question', () => {
    const { state, effects } = run(inNormal('draft'), typed('ZZ'), typed('l'), enter);
    expect(state.hasQuit).toBe(false);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
  });

  test('an unknown command is refused, and Esc or Backspace leave the command line', () => {
    const { effects } = run(inNormal('draft'), typed(':w'), enter);
    expect(printed(effects)).toEqual(['unknown command :w']);
    const left = run(inNormal('draft'), typed(':q'), escape, typed('x')).state;
    expect(composed(left)).toBe('draf');
    const erased = run(inNormal('draft'), typed(':'), pressed('backspace'), typed('x')).state;
    expect(composed(erased)).toBe('draf');
  });
});

describe('undo', () => {
  test('reverts an insertion as one step, with what was typed elsewhere', () => {
    const jumped = [typed('one '), typed('two'), pressed('home'), typed('x')];
    const { state } = run(viState(), ...jumped, escape);
    expect(composed(state)).toBe('xone two');
    expect(composed(keys(state, 'u').state)).toBe('');
  });

  test('does not go back to the draft before a recalled prompt', () => {
    const history = createHistory(['older']);
    const recalled = run(viState({ history }), typed('draft'), pressed('up'), typed('s'), escape);
    expect(composed(keys(recalled.state, 'u').state)).toBe('older');
  });
});

test('the keys of the composer with Ctrl work in both modes', () => {
  const line = run(viState(), typed('one two'), pressed('w', { ctrl: true })).state;
  expect(composed(line)).toBe('one ');
  const normal = inNormal('one');
  expect(run(normal, pressed('c', { ctrl: true })).state.isQuitArmed).toBe(true);
  expect(run(normal, pressed('g', { ctrl: true })).effects).toEqual([
    { type: 'edit-externally', input: 'one' },
  ]);
});

test('the arrows, Home, End, Delete and Ctrl+D move and delete in normal mode', () => {
  const press = (...names: readonly string[]) => {
    const actions = names.map((name): StateChange => {
      return keyPressed(keyPress(name));
    });
    return run(inNormal('abc'), ...actions).state;
  };
  expect(composed(press('home', 'delete'))).toBe('bc');
  expect(composed(press('left', 'delete'))).toBe('ac');
  expect(composed(press('home', 'end', 'delete'))).toBe('ab');
  const kept = run(inNormal('abc'), pressed('d', { ctrl: true })).state;
  expect([composed(kept), kept.hasQuit]).toEqual(['abc', false]);
});

test('a selection is shown in its rows', () => {
  const state = run(
    viState(),
    typed('one'),
    pressed('j', { ctrl: true }),
    typed('two three'),
    escape,
    typed('gglvjw'),
  ).state;
  const { selections } = composerOf(state, undefined);
  expect(selections).toEqual([
    { from: 1, to: 4 },
    { from: 0, to: 5 },
  ]);
});

test('the hint names the keys that stop an answer', () => {
  const stopKeys = (state: ReplState) =>
    /· ([^·]+) stops/.exec(runInApp(run(state, typed('x'), enter).state).rows[1] ?? '')?.[1];
  expect(stopKeys(viState())).toBe('Esc Esc');
  expect(stopKeys(stateOf())).toBe('Esc');
  const withKey = (key: string) => stateOf({ keyMap: ownKeyMap({ stop: key }, 'default') });
  expect(stopKeys(withKey('f4'))).toBe('F4');
  expect(stopKeys(withKey('none'))).toBe('Ctrl+C');
});

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
