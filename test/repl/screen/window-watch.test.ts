import { expect, test } from 'vitest';
import { keyDialog } from '../../../src/repl/connection.ts';
import { type WindowOptions, WindowWatch } from '../../../src/repl/screen/window-watch.ts';
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

const answer: AnswerActivity = {
  ...waitingAnswer,
  phase: 'streaming',
  since: 1000,
  lastAt: 1000,
};

const conversation = conversationOf({ role: 'user', content: 'tea' });
const answering = (now: number, changes: Partial<AnswerActivity> = {}): ReplState =>
  stateOf({ conversation, now, activity: { ...answer, ...changes } });
const ended = (now: number, changes: Partial<ReplState> = {}): ReplState =>
  stateOf({ conversation, now, ...changes });

function open(changes: Partial<WindowOptions> = {}) {
  let written: string[] = [];
  const watch = new WindowWatch({ ...options, ...changes }, (sequences) => {
    written.push(
      sequences
        .replaceAll('\u001B]2;', 'title:')
        .replaceAll('\u001B]9;4;', 'progress:')
        .replaceAll('\u001B]9;', 'notify:')
        .replaceAll('\u0007', ''),
    );
  });
  const take = () => {
    const taken = written;
    written = [];
    return taken;
  };
  return { watch, take };
}

test('shows the state in the title and the progress, each change once', () => {
  const { watch, take } = open();
  watch.show(stateOf());
  expect(take()).toEqual(['title:natter']);
  watch.show(answering(1000));
  watch.show(answering(2000));
  expect(take()).toEqual(['title:answering: tea - natter', 'progress:3;']);
  const retry = { cause: 'busy', retry: 1, retries: 4, at: 9000 };
  watch.show(answering(3000, { phase: 'retrying', retry }));
  expect(take()).toEqual(['title:retrying: tea - natter', 'progress:4;']);
  watch.show(ended(4000));
  expect(take()).toEqual(['title:tea - natter', 'progress:0;']);
  watch.show(ended(5000, { dialog: keyDialog(stateOf().service, 'http://localhost') }));
  expect(take()).toEqual(['title:question: tea - natter']);
});

test('renews the progress of a long answer, which some terminals forget', () => {
  const { watch, take } = open({ title: 'off' });
  for (const now of [1000, 4000, 6000, 9000, 11_000]) watch.show(answering(now));
  expect(take()).toEqual(['progress:3;', 'progress:3;', 'progress:3;']);
});

test('notifies of an answer that took long while the window has no focus', () => {
  const { watch, take } = open({ progress: 'off' });
  watch.show(answering(1000));
  watch.focus(false);
  take();
  watch.show(ended(124_000));
  expect(take()).toEqual([
    'notify:natter: answered in 2 min 3 s: tea',
    'title:answered: tea - natter',
  ]);
  watch.focus(true);
  expect(take()).toEqual(['title:tea - natter']);
});

test.each<[string, boolean, number, Partial<WindowOptions>]>([
  ['has the focus', true, 60_000, {}],
  ['got its answer soon', false, 10_999, {}],
  ['is not to be notified', false, 60_000, { notify: 'off' }],
])('writes no notification to a window that %s', (_, hasFocus, now, changes) => {
  const { watch, take } = open({ ...changes, progress: 'off', title: 'off' });
  watch.focus(hasFocus);
  watch.show(answering(1000));
  watch.show(ended(now));
  expect(take()).toEqual([]);
});

test('notifies once, after the last prompt of a queue', () => {
  const { watch, take } = open({ progress: 'off', title: 'off' });
  watch.focus(false);
  watch.show(answering(1000));
  watch.show(answering(9000, { since: 9000 }));
  watch.show(ended(12_000));
  expect(take()).toEqual(['notify:natter: answered in 11 s: tea']);
});

test('names a failure, and a question', () => {
  const failure = { kind: 'unreachable', message: 'it took too long' } as const;
  const outcome = { type: 'failed', hasText: false, failure } as const;
  const { watch, take } = open({ progress: 'off', title: 'off' });
  watch.focus(false);
  watch.show(answering(1000));
  const end = answerEnded(outcome, conversation, 20_000);
  watch.show(run(answering(1000), end).state);
  expect(take()).toEqual(['notify:natter: no complete answer: tea']);
  watch.show(answering(1000));
  watch.show(ended(30_000, { dialog: keyDialog(stateOf().service, 'http://localhost') }));
  expect(take()).toEqual(['notify:natter: a question: tea']);
});
