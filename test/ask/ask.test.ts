import { describe, expect, test } from 'vitest';
import { ask } from '../../src/ask/ask.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import { Failure } from '../../src/failure.ts';
import { finished, text } from '../support/events.ts';
import { createFakeClock } from '../support/fake-clock.ts';

async function* events(list: readonly ChatEvent[], error?: unknown) {
  yield* list;
  if (error !== undefined) throw error;
}

function questionOf(list: readonly ChatEvent[], error?: unknown) {
  const { signal } = new AbortController();
  return { send: () => events(list, error), clock: createFakeClock(), signal };
}

describe('an answer', () => {
  test('has its text, and what the service reported', async () => {
    const answer = await ask(questionOf([text('be'), text('cause'), finished]));
    const metadata = { complete: true, finishReason: 'stop' };
    const ended = { failure: undefined, error: undefined, isStopped: false };
    expect(answer).toMatchObject({ content: 'because', received: 'because', metadata, ...ended });
  });

  test('keeps the text before a failure', async () => {
    const cut = new Failure('incomplete', 'the connection was lost');
    const answer = await ask(questionOf([text('be')], cut));
    expect(answer).toMatchObject({ content: 'be', failure: cut, error: cut, isStopped: false });
    expect(answer.metadata.complete).toBe(false);
  });

  test('that cannot be requested is one that failed', async () => {
    const refused = new Failure('invalid_request', 'too long');
    const question = { ...questionOf([]), send: () => Promise.reject(refused) };
    expect(await ask(question)).toMatchObject({ content: '', failure: refused });
  });

  test('has the text that the client held back and releases after an abort', async () => {
    const controller = new AbortController();
    async function* send(): AsyncGenerator<ChatEvent> {
      yield text('the end is nk-');
      controller.abort(new Error('interrupted'));
      yield text('open');
      throw controller.signal.reason;
    }
    const { signal } = controller;
    const answer = await ask({ ...questionOf([]), send, signal });
    expect(answer).toMatchObject({ content: 'the end is nk-open', isStopped: true });
    expect(answer.failure?.message).toBe('the answer is incomplete: natter was stopped');
  });

  test('is recorded as it was received, and shown with its secrets', async () => {
    const recorded: ChatEvent[] = [];
    const shown: ChatEvent[] = [];
    async function* restore(source: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
      for await (const event of source) {
        yield event.type === 'text-received' ? text(event.text.replace('<1>', 'secret')) : event;
      }
    }
    const record = (event: ChatEvent) => void recorded.push(event);
    const recorder = { event: record, end: () => undefined, turn: () => undefined };
    const sink = {
      event(event: ChatEvent) {
        shown.push(event);
        return undefined;
      },
    };
    const question = { ...questionOf([text('a <1>'), finished]), recorder, guard: { restore } };
    const answer = await ask(question, sink);
    expect(answer).toMatchObject({ content: 'a secret', received: 'a <1>' });
    expect(recorded).toEqual([text('a <1>'), finished]);
    expect(shown).toEqual([text('a secret'), finished]);
  });

  test('is read no faster than it is shown', async () => {
    const read: string[] = [];
    async function* send(): AsyncGenerator<ChatEvent> {
      for (const word of ['one', 'two']) {
        read.push(word);
        yield text(word);
      }
    }
    let release = () => {};
    const sink = { event: () => new Promise<void>((resolve) => (release = resolve)) };
    const asked = ask({ ...questionOf([]), send }, sink);
    await expect.poll(() => read).toEqual(['one']);
    release();
    await expect.poll(() => read).toEqual(['one', 'two']);
    release();
    expect((await asked).content).toBe('onetwo');
  });
});
