import { describe, expect, test } from 'vitest';
import { openPrompt, slashCommands } from '../../src/repl/commands.ts';
import type { CompletionRequest } from '../../src/repl/composer/completion.ts';
import { menuKeysText, onCandidates } from '../../src/repl/menu.ts';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { runInApp } from '../support/app.tsx';
import {
  answerEnded,
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pressed,
  run,
  type StateChange,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const tab = pressed('tab');
const up = pressed('up');
const down = pressed('down');
const backspace = pressed('backspace');

const menuNames = ({ completion }: ReplState) => completion?.candidates.map(({ value }) => value);
const typing = (text: string) => run(stateOf(), ...Array.from(text, typed)).state;

describe('the menu of commands', () => {
  test('opens with the slash, with every command and its argument', () => {
    const state = typing('/');
    const listed = slashCommands.filter(({ isUnlisted }) => isUnlisted !== true);
    expect(menuNames(state)?.toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
    expect(state.completion?.candidates[0]).toMatchObject({ value: 'model', argument: '[id]' });
  });

  test('is filtered while typing, and closes behind the command', () => {
    expect(menuNames(typing('/rena'))).toEqual(['rename']);
    expect(menuNames(run(typing('/renax'), backspace).state)).toEqual(['rename']);
    expect(menuNames(typing('/renax'))).toBeUndefined();
    expect(menuNames(typing('/model '))).toBeUndefined();
  });

  test.each(['a/', '//', '//mo', '/usr/bin is a path'])('does not open for %j', (text) => {
    expect(typing(text).completion).toBeUndefined();
  });

  test('does not open before other text', () => {
    const before = run(typing(' rest'), pressed('home'), typed('/'), typed('m')).state;
    expect(before.completion).toBeUndefined();
  });

  test('leaves Enter to a complete command', () => {
    expect(effectsOf(run(typing('/model'), enter).effects, 'list-models')).toHaveLength(1);
  });

  test('completes a command that is not complete with Enter, instead of refusing it', () => {
    const { state, effects } = run(typing('/mod'), enter);
    expect(composed(state)).toBe('/model ');
    expect(effects).toEqual([]);
    expect(composed(run(typing('/MOD'), enter).state)).toBe('/model ');
  });

  test('sends an unknown command with Enter', () => {
    const { state } = run(typing('/nonsense'), enter);
    expect(composed(state)).toBe('');
    expect(state.activity).toMatchObject({
      task: { run: openPrompt, input: { name: 'nonsense' } },
    });
  });

  test('takes a command that contains the text with Enter only after Down has selected it', () => {
    const open = typing('/tokens');
    expect(menuNames(open)).toEqual(['context']);
    const { state, effects } = run(open, enter);
    expect(composed(state)).toBe('');
    expect(effectsOf(effects, 'open-prompt')).toMatchObject([{ name: 'tokens' }]);
    expect(composed(run(open, down, enter).state)).toBe('/context ');
  });

  test('leaves Up to the history until Down has selected a command', () => {
    const sent = run(stateOf(), typed('/usage'), enter).state;
    expect(composed(run(sent, typed('/'), up).state)).toBe('/usage');
    const selected = run(sent, typed('/'), down, down, up, enter).state;
    expect(composed(selected)).toBe('/resume ');
  });

  test('closes with Esc until the next command', () => {
    const closed = run(typing('/m'), escape, typed('o')).state;
    expect(composed(closed)).toBe('/mo');
    expect(closed.completion).toBeUndefined();
    expect(menuNames(run(closed, backspace, backspace, typed('o')).state)).toContain('model');
  });

  test('leaves Esc to a running answer, and Ctrl+C to the draft', () => {
    const busy = run(stateOf(), typed('one'), enter, typed('/m')).state;
    expect(effectsOf(run(busy, escape).effects, 'stop')).toHaveLength(1);
    expect(composed(run(typing('/m'), interrupt).state)).toBe('');
  });
});

describe('R8: the menu of commands', () => {
  test.each([
    ['letters of the name', '/cmpr', ['compare']],
    ['a word of the summary', '/clipboard', undefined],
    ['a word of the summary', '/block', ['copy', 'save']],
    ['the start of an unlisted name', '/vers', ['version', 'retry', 'edit']],
    ['the start of another name', '/regen', ['regenerate']],
  ])('is found by %s: %s', (_, text, found) => {
    expect(menuNames(typing(text))?.toSorted()).toEqual(found?.toSorted());
  });

  test('N22: says that no command has the name, until the line was refused, and names its keys', () => {
    expect(noticeOf(typing('/nonsense'))).toBe('no such command; /help lists them');
    const line = '/nonsense';
    expect(noticeOf({ ...typing(line), restoredText: line })).toBeUndefined();
    expect(noticeOf(typing('/mod'))).toBeUndefined();
    expect(noticeOf(typing('/usr/bin'))).toBeUndefined();
    expect(menuKeysText(typing('/mod'))).toBe('Tab completes, Down selects, Esc closes');
    expect(menuKeysText(typing('/model '))).toBeUndefined();
  });
});

test.each([
  ['completes the common start', '/comp', [tab], '/compa'],
  ['then accepts the selected command', '/comp', [tab, tab], '/compact '],
  ['accepts the only match', '/attac', [tab], '/attach '],
  ['accepts a command that Down has selected', '/comp', [down, tab], '/compare '],
  ['accepts a command that contains the text', '/name', [tab], '/rename '],
])('Tab in the menu of commands %s', (_, text, keys, result) => {
  expect(composed(run(typing(text), ...keys).state)).toBe(result);
});

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
    ['/attach src/a', { kind: 'path', typed: 'src/a' }],
  ])('requests candidates for %s', (text, request) => {
    expect(requestOf(text)).toMatchObject(request);
  });

  test('requests candidates for a mention after the file picker was closed', () => {
    const { effects } = run(stateOf(), typed('look at @no'), escape, tab);
    expect(effectsOf(effects, 'find-candidates')).toMatchObject([{ kind: 'mention', typed: 'no' }]);
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
      run(state, typed(text), enter, answerEnded({ type: 'finished' }, state.conversation)).state,
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
