import { describe, expect, test } from 'vitest';
import type { CompletionRequest } from '../../src/repl/composer/completion.ts';
import { onCandidates } from '../../src/repl/menu.ts';
import { runInApp } from '../support/app.tsx';
import {
  composed,
  effectsOf,
  enter,
  escape,
  pressed,
  run,
  type StateChange,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const tab = pressed('tab');
const values = (...names: readonly string[]) => names.map((value) => ({ value }));

function requestOf(text: string): CompletionRequest {
  const [effect] = effectsOf(run(stateOf(), typed(text), tab).effects, 'find-candidates');
  if (effect === undefined) throw new Error(`no completion for ${text}`);
  return effect;
}

const found =
  (text: string, ...names: readonly string[]): StateChange =>
  (state) =>
    onCandidates(state, requestOf(text), values(...names));

describe('Tab', () => {
  test.each([
    ['/model ne', { kind: 'argument', command: 'model', typed: 'ne' }],
    ['/attach src/a', { kind: 'path', folder: 'src/', typed: 'a' }],
  ])('requests candidates for %s', (text, request) => {
    expect(requestOf(text)).toMatchObject(request);
  });

  test('requests candidates for a mention after the file picker was closed', () => {
    const { effects } = run(stateOf(), typed('look at @no'), escape, tab);
    expect(effectsOf(effects, 'find-candidates')).toMatchObject([
      { kind: 'path', typed: 'no', isMention: true },
    ]);
  });

  test('accepts the only candidate', () => {
    const text = '/model ne';
    const { state } = run(stateOf(), typed(text), tab, found(text, 'nextgen', 'origin'));
    expect(composed(state)).toBe('/model nextgen');
    expect(state.completion).toBeUndefined();
  });

  test('completes the common prefix and opens a menu', () => {
    const text = '/model m';
    const { state } = run(stateOf(), typed(text), tab, found(text, 'mini-1', 'mini-2'));
    expect(composed(state)).toBe('/model mini-');
    expect(state.completion).toMatchObject({ selected: 0 });
  });

  test('queues the keys that follow it until the candidates are found', () => {
    const late = found('/model ne', 'nextgen');
    const { state } = run(stateOf(), typed('/model ne'), tab, typed('x'), typed('y'), late);
    expect(composed(state)).toBe('/model nextgenxy');
  });

  test('ignores candidates for a text that has changed', () => {
    const late = found('/model ne', 'nextgen');
    expect(composed(run(stateOf(), typed('/model or'), tab, late).state)).toBe('/model or');
  });

  test('completes nothing in other text', () => {
    expect(run(stateOf(), typed('plain'), tab).effects).toEqual([]);
  });
});

describe('an open menu', () => {
  const text = '/model m';
  const open = run(stateOf(), typed(text), tab, found(text, 'mini-1', 'mini-2')).state;

  test('cycles with Tab, and Enter accepts the selection', () => {
    expect(composed(run(open, tab, enter).state)).toBe('/model mini-2');
    expect(composed(run(open, tab, tab, enter).state)).toBe('/model mini-1');
    expect(composed(run(open, pressed('up'), enter).state)).toBe('/model mini-2');
  });

  test('closes with Esc and keeps the typed text', () => {
    const { state } = run(open, escape);
    expect(state.completion).toBeUndefined();
    expect(composed(state)).toBe('/model mini-');
  });

  test('updates when more text is typed', () => {
    const { state, effects } = run(open, typed('2'));
    expect(effectsOf(effects, 'find-candidates')[0]).toMatchObject({ typed: 'mini-2' });
    const next = run(state, found('/model mini-2', 'mini-1', 'mini-2')).state;
    expect(next.completion?.candidates).toEqual(values('mini-2'));
  });
});

describe('the history search', () => {
  const sent = ['git status', 'git log', 'tea'].reduce(
    (state, text) =>
      run(state, typed(text), enter, {
        type: 'answer-ended',
        outcome: { type: 'finished' },
        conversation: state.conversation,
        now: 0,
      }).state,
    stateOf(),
  );
  const search = pressed('r', { ctrl: true });

  test('finds older matches; Enter accepts one without sending it', () => {
    const { state, effects } = runInApp(sent, search, typed('git'), search, enter);
    expect(composed(state)).toBe('git status');
    expect(effects).toEqual([]);
  });

  test('restores the draft with Esc', () => {
    const { state } = runInApp(sent, typed('draft'), search, typed('git'), escape);
    expect(composed(state)).toBe('draft');
  });
});
