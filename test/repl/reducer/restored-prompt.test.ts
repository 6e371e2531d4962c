import { describe, expect, test } from 'vitest';
import {
  composed,
  conversationOf,
  effectsOf,
  enter,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const failed = {
  type: 'answer-ended',
  outcome: {
    type: 'failed',
    hasText: false,
    failure: { kind: 'server_error', message: 'the service answered 500' },
  },
  conversation: conversationOf({ role: 'user', content: 'one' }),
  now: 0,
} as const;

const file = { name: 'notes.md', content: 'text' };
const withFile = stateOf({ attachments: [file] });

describe('a restored unanswered prompt', () => {
  test('makes room for /retry: a slash right after it begins a command', () => {
    const { effects } = run(stateOf(), typed('one'), enter, failed, typed('/retry'), enter);
    expect(effectsOf(effects, 'send').at(-1)?.prompt).toMatchObject({ type: 'repeat' });
  });

  test('brings its files along', () => {
    const { state, effects } = run(withFile, typed('one'), enter, failed);
    expect(effectsOf(effects, 'send').at(-1)?.prompt).toMatchObject({ files: [file] });
    expect(state.attachments).toEqual([file]);
    const again = run(state, enter);
    expect(effectsOf(again.effects, 'send').at(-1)?.prompt).toMatchObject({ files: [file] });
    expect(again.state.attachments).toEqual([]);
  });

  test('leaves its files to /retry, which has them, and keeps what was attached since', () => {
    const since = { name: 'since.md', content: 'more' };
    const attached = { type: 'file-attached', file: since } as const;
    const { state } = run(withFile, typed('one'), enter, failed, attached, typed('/retry'), enter);
    expect(state.attachments).toEqual([since]);
  });

  test('is text like any other once it was edited', () => {
    const { state } = run(stateOf(), typed('one'), enter, failed, typed(' or'), typed('/two'));
    expect(composed(state)).toBe('one or/two');
  });
});
