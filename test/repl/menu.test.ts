import { describe, expect, test } from 'vitest';
import { stopWork } from '../../src/repl/keys.ts';
import { slashCommands } from '../../src/repl/commands.ts';
import { openPromptFile } from '../../src/repl/prompt-files/send-prompt-file.ts';
import type { CompletionRequest } from '../../src/repl/composer/completion.ts';
import { menuKeysText, onCandidates, findCandidates } from '../../src/repl/menu.ts';
import { noticeOf } from '../../src/repl/screen/App.tsx';
import { listModels } from '../../src/repl/settings.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { runInApp } from '../support/app.tsx';
import {
  answerEnded,
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  play,
  pressed,
  type StateChange,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const tab = pressed('tab');
const up = pressed('up');
const down = pressed('down');
const backspace = pressed('backspace');

const menuNames = ({ completion }: ReplState) => completion?.candidates.map(({ value }) => value);
const typing = (text: string) => play(stateOf(), ...Array.from(text)).state;

describe('the menu of commands', () => {
  test('opens with the slash, with every command and its argument', () => {
    const state = typing('/');
    const listed = slashCommands.filter(({ isUnlisted }) => isUnlisted !== true);
    expect(menuNames(state)?.toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
    expect(state.completion?.candidates[0]).toMatchObject({ value: 'model', argument: '[id]' });
  });

  test('is filtered while typing, and closes behind the command', () => {
    expect(menuNames(typing('/rena'))).toEqual(['rename']);
    expect(menuNames(play(typing('/renax'), backspace).state)).toEqual(['rename']);
    expect(menuNames(typing('/renax'))).toBeUndefined();
    expect(menuNames(typing('/model '))).toBeUndefined();
  });

  test.each(['a/', '//', '//mo', '/usr/bin is a path'])('does not open for %j', (text) => {
    expect(typing(text).completion).toBeUndefined();
  });

  test('does not open before other text', () => {
    const before = play(typing(' rest'), pressed('home'), '/', 'm').state;
    expect(before.completion).toBeUndefined();
  });

  test('leaves Enter to a complete command, and to an unknown one', () => {
    expect(effectsOf(play(typing('/model'), enter).effects, listModels)).toHaveLength(1);
    const { state, text } = play(typing('/nonsense'), enter);
    expect(text).toBe('');
    expect(state.activity).toMatchObject({
      task: { run: openPromptFile, input: { name: 'nonsense' } },
    });
  });

  test.each(['/mod', '/MOD'])('completes %s with Enter, instead of refusing it', (text) => {
    expect(play(typing(text), enter)).toMatchObject({ text: '/model ', effects: [] });
  });

  test('takes a command that contains the text with Enter only after Down has selected it', () => {
    const open = typing('/tokens');
    expect(menuNames(open)).toEqual(['context']);
    expect(effectsOf(play(open, enter).effects, openPromptFile)).toMatchObject([
      { name: 'tokens' },
    ]);
    expect(play(open, down, enter).text).toBe('/context ');
  });

  test('leaves Up to the history until Down has selected a command', () => {
    const sent = play(stateOf(), '/usage', enter).state;
    expect(play(sent, '/', up).text).toBe('/usage');
    expect(play(sent, '/', down, down, up, enter).text).toBe('/resume ');
  });

  test('closes with Esc until the next command', () => {
    const { state, text } = play(typing('/m'), escape, 'o');
    expect([text, state.completion]).toEqual(['/mo', undefined]);
    expect(menuNames(play(state, backspace, backspace, 'o').state)).toContain('model');
  });

  test('leaves Esc to a running answer, and Ctrl+C to the draft', () => {
    const busy = play(stateOf(), 'one', enter, '/m').state;
    expect(effectsOf(play(busy, escape).effects, stopWork)).toHaveLength(1);
    expect(play(typing('/m'), interrupt).text).toBe('');
  });
});

describe('R8: the menu of commands', () => {
  test.each([
    ['letters of the name', '/cmpr', ['compare']],
    ['no word inside the summary', '/clipboard', undefined],
    ['a word of the summary', '/block', ['copy', 'save']],
    ['a letter of the name alone', '/b', ['branches', 'btw']],
    ['the start of an unlisted name', '/vers', ['edit', 'retry', 'version']],
    ['the start of another name', '/regen', ['regenerate']],
  ])('is found by %s: %s', (_, text, found) => {
    expect(menuNames(typing(text))?.toSorted()).toEqual(found);
  });

  test.each([
    ['/nonsense', 'no such command; /help lists them', undefined],
    ['/mod', undefined, 'Tab completes, Down selects, Esc closes'],
    ['/usr/bin', undefined, undefined],
    ['/model ', undefined, undefined],
  ])('N22: %s has the notice %j, and the menu the keys %j', (text, notice, keys) => {
    const state = typing(text);
    expect([noticeOf(state), menuKeysText(state)]).toEqual([notice, keys]);
    expect(noticeOf({ ...state, restoredText: text })).toBeUndefined();
  });
});

test.each([
  ['completes the common start', '/comp', [tab], '/compa'],
  ['then accepts the selected command', '/comp', [tab, tab], '/compact '],
  ['accepts the only match', '/attac', [tab], '/attach '],
  ['accepts a command that Down has selected', '/comp', [down, tab], '/compare '],
  ['accepts a command that contains the text', '/name', [tab], '/rename '],
])('Tab in the menu of commands %s', (_, text, keys, result) => {
  expect(play(typing(text), ...keys).text).toBe(result);
});

const values = (...names: readonly string[]) => names.map((value) => ({ value }));

function requestOf(text: string): CompletionRequest {
  const [effect] = effectsOf(play(stateOf(), text, tab).effects, findCandidates);
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
    const { effects } = play(stateOf(), 'look at @no', escape, tab);
    expect(effectsOf(effects, findCandidates)).toMatchObject([{ kind: 'mention', typed: 'no' }]);
  });

  test.each([
    ['accepts the only candidate', '/model ne', ['nextgen', 'origin'], '/model nextgen', undefined],
    ['completes what all have in common', '/model m', ['mini-1', 'mini-2'], '/model mini-', 0],
  ])('%s', (_, line, names, result, selected) => {
    const { state, text } = play(stateOf(), line, tab, found(line, ...names));
    expect([text, state.completion?.selected]).toEqual([result, selected]);
  });

  test('queues the keys that follow it until the candidates are found', () => {
    const late = found('/model ne', 'nextgen');
    expect(play(stateOf(), '/model ne', tab, 'x', 'y', late).text).toBe('/model nextgenxy');
    expect(play(stateOf(), '/model or', tab, late).text).toBe('/model or');
  });

  test('completes nothing in other text', () => {
    expect(play(stateOf(), 'plain', tab).effects).toEqual([]);
  });
});

