import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/repl/state/action.ts';
import type { Effect } from '../../../src/repl/state/effect.ts';
import { createKeyParser } from '../../../src/repl/editing/keys/key-parser.ts';
import { joinPasteBurst } from '../../../src/repl/editing/keys/paste-burst.ts';
import {
  composed,
  effectsOf,
  enter,
  pasted,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const newLine = pressed('j', { ctrl: true });

/** What a terminal sends at once. */
const read = (text: string): readonly Action[] =>
  joinPasteBurst(createKeyParser().feed(text)).map((event) => ({
    type: 'key-pressed',
    event,
    now: 0,
  }));

const prompts = (effects: readonly Effect[]) =>
  effectsOf(effects, 'send').map(({ prompt }) => 'content' in prompt && prompt.content);

describe('X17: a command with further lines', () => {
  test.each([
    ['typed', [typed('/usage'), newLine, typed('tell me')]],
    ['pasted', [pasted('/usage\ntell me')]],
  ])('that is %s is refused, and its text stays in the composer', (_way, keys) => {
    const { state, effects } = run(stateOf(), ...keys, enter);
    expect(printed(effects)).toEqual(['/usage takes one line, but more lines follow']);
    expect(composed(state)).toBe('/usage\ntell me');
    expect(effectsOf(effects, 'send')).toEqual([]);
  });

  test('is done where the command takes lines', () => {
    const { state } = run(stateOf(), typed('/system be brief'), newLine, typed('and kind'), enter);
    expect(state.settings.system).toBe('be brief\nand kind');
  });

  test.each([
    ['/usage\rtell me\r', ['tell me']],
    ['/system be brief\rtell me\r', ['tell me']],
    ['/model nextgen\r/usage\rtell me\r', ['tell me']],
  ])('%j in one read is a command and a prompt: both are done', (text, sent) => {
    const { state, effects } = run(stateOf(), ...read(text));
    expect(prompts(effects)).toEqual(sent);
    expect(printed(effects).length).toBeGreaterThan(0);
    expect(composed(state)).toBe('');
  });

  test('in one read with several lines after it leaves these in the composer', () => {
    const { state, effects } = run(stateOf(), ...read('/usage\rone\rtwo\r'));
    expect(printed(effects)[0]).toMatch(/^0 answers/);
    expect(composed(state)).toBe('one\ntwo\n');
  });

  test('in line mode is done, and the lines after it are the next prompt', () => {
    const text = '/model nextgen\n/usage\none\ntwo';
    const { state, effects } = run(stateOf({ isLineMode: true }), {
      type: 'line-entered',
      text,
      now: 0,
    });
    expect(state.settings.model).toBe('nextgen');
    expect(printed(effects)[1]).toMatch(/^0 answers/);
    expect(prompts(effects)).toEqual(['one\ntwo']);
  });
});

test.each(['/usr/bin\rtwo\r', '//usage\rtwo\r', 'one\r/usage\rtwo'])(
  '%j in one read is a paste',
  (text) => {
    const { state, effects } = run(stateOf(), ...read(text));
    expect(composed(state)).toBe(text.replaceAll('\r', '\n'));
    expect(effects).toEqual([]);
  },
);

describe('Y18: a command', () => {
  test.each(['/usage', '/nonsense', '/model nextgen'])(
    '%s is shown before what it says',
    (text) => {
      const { effects } = run(stateOf(), typed(text), enter);
      const [echo, said] = effectsOf(effects, 'print');
      expect(echo?.entries).toEqual([{ type: 'command', text, isEarlier: false }]);
      expect(said?.entries).toHaveLength(1);
    },
  );

  test.each(['/redraw', '/clear'])('%s that says nothing is not shown', (text) => {
    expect(effectsOf(run(stateOf(), typed(text), enter).effects, 'print')).toEqual([]);
  });

  test.each([
    ['/export', 'in a shell: natter conversations export c1'],
    ['/exit', '/quit leaves'],
    ['/xyzzy', '/help lists them'],
  ])('%s that is none suggests what does it, or nothing', (text, hint) => {
    const [, said] = effectsOf(run(stateOf(), typed(text), enter).effects, 'print');
    expect(said?.entries).toEqual([
      {
        type: 'failure',
        message: `unknown command ${text}`,
        hint: `${hint}; // sends a line that starts with a slash`,
      },
    ]);
  });
});
