import { describe, expect, test } from 'vitest';
import { firstRunDialog, keyDialog } from '../../../src/repl/state/dialog.ts';
import { cancelHintText } from '../../../src/repl/text/status-text.ts';
import {
  composed,
  effectsOf,
  enter,
  escape,
  pasted,
  interrupt,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const firstRun = stateOf({
  dialog: firstRunDialog(),
  service: { address: 'the sandbox', isSandbox: true },
});
const failure = (kind: 'unauthorized' | 'unreachable') =>
  ({
    type: 'connection-failed',
    failure: { kind, message: 'it failed' },
    address: 'http://localhost:9',
  }) as const;

describe('the first run', () => {
  test('connects a service by its address and key', () => {
    const { state, effects } = run(
      firstRun,
      enter,
      typed('http://localhost:9'),
      enter,
      pasted('key\n'),
      enter,
    );
    expect(effectsOf(effects, 'connect')).toEqual([
      { type: 'connect', address: 'http://localhost:9', key: 'key' },
    ]);
    expect(state.dialog).toBeUndefined();
  });

  test('probes local ports only on request', () => {
    const { effects, state } = run(firstRun, pressed('down'), enter);
    expect(effects).toEqual([{ type: 'find-servers' }]);
    const servers = [{ name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] }];
    const next = run(state, { type: 'servers-found', servers }, typed('1'));
    expect(effectsOf(next.effects, 'connect')[0]).toMatchObject({
      address: 'http://127.0.0.1:11434',
      key: undefined,
      model: 'llama',
    });
  });

  test.each([
    ['typed', [typed('h'), typed('ello')]],
    ['pasted', [pasted('hello')]],
  ])('Y17: a prompt that is %s at it becomes the first prompt, on the sandbox', (_way, keys) => {
    const { state, effects } = run(firstRun, ...keys, enter);
    expect(state.dialog).toBeUndefined();
    expect(printed(effects)[0]).toMatch(/^using the sandbox/);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'hello' });
  });

  test('Y17: a line that is not a number is the first prompt in line mode', () => {
    const line = (text: string) => ({ type: 'line-entered', text, now: 0 }) as const;
    const { state, effects } = run({ ...firstRun, isLineMode: true }, line('hello'));
    expect(state.dialog).toBeUndefined();
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'hello' });
    const wrong = run({ ...firstRun, isLineMode: true }, line('7'));
    expect(printed(wrong.effects)).toEqual(['choose a number from 1 to 3']);
  });

  test('a space typed at it is not a prompt', () => {
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

  test.each([
    ['Esc', escape],
    ['Ctrl-C', interrupt],
  ])(
    '%s goes from the key to the address as it was typed, and from there to the choice',
    (_, key) => {
      const { state } = run(firstRun, enter, typed('http://localhost:9'), enter);
      expect([state.dialog?.title, cancelHintText(state)]).toEqual([
        'API key for http://localhost:9 (not shown; empty for none)',
        'Esc goes back',
      ]);
      const back = run(state, key);
      expect(back.state.dialog).toMatchObject({
        asks: 'address',
        input: { text: 'http://localhost:9' },
      });
      const first = run(back.state, key);
      expect(first.state.dialog).toEqual(firstRun.dialog);
      expect(first.effects).toEqual([]);
      expect(cancelHintText(first.state)).toBe('Esc uses the sandbox');
    },
  );

  test.each(['', 'api.example.com', 'example.com:8080', '/help', 'ftp://x', 'https://'])(
    'does not take %j for an address, and keeps it to be mended',
    (text) => {
      const { state, effects } = run(firstRun, enter, typed(text), enter);
      expect(printed(effects)).toEqual(['an address must begin with https:// or http://']);
      expect(state.dialog).toMatchObject({ asks: 'address', input: { text } });
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
  ])('asks for no key for %j, which is no address', (text, reason) => {
    const { state, effects } = run(firstRun, enter, typed(text), enter);
    expect(printed(effects)).toEqual([`an address ${reason}`]);
    expect(state.dialog).toMatchObject({ asks: 'address', input: { text } });
  });

  test('Ctrl-C leaves the first choice, and pressed again natter', () => {
    const left = run(firstRun, interrupt);
    expect([left.state.dialog, left.state.isLeaveArmed]).toEqual([undefined, true]);
    expect(run(left.state, interrupt).state.hasLeft).toBe(true);
  });

  test('Ctrl-D leaves natter from a choice and from an empty entry', () => {
    const end = pressed('d', { ctrl: true });
    expect(run(firstRun, end).state.hasLeft).toBe(true);
    expect(run(firstRun, enter, end).state.hasLeft).toBe(true);
    expect(run(firstRun, enter, typed('h'), end).state.hasLeft).toBe(false);
  });

  test('Esc stops a search for servers and comes back to the choice', () => {
    const { state } = run(firstRun, typed('2'), escape, {
      type: 'task-ended',
      entries: [],
      now: 0,
    });
    expect(state.dialog).toEqual(firstRun.dialog);
  });

  test('Esc goes from the servers that were found to the choice', () => {
    const found = run(firstRun, typed('2'), { type: 'servers-found', servers: [] });
    expect(run(found.state, escape).state.dialog).toEqual(firstRun.dialog);
  });

  test('a connection that fails leads back to the address, and Esc from there to the choice', () => {
    const { state } = run(
      firstRun,
      enter,
      typed('http://localhost:9'),
      enter,
      enter,
      failure('unreachable'),
      { type: 'task-ended', entries: [], now: 0 },
    );
    expect(state.dialog).toMatchObject({ asks: 'address', input: { text: 'http://localhost:9' } });
    expect(run(state, escape).state.dialog).toEqual(firstRun.dialog);
  });

  test('takes the number of a choice as a line', () => {
    const { effects } = run(firstRun, { type: 'line-entered', text: '2', now: 0 });
    expect(effects).toEqual([{ type: 'find-servers' }]);
    const wrong = run(firstRun, { type: 'line-entered', text: '9', now: 0 });
    expect(printed(wrong.effects)).toEqual(['choose a number from 1 to 3']);
  });
});

describe('a connection that fails', () => {
  test('asks for the key again when the key was refused', () => {
    expect(run(stateOf(), failure('unauthorized')).state.dialog).toMatchObject({ asks: 'key' });
  });

  test('asks for the address again otherwise, with what was entered', () => {
    const { state } = run(stateOf(), failure('unreachable'));
    expect(state.dialog).toMatchObject({
      asks: 'address',
      input: { text: 'http://localhost:9' },
    });
  });
});

describe('the entry of a key', () => {
  const entry = stateOf({ dialog: keyDialog('https://api.example.com') });

  test('leaves the composer alone and is left with Esc', () => {
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

  test('empty means that the service wants none', () => {
    expect(effectsOf(run(entry, enter).effects, 'connect')[0]).toMatchObject({ key: undefined });
  });
});
