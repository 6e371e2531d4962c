import { describe, expect, test } from 'vitest';
import {
  firstRunDialog,
  keyDialog,
  onConnectionFailed,
  onServersFound,
} from '../../src/repl/connection.ts';
import { cancelHint } from '../../src/repl/step.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { runInApp } from '../support/app.tsx';
import {
  answerEnded,
  conversationOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  pasted,
  play,
  pressed,
  printed,
  run,
  type StateChange,
  stateOf,
  taskEnded,
  typed,
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
    const { state, effects } = runInApp(
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
    const { effects, state } = runInApp(firstRun, pressed('down'), enter);
    expect(effects).toEqual([{ type: 'find-servers' }]);
    const servers = [{ name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] }];
    const next = runInApp(state, (found) => onServersFound(found, servers), typed('1'));
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
    const { state, effects } = runInApp(firstRun, ...keys, enter);
    expect(state.dialog).toBeUndefined();
    expect(printed(effects)[0]).toMatch(/^using the sandbox/);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'hello' });
  });

  test('Y17: in line mode sends a line that is not a number to the sandbox', () => {
    const { state, sent } = play({ ...firstRun, isLineMode: true }, lineEntered('hello'));
    expect([state.dialog, sent]).toEqual([undefined, ['hello']]);
    expect(play({ ...firstRun, isLineMode: true }, lineEntered('7')).printed).toEqual([
      'choose a number from 1 to 3',
    ]);
  });

  test.each([
    ['its choice', typed('3')],
    ['Esc', escape],
  ])('uses the sandbox by %s', (_name, key) => {
    const { state, effects } = runInApp(firstRun, key);
    expect(state.dialog).toBeUndefined();
    expect(printed(effects)[0]).toMatch(/^using the sandbox/);
  });

  test.each([
    ['Esc', escape],
    ['Ctrl+C', interrupt],
  ])('%s goes back from the key to the address as typed, then to the choice', (_, key) => {
    const { state } = runInApp(firstRun, enter, typed('http://localhost:9'), enter);
    expect([state.dialog?.title, hintOf(state)]).toEqual([
      'API key for http://localhost:9 (not shown; empty for none)',
      'Esc goes back',
    ]);
    const back = runInApp(state, key);
    expect(back.state.dialog).toMatchObject({ label: 'base URL', text: 'http://localhost:9' });
    expect(back.rows).toContain('base URL: http://localhost:9');
    const first = runInApp(back.state, key);
    expect(first.state.dialog).toEqual(firstRun.dialog);
    expect(first.effects).toEqual([]);
    expect(hintOf(first.state)).toBe('Esc uses the sandbox');
  });

  test.each(['', 'api.example.com', '/help', 'http://localhost:8080?key=1', 'http://one two'])(
    'refuses %j as an address and keeps it for editing',
    (text) => {
      const { rows, effects } = runInApp(firstRun, enter, typed(text), enter);
      expect(printed(effects)).toEqual([
        expect.stringMatching(/^the base URL must be an http:\/\/ or https:\/\/ address/),
      ]);
      expect(rows.map((row) => row.trimEnd())).toContain(`base URL: ${text}`.trimEnd());
    },
  );

  test('Ctrl+C cancels the first choice, and again quits; Ctrl+D quits also from an empty entry', () => {
    const cancelled = runInApp(firstRun, interrupt);
    expect([cancelled.state.dialog, cancelled.state.armed]).toEqual([undefined, 'interrupt']);
    expect(runInApp(cancelled.state, interrupt).state.hasQuit).toBe(true);
    const end = pressed('d', { ctrl: true });
    expect(runInApp(firstRun, end).state.hasQuit).toBe(true);
    expect(runInApp(firstRun, enter, end).state.hasQuit).toBe(true);
    expect(runInApp(firstRun, enter, typed('h'), end).state.hasQuit).toBe(false);
  });

  test('Esc leads from a search for servers, and from what it found, back to the choice', () => {
    const stopped = runInApp(firstRun, typed('2'), escape, taskEnded);
    expect(stopped.state.dialog).toEqual(firstRun.dialog);
    const found = runInApp(firstRun, typed('2'), (state) => onServersFound(state, []));
    expect(runInApp(found.state, escape).state.dialog).toEqual(firstRun.dialog);
  });

  test('returns to the address when the connection fails; Esc goes back to the choice', () => {
    const asked = runInApp(firstRun, enter, typed('http://localhost:9'), enter, enter);
    const [{ previous } = {}] = effectsOf(asked.effects, 'connect');
    const { state } = runInApp(asked.state, failure('unreachable', previous), taskEnded);
    expect(state.dialog).toMatchObject({ label: 'base URL', text: 'http://localhost:9' });
    expect(runInApp(state, escape).state.dialog).toEqual(firstRun.dialog);
  });
});

test('an empty key connects without one', () => {
  const dialog = keyDialog(stateOf().service, 'https://api.example.com');
  const { effects } = runInApp(stateOf({ dialog }), enter);
  expect(effectsOf(effects, 'connect')).toMatchObject([{ key: undefined }]);
});

const address = 'https://api.example.com';
const refusal = { kind: 'unauthorized', message: 'the key was refused' } as const;
const outcome = { type: 'failed', hasText: false, failure: refusal } as const;
const ended = answerEnded(outcome, conversationOf());

test.each([
  [true, 'enter a different key here'],
  [false, 'enter a key here'],
])('a refusal has a hint, with a key: %s', (hasKey, hint) => {
  const service = { address, isSandbox: false, hasKey };
  const answering = run(stateOf({ service }), typed('one'), enter, ended);
  const target = { address, key: hasKey ? 'refused' : undefined };
  const connecting = run(stateOf(), (state) => onConnectionFailed(state, refusal, target));
  for (const { effects } of [answering, connecting]) {
    expect(JSON.stringify(effects)).toContain(hint);
  }
});
