import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/repl/state.ts';
import { joinPasteBurst } from '../../src/repl/composer/keys/key-event.ts';
import { KeyParser } from '../../src/repl/composer/keys/key-parser.ts';
import {
  composed,
  conversationOf,
  type Effect,
  effectsOf,
  enter,
  pasted,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const newLine = pressed('j', { ctrl: true });

/** The keys of a single read from the terminal. */
const read = (text: string): readonly Action[] =>
  joinPasteBurst(new KeyParser().feed(text)).map((event) => ({
    type: 'key-pressed',
    event,
    now: 0,
  }));

const prompts = (effects: readonly Effect[]) =>
  effectsOf(effects, 'send').map(({ prompt }) => 'content' in prompt && prompt.content);

describe('X17: a command with more lines', () => {
  test('is refused when it is typed, and its text stays in the composer', () => {
    const { state, effects } = run(stateOf(), typed('/rename'), newLine, typed('tell me'), enter);
    expect(printed(effects)).toEqual(['/rename takes one line, but more lines follow']);
    expect(composed(state)).toBe('/rename\ntell me');
    expect(effectsOf(effects, 'send')).toEqual([]);
  });

  test('runs if the command takes several lines', () => {
    const { state } = run(stateOf(), typed('/system be brief'), newLine, typed('and kind'), enter);
    expect(state.settings.system).toBe('be brief\nand kind');
  });

  test.each([
    ['/rename\rtell me\r', ['tell me']],
    ['/system be brief\rtell me\r', ['tell me']],
    ['/model nextgen\r/rename\rtell me\r', ['tell me']],
  ])('in one read runs the command and sends the prompt: %j', (text, sent) => {
    const { state, effects } = run(stateOf(), ...read(text));
    expect(prompts(effects)).toEqual(sent);
    expect(printed(effects).length).toBeGreaterThan(0);
    expect(composed(state)).toBe('');
  });

  test('in one read puts the lines after it into the composer if there are several', () => {
    const { state, effects } = run(stateOf(), ...read('/rename\rone\rtwo\r'));
    expect(printed(effects)[0]).toMatch(/^this conversation has no title/);
    expect(composed(state)).toBe('one\ntwo\n');
  });

  test('runs in line mode, and the lines after it are the next prompt', () => {
    const text = '/model nextgen\n/rename\none\ntwo';
    const { state, effects } = run(stateOf({ isLineMode: true }), {
      type: 'line-entered',
      text,
      now: 0,
    });
    expect(state.settings.model).toBe('nextgen');
    expect(printed(effects)[1]).toMatch(/^this conversation has no title/);
    expect(prompts(effects)).toEqual(['one\ntwo']);
  });
});

test.each(['/usr/bin\rtwo\r', '//rename\rtwo\r', 'one\r/rename\rtwo'])(
  '%j in one read is a paste',
  (text) => {
    const { state, effects } = run(stateOf(), ...read(text));
    expect(composed(state)).toBe(text.replaceAll('\r', '\n'));
    // Only a check whether it is the path of a dropped file.
    expect(effects.filter(({ type }) => type !== 'recognise-paths')).toEqual([]);
  },
);

describe('Y18: a command', () => {
  test.each(['/rename', '/model nextgen'])('%s is shown before its output', (text) => {
    const { effects } = run(stateOf(), typed(text), enter);
    const [echo, output] = effectsOf(effects, 'print');
    expect(echo?.entries).toEqual([{ type: 'command', text, needsEcho: false }]);
    expect(output?.entries).toHaveLength(1);
  });

  test.each(['/redraw', '/clear'])('%s without output is not shown', (text) => {
    expect(effectsOf(run(stateOf(), typed(text), enter).effects, 'print')).toEqual([]);
  });

  test.each([
    ['/delete', 'in a shell: natter conversations delete c1'],
    ['/history', '/resume lists them; Ctrl+R searches your prompts'],
    ['/vim', 'in a shell: natter config set editing vi'],
    ['/status', '/context shows the figures'],
    ['/rewind', '/undo removes the last prompt, /edit changes it'],
    ['/memory', '/system sets the system prompt'],
    ['/config', 'in a shell: natter config'],
    ['/xyzzy', '/help lists them'],
  ])('unknown: %s gets a hint', (text, hint) => {
    const missing = { type: 'prompt-missing', name: text.slice(1), argument: '' } as const;
    const [, output] = effectsOf(run(stateOf(), typed(text), enter, missing).effects, 'print');
    expect(output?.entries).toEqual([
      {
        type: 'failure',
        message: `unknown command ${text}`,
        hint: `${hint}; // sends a line that starts with a slash`,
      },
    ]);
  });

  test.each([
    ['/exit', '/quit'],
    ['/bye', '/quit'],
    ['/cost', '/context'],
    ['/reset', '/new'],
    ['/regenerate', '/retry'],
    ['?', '/help'],
    ['/help exit', '/help quit'],
  ])('%s runs %s', (other, name) => {
    const conversation = conversationOf({ role: 'user', content: 'why?' });
    const effectsAfter = (line: string) => {
      const { effects, state } = run(stateOf({ conversation }), typed(line), enter);
      const done = effects.filter(({ type }) => type !== 'remember');
      return {
        hasQuit: state.hasQuit,
        texts: printed(effects),
        types: done.map(({ type }) => type),
      };
    };
    expect(effectsAfter(other)).toEqual(effectsAfter(name));
  });

  test('another name of /quit quits during an answer', () => {
    expect(run(stateOf(), typed('one'), enter, typed('/exit'), enter).state.hasQuit).toBe(true);
  });

  test('a prompt file has its name before another name of a command', () => {
    const promptFiles = [{ name: 'exit', summary: '' }];
    const { effects, state } = run(stateOf({ promptFiles }), typed('/exit'), enter);
    expect(state.hasQuit).toBe(false);
    expect(effectsOf(effects, 'open-prompt')).toHaveLength(1);
  });
});

describe('a line that starts with a slash', () => {
  test.each([
    ['a pasted line with a message', pasted, '/opt/run.sh: line 3: syntax error'],
    ['pasted lines', pasted, '/srv/app/index.js:12\n  throw error\nError: boom'],
    ['pasted lines after the name of a command', pasted, '/rename\ntell me'],
    ['a typed path', typed, '/etc/hosts what is this?'],
    ['a file name', typed, '/notes.md what is this?'],
  ])('is a prompt if it is %s', (_how, input, text) => {
    const { effects, state } = run(stateOf(), input(text), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: text, shown: text });
    expect(printed(effects)).toEqual([]);
    expect(composed(run({ ...state, activity: undefined }, pressed('up')).state)).toContain(text);
  });

  test.each(['team/review', 'review.v2'])('is a command if the prompt file %s exists', (name) => {
    const state = stateOf({ promptFiles: [{ name, summary: '' }] });
    const { effects } = run(state, typed(`/${name} these lines`), enter);
    expect(effectsOf(effects, 'open-prompt')).toMatchObject([{ name, argument: 'these lines' }]);
    expect(effectsOf(effects, 'send')).toEqual([]);
  });

  test('is in the composer again after an unknown command, and a slash replaces it', () => {
    const missing = { type: 'prompt-missing', name: 'modle', argument: 'nextgen' } as const;
    const { state } = run(stateOf(), typed('/modle  nextgen'), enter, missing);
    expect(composed(state)).toBe('/modle nextgen');
    expect(composed(run(state, typed('/')).state)).toBe('/');
    const other = run(stateOf(), typed('/modle'), enter, typed('next'), missing).state;
    expect(composed(other)).toBe('next');
  });
});
