import { openPrompt } from '../../src/repl/prompt-files/send-prompt-file.ts';
import { describe, expect, test } from 'vitest';
import { slashCommands } from '../../src/repl/commands.ts';
import { menuKeysText } from '../../src/repl/menu.ts';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import type { ReplState } from '../../src/repl/state.ts';
import {
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pressed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const tab = pressed('tab');
const up = pressed('up');
const down = pressed('down');
const backspace = pressed('backspace');

const names = ({ completion }: ReplState) => completion?.candidates.map(({ value }) => value);
const typing = (text: string) => run(stateOf(), ...Array.from(text, typed)).state;

describe('the menu of commands', () => {
  test('opens with the slash, with every command and its argument', () => {
    const state = typing('/');
    const listed = slashCommands.filter(({ isUnlisted }) => isUnlisted !== true);
    expect(names(state)?.toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
    expect(state.completion?.candidates[0]).toMatchObject({ value: 'model', argument: '[id]' });
  });

  test('is filtered while typing, and closes behind the command', () => {
    expect(names(typing('/ren'))).toEqual(['rename']);
    expect(names(run(typing('/renx'), backspace).state)).toEqual(['rename']);
    expect(names(typing('/renx'))).toBeUndefined();
    expect(names(typing('/model '))).toBeUndefined();
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
    expect(names(open)).toEqual(['context']);
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
    expect(names(run(closed, backspace, backspace, typed('o')).state)).toContain('model');
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
    expect(names(typing(text))?.toSorted()).toEqual(found?.toSorted());
  });

  test('says that no command has the name, and names its keys', () => {
    expect(noticeOf(typing('/nonsense'))).toBe('no such command; /help lists them');
    expect(noticeOf(typing('/mod'))).toBeUndefined();
    expect(noticeOf(typing('/usr/bin'))).toBeUndefined();
    expect(menuKeysText(typing('/mod'))).toBe('Tab completes, Down selects, Esc closes');
    expect(menuKeysText(typing('/model '))).toBeUndefined();
  });
});

describe('Tab in the menu of commands', () => {
  test.each([
    ['completes the common start', '/comp', [tab], '/compa'],
    ['then accepts the selected command', '/comp', [tab, tab], '/compact '],
    ['accepts the only match', '/attac', [tab], '/attach '],
    ['accepts a command that Down has selected', '/comp', [down, tab], '/compare '],
    ['accepts a command that contains the text', '/name', [tab], '/rename '],
  ])('%s', (_, text, keys, result) => {
    expect(composed(run(typing(text), ...keys).state)).toBe(result);
  });
});
