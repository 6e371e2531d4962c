import { expect, test } from 'vitest';
import { collectAnswer, IncompleteAnswer } from '../../src/client/collect-answer.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import { Failure } from '../../src/failure.ts';
import { finished, text } from '../support/events.ts';

async function* eventsOf(events: readonly ChatEvent[], end?: Error): AsyncGenerator<ChatEvent> {
  yield* events;
  if (end !== undefined) throw end;
}

test('collects the texts of an answer and the metadata at its end', async () => {
  const thought: ChatEvent = { type: 'reasoning-received', text: 'hm' };
  const no: ChatEvent = { type: 'refusal-received', text: 'no' };
  const events = eventsOf([thought, text('Hel'), text('lo'), no, finished]);
  const { type: _, ...end } = finished;
  const texts = { text: 'Hello', reasoning: 'hm', refusal: 'no' };
  expect(await collectAnswer(events)).toEqual({ ...texts, ...end });
});

test('throws a cut answer with its text', async () => {
  const cause = new Error('reset');
  const remedy = { code: 'send-again' } as const;
  const failure = new Failure('incomplete', 'cut', { remedy, requestId: 'r1', cause });
  const collected = collectAnswer(eventsOf([text('Hel')], failure));
  await expect(collected).rejects.toBeInstanceOf(IncompleteAnswer);
  await expect(collected).rejects.toMatchObject({
    kind: 'incomplete',
    message: 'cut',
    remedy,
    requestId: 'r1',
    cause,
    received: { text: 'Hel', reasoning: '', refusal: '' },
  });
});

test('X23: throws an answer that was filtered with its text and the metadata at its end', async () => {
  const { type: _, ...ending } = finished;
  const filtered = eventsOf([text('Hel'), finished], new Failure('no_answer', 'filtered'));
  await expect(collectAnswer(filtered)).rejects.toMatchObject({
    kind: 'no_answer',
    received: { text: 'Hel' },
    ending,
  });
});

test.each([new Failure('unauthorized', 'no key'), new DOMException('stop', 'AbortError')])(
  'throws other errors unchanged: %s',
  async (reason) => {
    await expect(collectAnswer(eventsOf([text('Hel')], reason))).rejects.toBe(reason);
  },
);

test('fails when the events end too early', async () => {
  await expect(collectAnswer(eventsOf([text('Hel')]))).rejects.toMatchObject({
    kind: 'unexpected',
  });
});
