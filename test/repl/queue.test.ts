import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import {
  conversationOf,
  effectsOf,
  enter,
  escape,
  printed,
  run,
  stateOf,
  typed,
  type Effect,
} from '../support/repl-state.ts';

const stopped = {
  type: 'answer-ended',
  outcome: { type: 'stopped', hasText: true },
  conversation: conversationOf(
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'first', incomplete: true },
  ),
  now: 0,
} as const;

describe('the queue after a stop', () => {
  const line = (text: string) => ({ type: 'line-entered', text, now: 0 }) as const;

  test('is shown with the key that sends it', () => {
    const { state } = run(stateOf(), typed('one'), enter, typed('two'), enter, escape, stopped);
    expect(noticeOf(state)).toBe('Enter sends the queue, Up edits it');
    expect(effectsOf(run(state, enter).effects, 'send')[0]?.prompt).toMatchObject({
      content: 'two',
    });
  });

  test('is not offered to Enter while the composer has a draft or an answer is awaited', () => {
    const { state } = run(stateOf(), typed('one'), enter, typed('two'), enter, escape, stopped);
    const drafted = run(state, typed('three'));
    expect(noticeOf(drafted.state)).toBe('the queue is sent after this prompt');
    const sent = run(drafted.state, enter);
    expect(effectsOf(sent.effects, 'send')[0]?.prompt).toMatchObject({ content: 'three' });
    expect(noticeOf(sent.state)).toBeUndefined();
  });

  test('is reported in line mode, where an empty line sends it', () => {
    const lines = stateOf({ isLineMode: true });
    const { state, effects } = run(lines, line('one'), line('two'), stopped);
    expect(printed(effects).at(-1)).toBe('1 line is queued; Enter sends it');
    expect(effectsOf(run(state, line('')).effects, 'send')).toHaveLength(1);
  });
});

describe('X31: a queue paused by a stop or a failure', () => {
  const finished = { ...stopped, outcome: { type: 'finished' } } as const;
  const failed = {
    ...stopped,
    outcome: {
      type: 'failed',
      hasText: true,
      failure: { kind: 'incomplete', message: 'the answer was cut' },
    },
  } as const;
  const sent = (text: string) => [typed(text), enter];
  const contents = (effects: readonly Effect[]) =>
    effectsOf(effects, 'send').map(({ prompt }) => 'content' in prompt && prompt.content);

  test.each([
    ['stop', stopped],
    ['failure', failed],
  ])('continues after a %s once a later prompt is answered', (_name, ended) => {
    const { state, effects } = run(
      stateOf(),
      ...sent('one'),
      ...sent('two'),
      ended,
      ...sent('three'),
      finished,
    );
    expect(contents(effects)).toEqual(['one', 'three', 'two']);
    expect(state.isQueuePaused).toBe(false);
  });

  test('is sent after a later prompt', () => {
    const { state, effects } = run(
      stateOf(),
      ...sent('one'),
      stopped,
      ...sent('two'),
      ...sent('three'),
    );
    expect(noticeOf(state)).toBeUndefined();
    const next = run(state, finished);
    expect(contents([...effects, ...next.effects])).toEqual(['one', 'two', 'three']);
  });

  test('stays paused if the later prompt fails too', () => {
    const { state, effects } = run(
      stateOf(),
      ...sent('one'),
      ...sent('two'),
      stopped,
      ...sent('three'),
      failed,
    );
    expect(contents(effects)).toEqual(['one', 'three']);
    expect(noticeOf(state)).toBe('Enter sends the queue, Up edits it');
  });
});
