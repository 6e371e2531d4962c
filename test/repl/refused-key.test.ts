import { describe, expect, test } from 'vitest';
import { onConnectionFailed } from '../../src/repl/connection.ts';
import { runInApp } from '../support/app.tsx';
import {
  composed,
  conversationOf,
  effectsOf,
  enter,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const address = 'https://api.example.com';
const failure = { kind: 'unauthorized', message: 'the key was refused' } as const;
const outcome = { type: 'failed', hasText: false, failure } as const;
const ended = { type: 'answer-ended', outcome, conversation: conversationOf(), now: 0 } as const;

describe.each([
  [true, 'enter a different key here'],
  [false, 'enter a key here'],
])('the hint of a refusal, with a key: %s', (hasKey, hint) => {
  test('during an answer', () => {
    const service = { address, isSandbox: false, hasKey };
    const { effects } = run(stateOf({ service }), typed('one'), enter, ended);
    expect(JSON.stringify(effects)).toContain(hint);
  });

  test('while connecting', () => {
    const key = hasKey ? 'refused' : undefined;
    const { effects } = run(stateOf(), (state) =>
      onConnectionFailed(state, failure, { address, key }),
    );
    expect(JSON.stringify(effects)).toContain(hint);
  });
});

test('a refused key is asked for again, and the prompt is kept', () => {
  const { state } = run(stateOf(), typed('one'), enter, ended);
  expect(state.dialog).toMatchObject({ type: 'entry', label: 'API key', isHidden: true });
  const connected = runInApp(state, typed('new-key'), enter);
  expect(effectsOf(connected.effects, 'connect')).toMatchObject([{ address, key: 'new-key' }]);
  expect(composed(connected.state)).toBe('one');
});
