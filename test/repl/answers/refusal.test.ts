import { expect, test } from 'vitest';
import { pathOf } from '../../../src/conversation/tree.ts';
import { Failure } from '../../../src/failure.ts';
import { showConversation } from '../../../src/repl/conversations/conversations.ts';
import { createMemorySession, type Reply } from '../../support/memory-session.ts';

const refusal = 'I will not';

/** A refusal; with `failure`, an incomplete one. */
function refusing(failure?: Failure): Reply {
  return async function* reply() {
    yield { type: 'answer-started', attempt: 1 };
    for (const text of ['I will ', 'not']) yield { type: 'refusal-received', text };
    if (failure !== undefined) throw failure;
    yield { type: 'answer-finished', finishReason: 'stop', attempts: 1, timing: { total: 10 } };
  };
}

test('S31 a refusal is shown, recorded, sent with the next prompt and shown again', async () => {
  const { session, enter, idle, text, requests } = createMemorySession(refusing());
  enter('how?');
  await idle();
  expect(text()).toBe(`You: how?\nnatter: the model refused: ${refusal}\n`);
  enter('why?');
  const { conversation } = await idle();
  expect(requests[1]?.messages).toEqual([
    { role: 'user', content: 'how?' },
    { role: 'assistant', content: refusal },
    { role: 'user', content: 'why?' },
  ]);
  expect(pathOf(conversation)[1]).toMatchObject({ content: '', refusal });
  const shown = showConversation(session.state().conversation);
  expect(shown).toContainEqual({ type: 'notice', text: `the model refused: ${refusal}` });
  expect(shown).not.toContainEqual({ type: 'notice', text: 'no answer was received' });
});

test('an incomplete refusal is shown and recorded too', async () => {
  const failure = new Failure('incomplete', 'the connection broke');
  const { enter, idle, text } = createMemorySession(refusing(failure));
  enter('how?');
  const { conversation } = await idle();
  expect(text()).toContain(`natter: the model refused: ${refusal}\n`);
  expect(pathOf(conversation)[1]).toMatchObject({ refusal, incomplete: true });
});

test('/copy copies a refusal if it is the last answer', async () => {
  const { enter, idle, calls } = createMemorySession(refusing());
  enter('how?');
  await idle();
  enter('/copy');
  await idle();
  const copied = Buffer.from(refusal).toString('base64');
  expect(calls.some((call) => call.includes(copied))).toBe(true);
});

test('X23: a filtered answer is shown and recorded with its text and marked as failed', async () => {
  const filtered = 'the service filtered the answer (finish_reason content_filter)';
  const { session, enter, idle, text } = createMemorySession(async function* reply() {
    yield { type: 'answer-started', attempt: 1 };
    yield { type: 'text-received', text: 'Well', deltas: ['Well'] };
    const finishReason = 'content_filter';
    yield { type: 'answer-finished', finishReason, attempts: 1, timing: { total: 10 } };
    throw new Failure('no_answer', filtered, { hint: 'ask in other words' });
  });
  enter('how?');
  const { conversation } = await idle();
  expect(text()).toContain(`Well\nnatter: ${filtered}\n`);
  const answer = pathOf(conversation)[1];
  expect(answer).toMatchObject({ content: 'Well', finishReason: 'content_filter' });
  expect(answer).toMatchObject({ failure: 'no_answer' });
  expect(answer?.incomplete).toBeUndefined();
  expect(session.state().conversation).toBe(conversation);
});
