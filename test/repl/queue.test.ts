import { describe, expect, test } from 'vitest';
import { remember } from '../../src/repl/queue.ts';
import { noticeOf } from '../../src/repl/screen/App.tsx';
import {
  answerEnded,
  conversationOf,
  effectsOf,
  enter,
  escape,
  lineEntered,
  play,
  pressed,
  stateOf,
} from '../support/repl-state.ts';

const answered = conversationOf(
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'first', incomplete: true },
);
const stopped = answerEnded({ type: 'stopped', hasText: true }, answered);
const finished = answerEnded({ type: 'finished' }, answered);
const failure = { kind: 'incomplete', message: 'the answer was cut' } as const;
const failed = answerEnded({ type: 'failed', hasText: true, failure }, answered);

describe('X31: a queue paused by a stop or a failure', () => {
  const waiting = play(stateOf(), 'one', enter, 'two', enter, escape, stopped).state;

  test('is shown with the key that sends it, but not to Enter while there is a draft', () => {
    expect(noticeOf(waiting)).toBe('Enter sends the queue, Up edits it');
    expect(play(waiting, enter).sent).toEqual(['two']);
    const drafted = play(waiting, 'three');
    expect(noticeOf(drafted.state)).toBe('the queue is sent after this prompt');
    const { state, sent } = play(drafted.state, enter);
    expect(sent).toEqual(['three']);
    expect(noticeOf(state)).toBeUndefined();
  });

  test('is reported in line mode, where an empty line sends it', () => {
    const lines = stateOf({ isLineMode: true });
    const { state, printed } = play(lines, lineEntered('one'), lineEntered('two'), stopped);
    expect(printed.at(-1)).toBe('1 line is queued; Enter sends it');
    expect(play(state, lineEntered('')).sent).toEqual(['two']);
  });

  test.each([
    ['stop', stopped],
    ['failure', failed],
  ])('continues after a %s once a later prompt is answered', (_name, ended) => {
    const keys = ['one', enter, 'two', enter, ended, 'three', enter] as const;
    const { state, sent } = play(stateOf(), ...keys, finished);
    expect(sent).toEqual(['one', 'three', 'two']);
    expect(state.isQueuePaused).toBe(false);
    const again = play(stateOf(), ...keys, failed);
    expect(again.sent).toEqual(['one', 'three']);
    expect(noticeOf(again.state)).toBe('Enter sends the queue, Up edits it');
  });
});

const stash = pressed('s', { ctrl: true });

describe('Ctrl+S', () => {
  test('puts the draft aside, on disk in the history, and brings it back with its caret', () => {
    const put = play(stateOf(), 'a long draft', pressed('left'), stash);
    expect(put.text).toBe('');
    expect(effectsOf(put.effects, remember)).toMatchObject([{ input: 'a long draft' }]);
    expect(noticeOf(put.state)).toBe('Ctrl+S restores the stashed draft');
    const { state, text } = play(put.state, stash);
    expect([text, state.composer.cursor]).toEqual(['a long draft', 11]);
    expect(noticeOf(state)).toBeUndefined();
  });

  test('the draft returns after the next prompt was sent, and not after a command', () => {
    const asking = play(stateOf(), 'a long draft', stash, 'quick?').state;
    expect(noticeOf(asking)).toBe('after this prompt: the stashed draft');
    expect(play(asking, enter)).toMatchObject({ sent: ['quick?'], text: 'a long draft' });
    const { state, text } = play(stateOf(), 'draft', stash, '/usage', enter);
    expect([text, state.stash?.length]).toEqual(['', 1]);
  });

  test('several drafts return in reverse order', () => {
    const put = play(stateOf(), 'one', stash, 'two', stash).state;
    expect(noticeOf(put)).toBe('Ctrl+S restores 1 of 2 drafts');
    const two = play(put, stash);
    expect(two.text).toBe('two');
    expect(play(two.state, enter).text).toBe('one');
  });

  test('does nothing without a draft', () => {
    expect(play(stateOf(), stash)).toMatchObject({ text: '', effects: [] });
  });
});
