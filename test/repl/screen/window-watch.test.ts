import { expect, test } from 'vitest';
import { keyDialog } from '../../../src/repl/connection.ts';
import { type WindowOptions, watchWindow } from '../../../src/repl/screen/window-watch.ts';
import type { AnswerActivity, ReplState } from '../../../src/repl/state.ts';
import {
  answerEnded,
  conversationOf,
  run,
  stateOf,
  waitingAnswer,
} from '../../support/repl-state.ts';

const options: WindowOptions = {
  notify: 'osc9',
  notifyAfter: 10_000,
  progress: 'on',
  title: 'on',
  environment: { TERM: 'xterm-256color' },
};
const quiet = { progress: 'off', title: 'off' } as const;

const conversation = conversationOf({ role: 'user', content: 'tea' });
const ended = (now: number, changes: Partial<ReplState> = {}): ReplState =>
  stateOf({ conversation, now, ...changes });
const answering = (now: number, changes: Partial<AnswerActivity> = {}): ReplState => {
  const since = { since: 1000, lastAt: 1000 };
  return ended(now, {
    activity: { ...waitingAnswer, phase: 'streaming', ...since, ...changes },
  });
};
const retry = { cause: 'busy', retry: 1, retries: 4, at: 9000 };
const retrying = answering(3000, { phase: 'retrying', retry });
const asking = ended(30_000, { dialog: keyDialog(stateOf().service, 'http://localhost') });
const failure = { kind: 'unreachable', message: 'it took too long' } as const;
const failed = run(
  answering(1000),
  answerEnded({ type: 'failed', hasText: false, failure }, conversation, 20_000),
).state;

/** A row has settings; states, and true or false when the window gets or loses the focus; what is written. */
test.each<[string, Partial<WindowOptions>, readonly (ReplState | boolean)[], readonly string[]]>([
  [
    'the state in the title and the progress, each change once',
    {},
    [stateOf(), answering(1000), answering(2000), retrying, ended(4000), asking],
    [
      'title:natter',
      'title:answering: tea - natter',
      'progress:3;',
      'title:retrying: tea - natter',
      'progress:4;',
      'title:tea - natter',
      'progress:0;',
      'title:question: tea - natter',
    ],
  ],
  [
    'the progress of a long answer again, which some terminals forget',
    { title: 'off' },
    [1000, 4000, 6000, 9000, 11_000].map((now) => answering(now)),
    ['progress:3;', 'progress:3;', 'progress:3;'],
  ],
  [
    'an answer that took long while the window has no focus',
    { progress: 'off' },
    [answering(1000), false, ended(124_000), true],
    [
      'title:answering: tea - natter',
      'notify:natter: answered in 2 min 3 s: tea',
      'title:answered: tea - natter',
      'title:tea - natter',
    ],
  ],
  ['nothing in a window with the focus', quiet, [answering(1000), ended(60_000)], []],
  ['nothing of an answer that came soon', quiet, [false, answering(1000), ended(10_999)], []],
  [
    'nothing if notifications are off',
    { ...quiet, notify: 'off' },
    [false, answering(1000), ended(60_000)],
    [],
  ],
  [
    'one notification after the last prompt of a queue',
    quiet,
    [false, answering(1000), answering(9000, { since: 9000 }), ended(12_000)],
    ['notify:natter: answered in 11 s: tea'],
  ],
  [
    'a failure, and a question',
    quiet,
    [false, answering(1000), failed, answering(1000), asking],
    ['notify:natter: no complete answer: tea', 'notify:natter: a question: tea'],
  ],
])('the window shows %s', (_, changes, steps, expected) => {
  const written: string[] = [];
  const watch = watchWindow({ ...options, ...changes }, (sequences) => {
    const named = sequences.replace('\u001B]2;', 'title:').replace('\u001B]9;4;', 'progress:');
    written.push(named.replace('\u001B]9;', 'notify:').replaceAll('\u0007', ''));
  });
  for (const step of steps) {
    if (typeof step === 'boolean') watch.focus(step);
    else watch.show(step);
  }
  expect(written).toEqual(expected);
});
