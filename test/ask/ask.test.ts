import { describe, expect, test } from 'vitest';
import { ask } from '../../src/ask/ask.ts';
import { resultOf } from '../../src/ask/check.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import { Failure } from '../../src/failure.ts';
import { finished, text } from '../support/events.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { divideReasoning } from '../../src/ask/client-layers.ts';

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

  test('after others to the same prompt has the time to the first text of the first, and the total of all', async () => {
    const whole = await ask(questionOf([text('a'), finished]));
    const answerAt = (firstText: number) => {
      const metadata = { ...whole.metadata, timing: { firstText, total: 10 * firstText } };
      return { answer: { ...whole, metadata }, checked: undefined };
    };
    const answers = { earlier: [answerAt(3)], last: answerAt(5) };
    expect(resultOf(undefined, answers, 'origin').metadata.timing).toEqual({
      firstText: 3,
      total: 80,
    });
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

async function divide(texts: readonly string[], error?: Error) {
  const sent = [...texts.map((one) => text(one)), ...(error === undefined ? [finished] : [])];
  const divided = { answer: '', reasoning: '', received: '', types: [] as string[], thrown: '' };
  try {
    for await (const event of divideReasoning(events(sent, error))) {
      if (divided.types.at(-1) !== event.type) divided.types.push(event.type);
      if (event.type === 'text-received') divided.answer += event.text;
      if (event.type === 'text-received') divided.received += event.text;
      if (event.type !== 'reasoning-received') continue;
      divided.reasoning += event.text;
      divided.received += event.received ?? '';
    }
  } catch (thrown) {
    divided.thrown = (thrown as Error).message;
  }
  return divided;
}

/** The text in every way of splitting it into two deltas, and in single characters. */
function splits(whole: string): readonly (readonly string[])[] {
  const cuts = Array.from(whole, (_, index) => [whole.slice(0, index), whole.slice(index)]);
  return [[whole], Array.from(whole), ...cuts];
}

test.each([
  ['<think>why</think>because', 'why', 'because'],
  ['\n <think>\nwhy <b></think>\n\nbecause\n', '\nwhy <b>', 'because\n'],
  ['<think></think>because', '', 'because'],
  ['<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
  ['no tags: <think>a</think>', '', 'no tags: <think>a</think>'],
  ['<thinker>a', '', '<thinker>a'],
  ['  <thi', '', '  <thi'],
  ['\n\n', '', '\n\n'],
  ['', '', ''],
])(
  'N8: %j is the reasoning %j and the answer %j, however it is split',
  async (received, ...parts) => {
    const [reasoning, answer] = parts;
    for (const deltas of splits(received)) {
      expect(await divide(deltas)).toMatchObject({ reasoning, answer, received });
    }
  },
);

test.each(['<think>a</thi', '<think>a', '<think>a</think>', '<think>a</think>\n'])(
  'N8: %j, which has no answer, is the answer',
  async (answer) => {
    for (const deltas of splits(answer)) expect(await divide(deltas)).toMatchObject({ answer });
  },
);

test('N8: reasoning is passed on while it arrives, and before the end', async () => {
  const { types } = await divide(['<think>', 'a', 'b', '</think>', 'c']);
  expect(types).toEqual(['reasoning-received', 'text-received', 'answer-finished']);
});

test('N8: the text of an answer that is cut while the model reasons is passed on', async () => {
  const divided = await divide(['<think>a', 'b</th'], new Error('cut'));
  expect(divided).toMatchObject({ answer: '<think>ab</th', thrown: 'cut' });
});
