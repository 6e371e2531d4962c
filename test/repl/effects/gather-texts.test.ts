import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../src/client/events.ts';
import { Failure } from '../../../src/failure.ts';
import { gatherTexts } from '../../../src/repl/answers/gather-texts.ts';

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

async function* eventsOf(...events: readonly ChatEvent[]): AsyncGenerator<ChatEvent, void> {
  yield* events;
}

async function gather(events: AsyncIterable<ChatEvent>, next: (skipsOne: boolean) => undefined) {
  const found: ChatEvent[] = [];
  for await (const event of gatherTexts(events, next)) found.push(event);
  return found;
}

test('texts that arrive before an update are one event', async () => {
  const updates = createUpdates();
  const found: ChatEvent[] = [];
  const show = async () => {
    const events = gatherTexts(eventsOf(started, text('a'), text('b'), text('c')), updates.next);
    for await (const event of events) found.push(event);
  };
  const shown = show();
  await tick();
  expect(found).toEqual([]);
  await updates.allow();
  expect(found).toEqual([started, text('abc')]);
  await shown;
});

test('texts of different kinds stay in order and are not joined', async () => {
  const all = [reasoning('a'), reasoning('b'), text('c'), reasoning('d'), text('e')];
  const updates = createUpdates();
  const found: ChatEvent[] = [];
  const show = async () => {
    for await (const event of gatherTexts(eventsOf(...all), updates.next)) found.push(event);
  };
  const shown = show();
  await tick();
  await updates.allow();
  await shown;
  expect(found).toEqual([reasoning('ab'), text('c'), reasoning('d'), text('e')]);
});

test('what arrived before a failure is delivered before it', async () => {
  async function* cut(): AsyncGenerator<ChatEvent, void> {
    yield text('kept');
    throw new Failure('incomplete', 'the answer was cut');
  }
  const found: ChatEvent[] = [];
  const show = async () => {
    for await (const event of gatherTexts(cut(), () => undefined)) found.push(event);
  };
  await expect(show()).rejects.toMatchObject({ kind: 'incomplete' });
  expect(found).toEqual([text('kept')]);
});

test('one update in two is left out while text arrives faster than anyone reads', async () => {
  const skips: boolean[] = [];
  async function* paced(): AsyncGenerator<ChatEvent, void> {
    for (const size of [61, 61, 60, 1]) {
      yield text('x'.repeat(size));
      await tick();
    }
  }
  await gather(paced(), (skipsOne) => void skips.push(skipsOne));
  expect(skips.slice(0, 4)).toEqual([false, true, true, false]);
});

test('much text is delivered before the update', async () => {
  async function* long(): AsyncGenerator<ChatEvent, void> {
    for (let read = 0; read < 10; read += 1) yield text('x'.repeat(1000));
  }
  const updates = createUpdates();
  const events = gatherTexts(long(), updates.next);
  expect((await events.next()).value).toEqual(text('x'.repeat(2000)));
  expect((await events.next()).value).toEqual(text('x'.repeat(2000)));
  await events.return();
});

test('nothing is read while much text waits', async () => {
  let read = 0;
  async function* long(): AsyncGenerator<ChatEvent, void> {
    for (; read < 100; read += 1) yield text('x'.repeat(1000));
  }
  const events = gatherTexts(long(), () => undefined);
  await events.next();
  await tick();
  expect(read).toBeLessThan(12);
  await events.return();
});

test('nothing more is read after the caller has stopped', async () => {
  let isClosed = false;
  let wake = (): void => undefined;
  async function* source(): AsyncGenerator<ChatEvent, void> {
    try {
      yield text('a');
      await new Promise<void>((resolve) => (wake = resolve));
      yield text('b');
      yield text('c');
    } finally {
      isClosed = true;
    }
  }
  const events = gatherTexts(source(), () => undefined);
  await events.next();
  await events.return();
  wake();
  await tick();
  expect(isClosed).toBe(true);
});
