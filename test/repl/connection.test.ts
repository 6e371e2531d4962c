import { describe, expect, test } from 'vitest';
import {
  firstRunDialog,
  keyDialog,
  onConnectionFailed,
  onServersFound,
} from '../../src/repl/connection.ts';
import { cancelHint } from '../../src/repl/dialog.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { runInApp as run } from '../support/app.tsx';
import {
  composed,
  effectsOf,
  enter,
  escape,
  pasted,
  interrupt,
  pressed,
  printed,
  stateOf,
  typed,
  type StateChange,
} from '../support/repl-state.ts';

const firstRun = stateOf({
  dialog: firstRunDialog,
  service: { address: 'the sandbox', isSandbox: true, hasKey: true },
});
const hintOf = (state: ReplState) => state.dialog && cancelHint(state, state.dialog);
const failure =
  (kind: 'unauthorized' | 'unreachable', previous?: ReplState['dialog']): StateChange =>
  (state) => {
    const failed = { kind, message: 'it failed' };
    const target = { address: 'http://localhost:9', key: 'refused', previous };
    return onConnectionFailed(state, failed, target);
  };

describe('the first run', () => {
  test('connects to a service by its address and key', () => {
    const { state, effects } = run(
      firstRun,
      enter,
      typed('http://localhost:9'),
      enter,
      pasted('key\n'),
      enter,
    );
    expect(effectsOf(effects, 'connect')).toMatchObject([
      { address: 'http://localhost:9', key: 'key' },
    ]);
    expect(state.dialog).toBeUndefined();
  });

  test('probes local ports only on request', () => {
    const { effects, state } = run(firstRun, pressed('down'), enter);
    expect(effects).toEqual([{ type: 'find-servers' }]);
    const servers = [{ name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] }];
    const next = run(state, (found) => onServersFound(found, servers), typed('1'));
    expect(effectsOf(next.effects, 'connect')[0]).toMatchObject({
      address: 'http://127.0.0.1:11434',
      key: undefined,
      model: 'llama',
    });
  });

  test.each([
    ['typed', [typed('h'), typed('ello')]],
    ['pasted', [pasted('hello')]],
  ])('Y17: sends a %s prompt to the sandbox', (_how, keys) => {
    const { state, effects } = run(firstRun, ...keys, enter);
    expect(state.dialog).toBeUndefined();
    expect(printed(effects)[0]).toMatch(/^using the sandbox/);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'hello' });
  });

  test('Y17: in line mode sends a line that is not a number to the sandbox', () => {
    const line = (text: string) => ({ type: 'line-entered', text, now: 0 }) as const;
    const { state, effects } = run({ ...firstRun, isLineMode: true }, line('hello'));
    expect(state.dialog).toBeUndefined();
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'hello' });
    const wrong = run({ ...firstRun, isLineMode: true }, line('7'));
    expect(printed(wrong.effects)).toEqual(['choose a number from 1 to 3']);
  });

  test('ignores a typed space', () => {
    expect(run(firstRun, typed(' ')).state.dialog).toBe(firstRun.dialog);
  });

  test.each([
    ['its choice', typed('3')],
    ['Esc', escape],
  ])('uses the sandbox by %s', (_name, key) => {
    const { state, effects } = run(firstRun, key);
    expect(state.dialog).toBeUndefined();
    expect(printed(effects)[0]).toMatch(/^using the sandbox/);
  });

  test('Ctrl+C twice quits, with a draft too', () => {
    const state = { ...firstRun, composer: run(stateOf(), typed('x')).state.composer };
    expect(run(state, interrupt, interrupt).state.hasQuit).toBe(true);
  });

  test.each([
    ['Esc', escape],
    ['Ctrl+C', interrupt],
  ])('%s goes back from the key to the address as typed, then to the choice', (_, key) => {
    const { state } = run(firstRun, enter, typed('http://localhost:9'), enter);
    expect([state.dialog?.title, hintOf(state)]).toEqual([
      'API key for http://localhost:9 (not shown; empty for none)',
      'Esc goes back',
    ]);
    const back = run(state, key);
    expect(back.state.dialog).toMatchObject({ label: 'base URL', text: 'http://localhost:9' });
    expect(back.rows).toContain('base URL: http://localhost:9');
    const first = run(back.state, key);
    expect(first.state.dialog).toEqual(firstRun.dialog);
    expect(first.effects).toEqual([]);
    expect(hintOf(first.state)).toBe('Esc uses the sandbox');
  });

  test.each(['', 'api.example.com', 'example.com:8080', '/help', 'ftp://x', 'https://'])(
    'refuses %j as an address and keeps it for editing',
    (text) => {
      const { rows, effects } = run(firstRun, enter, typed(text), enter);
      expect(printed(effects)).toEqual(['an address must begin with https:// or http://']);
      expect(rows.map((row) => row.trimEnd())).toContain(`base URL: ${text}`.trimEnd());
    },
  );

  test.each([
    ['http://localhost:8080key', 'looks like https://api.example.com, without query or fragment'],
    [
      'http://localhost:8080?key=1',
      'looks like https://api.example.com, without query or fragment',
    ],
    ['http://one two', 'looks like https://api.example.com, without query or fragment'],
    [
      'http://me:secret@localhost',
      'must not contain a user name or password; the key is entered next',
    ],
  ])('does not ask for a key if the address is %j', (text, reason) => {
    const { rows, effects } = run(firstRun, enter, typed(text), enter);
    expect(printed(effects)).toEqual([`an address ${reason}`]);
    expect(rows.map((row) => row.trimEnd())).toContain(`base URL: ${text}`.trimEnd());
  });

  test('Ctrl+C cancels the first choice, and pressed again quits', () => {
    const cancelled = run(firstRun, interrupt);
    expect([cancelled.state.dialog, cancelled.state.isQuitArmed]).toEqual([undefined, true]);
    expect(run(cancelled.state, interrupt).state.hasQuit).toBe(true);
  });

  test('Ctrl+D quits from a choice and from an empty entry', () => {
    const end = pressed('d', { ctrl: true });
    expect(run(firstRun, end).state.hasQuit).toBe(true);
    expect(run(firstRun, enter, end).state.hasQuit).toBe(true);
    expect(run(firstRun, enter, typed('h'), end).state.hasQuit).toBe(false);
  });

  test('Esc stops a search for servers and returns to the choice', () => {
    const { state } = run(firstRun, typed('2'), escape, {
      type: 'task-ended',
      entries: [],
      now: 0,
    });
    expect(state.dialog).toEqual(firstRun.dialog);
  });

  test('Esc goes back from the found servers to the choice', () => {
    const found = run(firstRun, typed('2'), (state) => onServersFound(state, []));
    expect(run(found.state, escape).state.dialog).toEqual(firstRun.dialog);
  });

  test('returns to the address when the connection fails; Esc goes back to the choice', () => {
    const asked = run(firstRun, enter, typed('http://localhost:9'), enter, enter);
    const [{ previous } = {}] = effectsOf(asked.effects, 'connect');
    const { state } = run(asked.state, failure('unreachable', previous), {
      type: 'task-ended',
      entries: [],
      now: 0,
    });
    expect(state.dialog).toMatchObject({ label: 'base URL', text: 'http://localhost:9' });
    expect(run(state, escape).state.dialog).toEqual(firstRun.dialog);
  });

  test('accepts the number of a choice as a line', () => {
    const { effects } = run(firstRun, { type: 'line-entered', text: '2', now: 0 });
    expect(effects).toEqual([{ type: 'find-servers' }]);
    const wrong = run(firstRun, { type: 'line-entered', text: '9', now: 0 });
    expect(printed(wrong.effects)).toEqual(['choose a number from 1 to 3']);
  });
});

describe('a failed connection', () => {
  test('asks for the key again when the key was refused', () => {
    expect(run(stateOf(), failure('unauthorized')).state.dialog).toMatchObject({
      label: 'API key',
    });
  });

  test('otherwise asks for the address again, with the entered one', () => {
    const { state } = run(stateOf(), failure('unreachable'));
    expect(state.dialog).toMatchObject({ label: 'base URL', text: 'http://localhost:9' });
  });
});

describe('the entry of a key', () => {
  const entry = stateOf({ dialog: keyDialog(stateOf().service, 'https://api.example.com') });

  test('does not change the composer and is cancelled with Esc', () => {
    const { state } = run(
      { ...entry, composer: run(stateOf(), typed('draft')).state.composer },
      typed('k'),
      escape,
    );
    expect(composed(state)).toBe('draft');
    expect(state.dialog).toBeUndefined();
  });

  test('is not part of the history', () => {
    const { effects } = run(entry, typed('secret'), enter);
    expect(effectsOf(effects, 'remember')).toEqual([]);
  });

  test('connects without a key if it is empty', () => {
    expect(effectsOf(run(entry, enter).effects, 'connect')[0]).toMatchObject({ key: undefined });
  });
});
