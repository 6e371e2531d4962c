import { openPrompt } from '../../src/repl/prompt-files/send-prompt-file.ts';
import { describe, expect, test } from 'vitest';
import { slashCommands } from '../../src/repl/commands.ts';
import type { ReplState } from '../../src/repl/state.ts';
import {
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pressed,
  printed,
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
    expect(names(state)).toEqual(slashCommands.map(({ name }) => name));
    expect(state.completion?.candidates[0]).toMatchObject({ value: 'help', argument: '[name]' });
  });

  test('is filtered while typing, and closes behind the command', () => {
    expect(names(typing('/mod'))).toEqual(['model', 'models']);
    expect(names(run(typing('/mods'), backspace).state)).toEqual(['model', 'models']);
    expect(names(typing('/mods'))).toBeUndefined();
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
    expect(effectsOf(run(typing('/models'), enter).effects, 'list-models')).toHaveLength(1);
    expect(printed(run(typing('/model'), enter).effects)[0]).toContain('the model is origin');
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
    expect(names(open)).toEqual(['max-tokens']);
    const { state, effects } = run(open, enter);
    expect(composed(state)).toBe('');
    expect(effectsOf(effects, 'open-prompt')).toMatchObject([{ name: 'tokens' }]);
    expect(composed(run(open, down, enter).state)).toBe('/max-tokens ');
  });

  test('leaves Up to the history until Down has selected a command', () => {
    const sent = run(stateOf(), typed('/usage'), enter).state;
    expect(composed(run(sent, typed('/'), up).state)).toBe('/usage');
    const selected = run(sent, typed('/'), down, down, up, enter).state;
    expect(composed(selected)).toBe(`/${slashCommands[1]?.name} `);
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

describe('Tab in the menu of commands', () => {
  test.each([
    ['completes the common start', '/mo', [tab], '/model'],
    ['then accepts the selected command', '/mo', [tab, tab], '/model '],
    ['accepts the only match', '/us', [tab], '/usage '],
    ['accepts a command that Down has selected', '/mo', [down, tab], '/models '],
    ['accepts a command that contains the text', '/name', [tab], '/rename '],
  ])('%s', (_, text, keys, result) => {
    expect(composed(run(typing(text), ...keys).state)).toBe(result);
  });
});
