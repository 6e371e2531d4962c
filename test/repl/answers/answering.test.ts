import { expect, test } from 'vitest';
import { hurry } from '../../../src/repl/queue.ts';
import type { ChatEvent } from '../../../src/client/events.ts';
import { estimateTokens } from '../../../src/conversation/token-estimate.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import { Failure } from '../../../src/failure.ts';
import { showConversation } from '../../../src/repl/conversations/conversations.ts';
import type { ReasoningMode, ReplState } from '../../../src/repl/state.ts';
import { runInApp } from '../../support/app.tsx';
import {
  createMemorySession,
  openMemorySession,
  type Reply,
  received,
  replying,
  saying,
} from '../../support/memory-session.ts';
import { chatEvent, effectsOf, enter, play, stateOf } from '../../support/repl-state.ts';

/** A service that asks to be tried again in 8 seconds. */
const retrying = (cause: Failure) =>
  chatEvent({ type: 'retry-scheduled', retry: 1, retries: 4, delay: 8000, cause }, 1000);

const busy = retrying(new Failure('server_error', 'the service is busy'));
const waiting = play(stateOf(), 'one', enter, busy).state;

test.each([
  [429, 'slow down', '429: slow down · retry'],
  [500, 'the service failed (500)', '500: the service'],
  [undefined, 'the connection was reset', 'the connection was'],
])('R11: the retry row begins with the status %s', (status, message, row) => {
  const cause = new Failure('rate_limited', message, status === undefined ? {} : { status });
  const { state } = play(stateOf({ columns: 80 }), 'one', enter, retrying(cause));
  expect(runInApp(state).rows.join('\n')).toContain(row);
});

test('Enter on an empty composer ends the wait before a retry, and not an answer', () => {
  const { state, effects } = play(waiting, enter);
  expect(effects).toEqual([{ type: 'hurry' }]);
  expect(state.activity).toMatchObject({ phase: 'retrying', retry: { retry: 1, at: state.now } });
  expect(play(waiting, chatEvent(received('half'), 3000), enter).effects).toEqual([]);
});

test('Enter with a draft queues it, and the wait continues', () => {
  const { state, effects } = play(waiting, 'two', enter);
  expect(effectsOf(effects, hurry)).toEqual([]);
  expect(state.queue).toHaveLength(1);
});

const tokensIn = ({ activity }: ReplState) =>
  activity?.type === 'answer' ? Math.ceil(activity.tokens) : undefined;

test('the count of an answer in progress does not depend on its pieces', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => ['a', 'word ', 'é'][index % 3] ?? '');
  const { state } = play(
    stateOf(),
    'hello',
    enter,
    ...pieces.map((text) => chatEvent(received(text))),
  );
  expect(tokensIn(state)).toBe(estimateTokens(pieces.join('')));
});

const reasoning = (text: string): ChatEvent => ({ type: 'reasoning-received', text });

function open(reply: Reply, mode: ReasoningMode = 'show') {
  return openMemorySession({ replies: [reply], state: { reasoning: mode } });
}

const thoughts = ['let me\u001B[2J ', 'see'].map(reasoning);
const thoughtLate = [received('yes'), reasoning('see'), received('!')];

test.each<[ReasoningMode, string, readonly ChatEvent[], string]>([
  [
    'show',
    'before the answer',
    [...thoughts, received('yes')],
    'reasoning: let me see\norigin: yes',
  ],
  ['show', 'after it', thoughtLate, 'origin: yes!\nnatter: reasoning after the first text: see'],
  ['hide', 'nowhere', [...thoughts, received('yes')], 'origin: yes'],
  [
    'minimize',
    'as a row',
    [...thoughts, received('yes')],
    'natter: reasoned for 0.1 s, 3 words\norigin: yes',
  ],
])(
  'Y18: with /reasoning %s it is shown %s; it is kept, and not sent',
  async (mode, _where, events, text) => {
    const memory = open(replying(events), mode);
    await memory.submit('one');
    expect(memory.text()).toBe(`You: one\n${text}\n`);
    const [, answer] = memory.path();
    expect(answer?.content).toMatch(/^yes!?$/);
    expect(answer?.thought).toMatch(/see$/);
    await memory.submit('two');
    expect(memory.sent().join('')).not.toContain('see');
  },
);

