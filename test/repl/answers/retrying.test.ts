import { expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import type { Action } from '../../../src/repl/state.ts';
import { runInApp } from '../../support/app.tsx';
import { effectsOf, enter, run, stateOf, typed } from '../../support/repl-state.ts';

const refused: Action = {
  type: 'chat-event',
  event: {
    type: 'retry-scheduled',
    retry: 1,
    retries: 4,
    delay: 8000,
    cause: new Failure('server_error', 'the service is busy'),
  },
  now: 1000,
};

const waiting = run(stateOf(), typed('one'), enter, refused).state;

test.each([
  [429, 'slow down', '429: slow down · retry'],
  [500, 'the service failed (500)', '500: the service'],
  [undefined, 'the connection was reset', 'the connection was'],
])('R11: the retry row begins with the status %s', (status, message, row) => {
  const cause = new Failure('rate_limited', message, status === undefined ? {} : { status });
  const event = { type: 'retry-scheduled', retry: 1, retries: 4, delay: 8000, cause } as const;
  const { state } = run(stateOf({ columns: 80 }), typed('one'), enter, {
    type: 'chat-event',
    event,
    now: 1000,
  });
  expect(runInApp(state).rows.join('\n')).toContain(row);
});

test('Enter on an empty composer ends the wait before a retry', () => {
  const { state, effects } = run(waiting, enter);
  expect(effects).toEqual([{ type: 'retry-now' }]);
  expect(state.activity).toMatchObject({ phase: 'retrying', retry: { retry: 1, at: state.now } });
});

test('an empty line of line mode ends the wait, too', () => {
  const lines = { ...waiting, isLineMode: true };
  const { effects } = run(lines, { type: 'line-entered', text: '', now: 2000 });
  expect(effects).toEqual([{ type: 'retry-now' }]);
});

test('Enter with a draft queues it, and the wait continues', () => {
  const { state, effects } = run(waiting, typed('two'), enter);
  expect(effectsOf(effects, 'retry-now')).toEqual([]);
  expect(state.queue).toHaveLength(1);
});

test('Enter during an answer does not retry', () => {
  const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
  const { state } = run(waiting, { type: 'chat-event', event: text, now: 3000 });
  expect(run(state, enter).effects).toEqual([]);
});
