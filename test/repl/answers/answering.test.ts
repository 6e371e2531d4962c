import { describe, expect, test } from 'vitest';
import type { AnswerCheck } from '../../../src/ask/check.ts';
import type { ChatEvent } from '../../../src/client/events.ts';
import { estimateTokens } from '../../../src/conversation/token-estimate.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import { Failure } from '../../../src/failure.ts';
import { onChatEvent } from '../../../src/repl/answers/send-prompt.ts';
import { showConversation } from '../../../src/repl/conversations/conversations.ts';
import type { Repl } from '../../../src/repl/session.ts';
import type { ReasoningMode, ReplState } from '../../../src/repl/state.ts';
import { correctionPrompt } from '../../../src/schema/answer-value.ts';
import { runInApp } from '../../support/app.tsx';
import {
  createMemorySession,
  openMemorySession,
  type Reply,
  saying,
} from '../../support/memory-session.ts';
import {
  chatEvent,
  effectsOf,
  enter,
  run,
  type StateChange,
  stateOf,
  typed,
  reviewPrompt,
} from '../../support/repl-state.ts';

const refused: StateChange = chatEvent(
  {
    type: 'retry-scheduled',
    retry: 1,
    retries: 4,
    delay: 8000,
    cause: new Failure('server_error', 'the service is busy'),
  },
  1000,
);

const waiting = run(stateOf(), typed('one'), enter, refused).state;

test.each([
  [429, 'slow down', '429: slow down · retry'],
  [500, 'the service failed (500)', '500: the service'],
  [undefined, 'the connection was reset', 'the connection was'],
])('R11: the retry row begins with the status %s', (status, message, row) => {
  const cause = new Failure('rate_limited', message, status === undefined ? {} : { status });
  const event = { type: 'retry-scheduled', retry: 1, retries: 4, delay: 8000, cause } as const;
  const { state } = run(stateOf({ columns: 80 }), typed('one'), enter, chatEvent(event, 1000));
  expect(runInApp(state).rows.join('\n')).toContain(row);
});

test('Enter on an empty composer ends the wait before a retry', () => {
  const { state, effects } = run(waiting, enter);
  expect(effects).toEqual([{ type: 'retry-now' }]);
  expect(state.activity).toMatchObject({ phase: 'retrying', retry: { retry: 1, at: state.now } });
});

test('Enter with a draft queues it, and the wait continues', () => {
  const { state, effects } = run(waiting, typed('two'), enter);
  expect(effectsOf(effects, 'retry-now')).toEqual([]);
  expect(state.queue).toHaveLength(1);
});

test('Enter during an answer does not retry', () => {
  const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
  const { state } = run(waiting, chatEvent(text, 3000));
  expect(run(state, enter).effects).toEqual([]);
});

const tokensIn = ({ activity }: ReplState) =>
  activity?.type === 'answer' ? Math.ceil(activity.tokens) : undefined;

const received = (state: ReplState, text: string) =>
  onChatEvent(state, { type: 'text-received', text, deltas: [text] }).state;

test('the count of an answer in progress does not depend on its pieces', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => ['a', 'word ', 'é'][index % 3] ?? '');
  const asked = run(stateOf(), typed('hello'), enter).state;
  const tokens = estimateTokens(pieces.join(''));
  expect(tokensIn(pieces.reduce(received, asked))).toBe(tokens);
});

const reasoning = (text: string): ChatEvent => ({ type: 'reasoning-received', text });
const textEvent = (shown: string): ChatEvent => ({
  type: 'text-received',
  text: shown,
  deltas: [shown],
});

function replying(...events: readonly ChatEvent[]): Reply {
  return async function* reply() {
    yield* events;
    yield { type: 'answer-finished', finishReason: 'stop', attempts: 1, timing: { total: 10 } };
  };
}

function open(reply: Reply, mode: ReasoningMode = 'show') {
  return openMemorySession({ replies: [reply], state: { reasoning: mode } });
}

describe('Y18: requested reasoning', () => {
  test('is shown before the answer, sanitized, and is not part of it', async () => {
    const memory = open(
      replying(reasoning('let me\u001B[2J '), reasoning('see'), textEvent('yes')),
    );
    const { conversation } = await memory.submit('one');
    expect(memory.text()).toBe('You: one\nreasoning: let me see\norigin: yes\n');
    expect([...conversation.turns.values()].at(-1)?.content).toBe('yes');
  });

  test('is shown after the answer if it was received after the first text', async () => {
    const memory = open(replying(textEvent('yes'), reasoning('or no'), textEvent('!')));
    await memory.submit('one');
    expect(memory.text()).toBe(
      'You: one\norigin: yes!\nnatter: reasoning after the first text: or no\n',
    );
  });
});

