import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../src/client/events.ts';
import { Failure } from '../../../src/failure.ts';
import { gatherTexts } from '../../../src/repl/answers/send-prompt.ts';

const text = (value: string): ChatEvent => ({
  type: 'text-received',
  text: value,
  deltas: [value],
});
const reasoning = (value: string): ChatEvent => ({ type: 'reasoning-received', text: value });
const started: ChatEvent = { type: 'answer-started', attempt: 1 };

/** Updates that a test allows one by one. */
function createUpdates() {
  let allow = (): void => undefined;
  return {
    next: () => new Promise<void>((resolve) => (allow = resolve)),
    async allow() {
      allow();
      await tick();
    },
  };
}

/** What is shown of events, at the pace of updates that a test allows. */
function gathered() {
  const updates = createUpdates();
  const found: ChatEvent[] = [];
  const show = async (event: ChatEvent) => void found.push(event);
  return { updates, found, ...gatherTexts(show, updates.next) };
}

test('texts that arrive before an update are one event', async () => {
  const { updates, found, event, end } = gathered();
  for (const arrived of [started, text('a'), text('b'), text('c')]) void event(arrived);
  await tick();
  expect(found).toEqual([]);
  await updates.allow();
  await end();
  expect(found).toEqual([started, text('abc')]);
});

test('texts of different kinds stay in order and are not joined', async () => {
  const { updates, found, event, end } = gathered();
  const all = [reasoning('a'), reasoning('b'), text('c'), reasoning('d'), text('e')];
  for (const arrived of all) void event(arrived);
  await updates.allow();
  await end();
  expect(found).toEqual([reasoning('ab'), text('c'), reasoning('d'), text('e')]);
});

test('what arrives while texts are shown follows with the next update', async () => {
  const { updates, found, event, end } = gathered();
  void event(text('a'));
  await updates.allow();
  void event(text('b'));
  await tick();
  expect(found).toEqual([text('a')]);
  await updates.allow();
  await end();
  expect(found).toEqual([text('a'), text('b')]);
});

test('reading waits while much text waits', async () => {
  const { updates, event } = gathered();
  expect(event(text('x'.repeat(10_000)))).toBeUndefined();
  const waiting = event(text('x'.repeat(10_000)));
  expect(waiting).toBeInstanceOf(Promise);
  await updates.allow();
  await waiting;
});

test('a failure to show is thrown at the end', async () => {
  const failed = () => Promise.reject(new Failure('storage', 'the terminal is gone'));
  const { event, end } = gatherTexts(failed, () => undefined);
  void event(text('a'));
  await expect(end()).rejects.toThrow('the terminal is gone');
});
