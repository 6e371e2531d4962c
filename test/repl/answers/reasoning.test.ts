import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../../../src/client/events.ts';
import { Failure } from '../../../src/failure.ts';
import { richFormat } from '../../../src/repl/transcript/rich-format.ts';
import { colorStyle, plainStyle } from '../../../src/terminal/style.ts';
import { openMemorySession, type Reply } from '../../support/memory-session.ts';

const reasoning = (text: string): ChatEvent => ({ type: 'reasoning-received', text });
const text = (shown: string): ChatEvent => ({
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

function open(reply: Reply, showsReasoning = true) {
  return openMemorySession({ replies: [reply], state: { showsReasoning } });
}

describe('Y18: requested reasoning', () => {
  test('is shown before the answer, sanitized, and is not part of it', async () => {
    const memory = open(replying(reasoning('let me\u001B[2J '), reasoning('see'), text('yes')));
    memory.enter('one');
    const { conversation } = await memory.idle();
    expect(memory.text()).toBe('You: one\nreasoning: let me see\norigin: yes\n');
    expect([...conversation.turns.values()].at(-1)?.content).toBe('yes');
  });

  test('ends its line if there is no answer', async () => {
    async function* reply() {
      yield reasoning('let me see');
      throw new Failure('server_error', 'the service answered 500');
    }
    const memory = open(reply);
    memory.enter('one');
    await memory.idle();
    expect(memory.text()).toMatch(/reasoning: let me see\nnatter: the service answered 500\n/);
  });

  test('is shown after the answer if it was received after the first text', async () => {
    const memory = open(replying(text('yes'), reasoning('or no'), text('!')));
    memory.enter('one');
    await memory.idle();
    expect(memory.text()).toBe(
      'You: one\norigin: yes!\nnatter: reasoning after the first text: or no\n',
    );
  });
});

test('reasoning that was not requested is not shown', async () => {
  const memory = open(replying(reasoning('let me see'), text('yes')), false);
  memory.enter('one');
  await memory.idle();
  expect(memory.text()).toBe('You: one\norigin: yes\n');
});

test('Y18: the live region shows reasoning and commands dimmed', () => {
  const format = richFormat({
    style: plainStyle,
    frameStyle: colorStyle,
    width: () => 80,
    hyperlinks: false,
    unicode: true,
  });
  expect(format.reasoning('so')).toBe('\u001B[2mso\u001B[22m');
  expect(format.command('/usage', false)).toBe('\u001B[2m› /usage\u001B[22m\n');
});

test('N8: that reasoning at the start of an answer is not shown is said once', async () => {
  const thought: ChatEvent = {
    type: 'reasoning-received',
    text: 'hm',
    received: '<think>hm</think>',
  };
  const replies = [replying(thought, text('yes')), replying(thought, text('no'))];
  const memory = openMemorySession({ replies });
  for (const prompt of ['one', 'two']) {
    memory.enter(prompt);
    await memory.idle();
  }
  expect(memory.text()).toMatch(
    /origin: yes\nnatter: the reasoning \(<think>\) of the answer is not/,
  );
  expect(memory.text().match(/<think>/g)).toHaveLength(1);
});