test('/reasoning show while the model reasons shows it from the beginning', async () => {
  const memory = openMemorySession({
    replies: [
      async function* reply(...asked: Parameters<Reply>) {
        yield reasoning('let me ');
        await Promise.resolve();
        void memory.press('/reasoning show', enter);
        yield reasoning('see');
        yield* saying('yes')(...asked);
      },
    ],
  });
  await memory.submit('one');
  expect(memory.text()).toContain('reasoning: let me see\norigin: yes\n');
});

test('N8: that reasoning at the start of an answer is not shown is said once', async () => {
  const thought: ChatEvent = {
    type: 'reasoning-received',
    text: 'hm',
    received: '<think>hm</think>',
  };
  const replies = ['yes', 'no'].map((text) => replying([thought, received(text)]));
  const memory = openMemorySession({ replies });
  await memory.submit('one', 'two');
  expect(memory.text()).toMatch(
    /origin: yes\nnatter: the reasoning \(<think>\) of the answer is not/,
  );
  expect(memory.text().match(/<think>/g)).toHaveLength(1);
});

const refusal = 'I will not';
const refused = ['I will ', 'not'].map((text): ChatEvent => ({ type: 'refusal-received', text }));

test('S31 a refusal is shown, recorded, sent with the next prompt and shown again', async () => {
  const { session, text, sent, path, submit } = createMemorySession(replying(refused));
  await submit('how?');
  expect(text()).toBe(`You: how?\nnatter: the model refused: ${refusal}\n`);
  await submit('why?');
  expect(sent()).toEqual(['how?', refusal, 'why?']);
  expect(path()[1]).toMatchObject({ content: '', refusal });
  const shown = showConversation(session.state());
  expect(shown).toContainEqual({ type: 'notice', text: `the model refused: ${refusal}` });
  expect(shown).not.toContainEqual({ type: 'notice', text: 'no answer was received' });
});

test('an incomplete refusal is shown and recorded too', async () => {
  const failure = new Failure('incomplete', 'the connection broke');
  const { text, submit, path } = createMemorySession(replying(refused, failure));
  await submit('how?');
  expect(text()).toContain(`natter: the model refused: ${refusal}\n`);
  expect(path()[1]).toMatchObject({ refusal, incomplete: true });
});

test('X23: a filtered answer is shown and recorded with its text and marked as failed', async () => {
  const filtered = 'the service filtered the answer (finish_reason content_filter)';
  const failure = new Failure('no_answer', filtered, { hint: 'ask in other words' });
  const finishReason = 'content_filter';
  const finished = { type: 'answer-finished', finishReason, attempts: 1, timing: { total: 1 } };
  const reply = replying([received('Well'), finished as ChatEvent], failure);
  const { session, text, submit } = createMemorySession(reply);
  const { conversation } = await submit('how?');
  expect(text()).toContain(`Well\nnatter: ${filtered}\n`);
  const answer = pathOf(conversation)[1];
  expect(answer).toMatchObject({ content: 'Well', finishReason, failure: 'no_answer' });
  expect(answer?.incomplete).toBeUndefined();
  expect(session.state().conversation).toBe(conversation);
});

test.each([
  [['1'], [/^grade it/], 'origin: 1\n'],
  [['2', '1'], [/^grade it/, /must be/], 'asking again (1 of 1)\norigin: 1'],
  [['', '1'], [/^grade it/, /^grade it/], 'asking again (1 of 1)\norigin: 1\n'],
  [['2', '3'], [/^grade it/, /must be/], 'without a check\n'],
])('answers %j to a prompt file with a schema', async (answers, sent, said) => {
  const memory = createMemorySession(...answers.map((text) => saying(text)));
  const { conversation } = await memory.submit('/grade');
  const prompts = memory.requests.map(({ messages }) => messages.at(-1)?.content);
  expect(prompts).toEqual(sent.map((pattern) => expect.stringMatching(pattern) as string));
  expect(memory.text()).toContain(said);
  expect(pathOf(conversation).at(-1)?.content).toBe(answers.at(-1));
});