describe('an open menu', () => {
  const line = '/model m';
  const open = play(stateOf(), line, tab, found(line, 'mini-1', 'mini-2')).state;

  test.each([
    ['Tab and Enter', [tab, enter], '/model mini-2'],
    ['Tab twice and Enter', [tab, tab, enter], '/model mini-1'],
    ['Up and Enter', [up, enter], '/model mini-2'],
    ['Esc', [escape], '/model mini-'],
  ])('closes after %s with the selected text', (_, keys, result) => {
    const { state, text } = play(open, ...keys);
    expect([text, state.completion]).toEqual([result, undefined]);
  });

  test('updates when more text is typed', () => {
    const { state, effects } = play(open, '2');
    expect(effectsOf(effects, findCandidates)[0]).toMatchObject({ typed: 'mini-2' });
    const next = play(state, found('/model mini-2', 'mini-1', 'mini-2')).state;
    expect(next.completion?.candidates).toEqual(values('mini-2'));
  });
});

describe('the history search', () => {
  const sent = ['git status', 'git log', 'tea'].reduce(
    (state, text) =>
      play(state, text, enter, answerEnded({ type: 'finished' }, state.conversation)).state,
    stateOf(),
  );
  const search = pressed('r', { ctrl: true });

  test.each([
    ['accepts an older match with Enter', [search, typed('git'), search, enter], 'git status'],
    ['restores the draft with Esc', [typed('draft'), search, typed('git'), escape], 'draft'],
  ])('%s, and sends nothing', (_, keys, result) => {
    const { state, effects } = runInApp(sent, ...keys);
    expect([composed(state), effects]).toEqual([result, []]);
  });
});
