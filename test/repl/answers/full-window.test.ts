import { expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import {
  failing,
  openMemorySession,
  saying,
  type MemorySession,
} from '../../support/memory-session.ts';

const service = {
  address: 'https://api.example.com',
  isSandbox: false,
  hasKey: true,
  windows: new Map([['origin', 900]]),
} as const;

/** Fills 80% of the window. */
const long = 'word '.repeat(600);

async function enter(memory: MemorySession, line: string): Promise<void> {
  memory.enter(line);
  await memory.idle();
}

test('at 80% of the window a notice names /compact, and the setting makes the summary at once', async () => {
  const asked = openMemorySession({ replies: [saying(long)], state: { service } });
  await enter(asked, 'why?');
  expect(asked.text()).toMatch(
    /% of origin's window is used .*; \/compact replaces the older turns/,
  );
  expect(asked.requests).toHaveLength(1);
  const automatic = openMemorySession({
    replies: [saying(long), saying('short'), saying('2')],
    state: { service, compaction: { isAutomatic: true, hasFailed: false } },
  });
  await enter(automatic, 'why?');
  expect(automatic.requests).toHaveLength(2);
  expect(automatic.text()).not.toContain('/compact replaces');
  await enter(automatic, 'and?');
  expect(automatic.requests.at(-1)?.messages).toHaveLength(1);
  expect(automatic.requests).toHaveLength(3);
});

test('R2: a prompt that is refused in a full window is not sent again, but /compact and /undo are named', async () => {
  const refused = new Failure('invalid_request', 'the prompt is too long (400)', { status: 400 });
  const memory = openMemorySession({
    replies: [saying(long), failing(refused), failing(refused)],
    state: { service },
  });
  await enter(memory, 'why?');
  await enter(memory, 'and?');
  const [, after = ''] = memory.text().split('the prompt is too long (400)');
  expect(after).toMatch(/^\n {2}\/compact sends a summary .*, \/undo removes the last prompt/);
  expect(after).not.toContain('sends it again');
});

test('a window that is full again after a summary is reported again', async () => {
  const memory = openMemorySession({
    replies: [saying(long), saying('short'), saying(long)],
    state: { service },
  });
  await enter(memory, 'why?');
  await enter(memory, '/compact');
  await enter(memory, 'and?');
  expect(memory.text().match(/% of origin's window is used/g)).toHaveLength(2);
});

test('a window that is full again after /undo is reported again', async () => {
  const memory = openMemorySession({ replies: [saying(long), saying(long)], state: { service } });
  await enter(memory, 'why?');
  await enter(memory, '/undo');
  await enter(memory, 'and?');
  expect(memory.text().match(/% of origin's window is used/g)).toHaveLength(2);
});

test('an automatic summary that leaves the window nearly full is reported and not repeated', async () => {
  const memory = openMemorySession({
    replies: [saying('word '.repeat(1200)), saying('word '.repeat(700)), saying('2')],
    state: { service, compaction: { isAutomatic: true, hasFailed: false } },
  });
  await enter(memory, 'why?');
  expect(memory.text()).toMatch(
    /% of origin's window is still used \(.*\); \/new starts an empty conversation/,
  );
  await enter(memory, 'and?');
  expect(memory.requests).toHaveLength(3);
});

test('a failed automatic summary is not tried again', async () => {
  const memory = openMemorySession({
    replies: [saying(long), failing(new Failure('server_error', 'no')), saying('2')],
    state: { service, compaction: { isAutomatic: true, hasFailed: false } },
  });
  await enter(memory, 'why?');
  await enter(memory, 'and?');
  expect(memory.requests).toHaveLength(3);
});

test('a /compact without anything to summarize leaves automatic summaries on', async () => {
  const memory = openMemorySession({
    replies: [saying(long), saying('short')],
    state: { service, compaction: { isAutomatic: true, hasFailed: false } },
  });
  await enter(memory, '/compact');
  await enter(memory, 'why?');
  expect(memory.requests).toHaveLength(2);
});

test('after a failed automatic summary, a new conversation is summarized automatically', async () => {
  const memory = openMemorySession({
    replies: [
      saying(long),
      failing(new Failure('server_error', 'no')),
      saying(long),
      saying('of long words'),
    ],
    state: { service, compaction: { isAutomatic: true, hasFailed: false } },
  });
  await enter(memory, 'why?');
  await enter(memory, '/new');
  await enter(memory, 'and?');
  expect(memory.requests).toHaveLength(4);
  expect(memory.text()).toContain('summary: of long words');
});
