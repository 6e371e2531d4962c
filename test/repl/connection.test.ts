import { expect, test } from 'vitest';
import { sendPrompt } from '../../src/repl/answers/send-prompt.ts';
import { Failure } from '../../src/failure.ts';
import { connect, findServers, firstRunDialog, keyDialog } from '../../src/repl/connection.ts';
import { cancelHint } from '../../src/repl/step.ts';
import type { FoundServer } from '../../src/repl/service.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { runInApp } from '../support/app.tsx';
import { createMemoryContext } from '../support/memory-context.ts';
import {
  answerEnded,
  changeOf,
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

/** What a connection changes that fails. */
const failed = (kind: 'unauthorized' | 'unreachable', target: Parameters<typeof connect>[1]) =>
  changeOf(connect, target, {
    context: createMemoryContext().context,
    service: { connect: () => Promise.reject(new Failure(kind, 'it failed')) },
  });

/** What a search changes that finds these servers. */
const foundServers = (...servers: readonly FoundServer[]) =>
  changeOf(findServers, undefined, { service: { findServers: async () => servers } });

const [address, local] = ['http://localhost:9', 'http://127.0.0.1:11434'];
const end = pressed('d', { ctrl: true });

test('the first run connects to a service by its address and key', () => {
  const keys = [enter, typed(address), enter, pasted('key\n'), enter];
  const { state, effects } = runInApp(firstRun, ...keys);
  expect(effectsOf(effects, connect)).toMatchObject([{ address, key: 'key' }]);
  expect(state.dialog).toBeUndefined();
});

test('the first run probes local ports only on request', async () => {
  const { effects, state } = runInApp(firstRun, pressed('down'), enter);
  expect(effects).toEqual([{ type: 'findServers' }]);
  const found = await foundServers({ name: 'Ollama', url: local, models: ['llama'] });
  const next = runInApp(state, found, typed('1'));
  expect(effectsOf(next.effects, connect)[0]).toMatchObject({
    address: local,
    key: undefined,
    model: 'llama',
  });
});

test.each([
  ['a typed prompt', [typed('h'), typed('ello'), enter], ['hello']],
  ['a pasted prompt', [pasted('hello'), enter], ['hello']],
  ['its choice', [typed('3')], []],
  ['Esc', [escape], []],
])('Y17: the first run uses the sandbox by %s', (_how, keys, contents) => {
  const { state, effects } = runInApp(firstRun, ...keys);
  expect(state.dialog).toBeUndefined();
  expect(printed(effects)[0]).toMatch(/^using the sandbox/);
  const sent = effectsOf(effects, sendPrompt).map(({ prompt }) => prompt);
  expect(sent).toMatchObject(contents.map((content) => ({ content })));
});

test('Y17: in line mode the first run sends a line that is not a number to the sandbox', () => {
  const inLineMode = { ...firstRun, isLineMode: true };
  const { state, sent } = play(inLineMode, lineEntered('hello'));
  expect([state.dialog, sent]).toEqual([undefined, ['hello']]);
  expect(play(inLineMode, lineEntered('7')).printed).toEqual(['choose a number from 1 to 3']);
});

test.each([
  ['Esc', escape],
  ['Ctrl+C', interrupt],
])('%s goes back from the key to the address as typed, then to the choice', (_, key) => {
  const { state } = runInApp(firstRun, enter, typed(address), enter);
  expect([state.dialog?.title, hintOf(state)]).toEqual([
    `API key for ${address} (not shown; empty for none)`,
    'Esc goes back',
  ]);
  const back = runInApp(state, key);
  expect(back.state.dialog).toMatchObject({ label: 'base URL', text: address });
  expect(back.rows).toContain(`base URL: ${address}`);
  const first = runInApp(back.state, key);
  expect([first.state.dialog, first.effects]).toEqual([firstRun.dialog, []]);
  expect(hintOf(first.state)).toBe('Esc uses the sandbox');
});

test.each(['', 'api.example.com', '/help', 'http://localhost:8080?key=1', 'http://one two'])(
  '%j is refused as an address, and kept for editing',
  (text) => {
    const { rows, effects } = runInApp(firstRun, enter, typed(text), enter);
    expect(printed(effects)).toEqual([
      expect.stringMatching(/^the base URL must be an http:\/\/ or https:\/\/ address/),
    ]);
    expect(rows.map((row) => row.trimEnd())).toContain(`base URL: ${text}`.trimEnd());
  },
);

const found = await foundServers();
const { dialog: choice } = firstRun;

test.each<[string, readonly StateChange[], object]>([
  ['Ctrl+C cancels the choice', [interrupt], { dialog: undefined, armed: 'interrupt' }],
  ['Ctrl+C twice quits', [interrupt, interrupt], { hasQuit: true }],
  ['Ctrl+D quits', [end], { hasQuit: true }],
  ['Ctrl+D quits from an empty entry', [enter, end], { hasQuit: true }],
  ['Ctrl+D does not quit from an entry', [enter, typed('h'), end], { hasQuit: false }],
  ['Esc stops a search for servers', [typed('2'), escape, taskEnded], { dialog: choice }],
  ['Esc leads back from what it found', [typed('2'), found, escape], { dialog: choice }],
])('in the first run %s', (_what, keys, state) => {
  expect(runInApp(firstRun, ...keys).state).toMatchObject(state);
});

test('a connection that fails leads back to the address; Esc goes back to the choice', async () => {
  const asked = runInApp(firstRun, enter, typed(address), enter, enter);
  const [target = { address, key: undefined }] = effectsOf(asked.effects, connect);
  const failure = await failed('unreachable', target);
  const { state } = runInApp(asked.state, failure, taskEnded);
  expect(state.dialog).toMatchObject({ label: 'base URL', text: address });
  expect(runInApp(state, escape).state.dialog).toEqual(choice);
});

test('an empty key connects without one', () => {
  const dialog = keyDialog(stateOf().service, 'https://api.example.com');
  const { effects } = runInApp(stateOf({ dialog }), enter);
  expect(effectsOf(effects, connect)).toMatchObject([{ key: undefined }]);
});

const used = 'https://api.example.com';
const refusal = { kind: 'unauthorized', message: 'the key was refused' } as const;
const outcome = { type: 'failed', hasText: false, failure: refusal } as const;
const ended = answerEnded(outcome, conversationOf());

test.each([
  [true, 'enter a different key here'],
  [false, 'enter a key here'],
])('a refusal has a hint, with a key: %s', async (hasKey, hint) => {
  const service = { address: used, isSandbox: false, hasKey };
  const answering = run(stateOf({ service }), typed('one'), enter, ended);
  const target = { address: used, key: hasKey ? 'refused' : undefined };
  const connecting = run(stateOf(), await failed('unauthorized', target));
  for (const { effects } of [answering, connecting]) {
    expect(JSON.stringify(effects)).toContain(hint);
  }
});
