import { expect, test } from 'vitest';
import { choice, done, event, finish, response } from '../support/raw-replies.ts';
import { failureOf, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

const reply = (...events: readonly string[]) => [
  response(200, { 'content-type': 'text/event-stream', 'x-request-id': 'r1' }, events.join('')),
];

test.each([
  ['a filter', choice({ delta: { content: 'Hel' } }), 'content_filter', 'filtered'],
  ['a refusal', choice({ delta: { refusal: 'No.' } }), 'stop', 'refused'],
  ['a tool call', choice({ delta: { tool_calls: [{ index: 0 }] } }), 'stop', 'called a tool'],
])(
  'X23: %s is no_answer after the end of the answer, and is not sent again',
  async (_, delta, reason, message) => {
    const set = await serveClient([reply(delta, finish(reason), done)]);
    const run = await runChat(set);
    expect(run.events.at(-1)).toMatchObject({ type: 'answer-finished', finishReason: reason });
    expect(failureOf(run)).toMatchObject({ kind: 'no_answer', requestId: 'r1' });
    expect(failureOf(run).message).toContain(message);
    expect(set.server.requests).toHaveLength(1);
  },
);

test.each([
  ['[DONE] alone', ''],
  ['an id and [DONE]', event({ id: 'a', choices: [] })],
])('N10: a stream of %s is incomplete, and is not sent again', async (_what, start) => {
  const set = await serveClient([reply(start, done)]);
  expect(failureOf(await runChat(set))).toMatchObject({
    kind: 'incomplete',
    message: 'the answer is incomplete: the service sent neither text nor a finish_reason',
  });
  expect(set.server.requests).toHaveLength(1);
});
