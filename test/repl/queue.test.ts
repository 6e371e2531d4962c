import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import type { ReplState } from '../../src/repl/state.ts';
import {
  answerEnded,
  composed,
  conversationOf,
  type Effect,
  effectsOf,
  enter,
  escape,
  lineEntered,
  pressed,
  printed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const answered = conversationOf(
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'first', incomplete: true },
);

const stopped = answerEnded({ type: 'stopped', hasText: true }, answered);

describe('the queue after a stop', () => {
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
    const { state, effects } = run(lines, lineEntered('one'), lineEntered('two'), stopped);
    expect(printed(effects).at(-1)).toBe('1 line is queued; Enter sends it');
    expect(effectsOf(run(state, lineEntered('')).effects, 'send')).toHaveLength(1);
  });
});

describe('X31: a queue paused by a stop or a failure', () => {
  const finished = answerEnded({ type: 'finished' }, answered);
  const failure = { kind: 'incomplete', message: 'the answer was cut' } as const;
  const failed = answerEnded({ type: 'failed', hasText: true, failure }, answered);
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

const stash = pressed('s', { ctrl: true });
const notice = (state: ReplState) => noticeOf(state);

describe('Ctrl+S', () => {
  test('puts the draft aside, on disk in the history, and brings it back with its caret', () => {
    const put = run(stateOf(), typed('a long draft'), pressed('left'), stash);
    expect(composed(put.state)).toBe('');
    expect(effectsOf(put.effects, 'remember')).toEqual([
      { type: 'remember', input: 'a long draft' },
    ]);
    expect(notice(put.state)).toBe('Ctrl+S restores the stashed draft');
    const { state } = run(put.state, stash);
    expect([composed(state), state.composer.cursor]).toEqual(['a long draft', 11]);
    expect(notice(state)).toBeUndefined();
  });

  test('the draft returns after the next prompt was sent', () => {
    const asking = run(stateOf(), typed('a long draft'), stash, typed('quick?')).state;
    expect(notice(asking)).toBe('after this prompt: the stashed draft');
    const { state, effects } = run(asking, enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'quick?' });
    expect(composed(state)).toBe('a long draft');
  });

  test('a command leaves it aside', () => {
    const { state } = run(stateOf(), typed('draft'), stash, typed('/usage'), enter);
    expect([composed(state), state.stash?.length]).toEqual(['', 1]);
  });

  test('several drafts return in reverse order', () => {
    const put = run(stateOf(), typed('one'), stash, typed('two'), stash).state;
    expect(notice(put)).toBe('Ctrl+S restores 1 of 2 drafts');
    const two = run(put, stash).state;
    expect(composed(two)).toBe('two');
    expect(composed(run(two, enter).state)).toBe('one');
  });

  test('does nothing without a draft', () => {
    const { state, effects } = run(stateOf(), stash);
    expect([composed(state), effects]).toEqual(['', []]);
  });
});