test.each<[ReasoningMode, string]>([
  ['hide', ''],
  ['minimize', 'natter: reasoned for 0.1 s, 3 words\n'],
])('reasoning is kept with /reasoning %s, and not sent back', async (mode, row) => {
  const memory = open(replying(reasoning('let me see'), textEvent('yes')), mode);
  const { conversation } = await memory.submit('one');
  expect(memory.text()).toBe(`You: one\n${row}origin: yes\n`);
  expect(pathOf(conversation).at(-1)?.thought).toBe('let me see');
  await memory.submit('two');
  expect(JSON.stringify(memory.requests[1]?.messages)).not.toContain('let me see');
});

test('/reasoning show while the model reasons shows it from the beginning', async () => {
  const memory = openMemorySession({
    replies: [
      async function* reply(...asked: Parameters<Reply>) {
        yield reasoning('let me ');
        await Promise.resolve();
        memory.session.update(typed('/reasoning show'));
        memory.session.update(enter);
        yield reasoning('see');
        yield* replying(textEvent('yes'))(...asked);
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
  const replies = [replying(thought, textEvent('yes')), replying(thought, textEvent('no'))];
  const memory = openMemorySession({ replies });
  for (const prompt of ['one', 'two']) {
    await memory.submit(prompt);
  }
  expect(memory.text()).toMatch(
    /origin: yes\nnatter: the reasoning \(<think>\) of the answer is not/,
  );
  expect(memory.text().match(/<think>/g)).toHaveLength(1);
});

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
  const { session, text, requests, submit } = createMemorySession(refusing());
  await submit('how?');
  expect(text()).toBe(`You: how?\nnatter: the model refused: ${refusal}\n`);
  const { conversation } = await submit('why?');
  expect(requests[1]?.messages).toEqual([
    { role: 'user', content: 'how?' },
    { role: 'assistant', content: refusal },
    { role: 'user', content: 'why?' },
  ]);
  expect(pathOf(conversation)[1]).toMatchObject({ content: '', refusal });
  const shown = showConversation(session.state());
  expect(shown).toContainEqual({ type: 'notice', text: `the model refused: ${refusal}` });
  expect(shown).not.toContainEqual({ type: 'notice', text: 'no answer was received' });
});

test('an incomplete refusal is shown and recorded too', async () => {
  const failure = new Failure('incomplete', 'the connection broke');
  const { text, submit } = createMemorySession(refusing(failure));
  const { conversation } = await submit('how?');
  expect(text()).toContain(`natter: the model refused: ${refusal}\n`);
  expect(pathOf(conversation)[1]).toMatchObject({ refusal, incomplete: true });
});

test('X23: a filtered answer is shown and recorded with its text and marked as failed', async () => {
  const filtered = 'the service filtered the answer (finish_reason content_filter)';
  const { session, text, submit } = createMemorySession(async function* reply() {
    yield { type: 'answer-started', attempt: 1 };
    yield { type: 'text-received', text: 'Well', deltas: ['Well'] };
    const finishReason = 'content_filter';
    yield { type: 'answer-finished', finishReason, attempts: 1, timing: { total: 10 } };
    throw new Failure('no_answer', filtered, { hint: 'ask in other words' });
  });
  const { conversation } = await submit('how?');
  expect(text()).toContain(`Well\nnatter: ${filtered}\n`);
  const answer = pathOf(conversation)[1];
  expect(answer).toMatchObject({ content: 'Well', finishReason: 'content_filter' });
  expect(answer).toMatchObject({ failure: 'no_answer' });
  expect(answer?.incomplete).toBeUndefined();
  expect(session.state().conversation).toBe(conversation);
});

/** A prompt file whose answer must be `good`. */
function withCheck(usual: Repl): Repl {
  const check: AnswerCheck = {
    schema: {},
    retries: 1,
    pointer: undefined,
    findEarly: undefined,
    prompt: (text) => text,
    settings: (settings) => settings,
    check(content) {
      if (content === 'good') return { violations: [], isCorrectable: false };
      return { violations: [{ path: '', message: `is ${content}` }], isCorrectable: true };
    },
  };
  const fill: typeof reviewPrompt.fill = async (...words) => ({
    ...(await reviewPrompt.fill(...words)),
    check,
  });
  const prompts = { ...usual.prompts, open: async () => ({ ...reviewPrompt, fill }) };
  return { ...usual, prompts };
}

const prompt = 'review js for speed: all';
const correction = correctionPrompt([{ path: '', message: 'is bad' }]);

test.each([
  [['good'], [prompt], 'origin: good\n'],
  [['bad', 'good'], [prompt, correction], 'the answer is bad; asking again (1 of 1)\norigin: good'],
  [['', 'good'], [prompt, prompt], 'asking again (1 of 1)\norigin: good\n'],
  [
    ['bad', 'worse'],
    [prompt, correction],
    'the answer is worse\n  /retry asks for a different answer, without a check\n',
  ],
])('answers %j to a prompt file with a schema', async (answers, sent, said) => {
  const replies = answers.map((text) => saying(text));
  const memory = openMemorySession({ replies, repl: withCheck });
  const { conversation } = await memory.submit('/review lang=js focus=speed all');
  expect(memory.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(sent);
  expect(memory.text()).toContain(said);
  expect(pathOf(conversation).at(-1)?.content).toBe(answers.at(-1));
});
