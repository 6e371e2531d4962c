import { expect, test } from 'vitest';
import type { AnswerCheck } from '../../../src/ask/check.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import type { ReplPrompts } from '../../../src/repl/prompt-files/prompt-files.ts';
import type { Repl } from '../../../src/repl/session.ts';
import { correctionPrompt } from '../../../src/schema/answer-value.ts';
import { openMemorySession, saying } from '../../support/memory-session.ts';

/** A prompt file whose answer must be `good`. */
function withCheck(usual: Repl): Repl {
  const check: AnswerCheck = {
    schema: {},
    retries: 1,
    pointer: undefined,
    prompt: (text) => text,
    settings: (settings) => settings,
    check(content) {
      if (content === 'good') return { violations: [], isCorrectable: false };
      return { violations: [{ path: '', message: `is ${content}` }], isCorrectable: true };
    },
  };
  const fill: ReplPrompts['fill'] = async (...words) => ({
    ...(await usual.prompts.fill(...words)),
    check,
  });
  return { ...usual, prompts: { ...usual.prompts, fill } };
}

async function answered(...answers: readonly string[]) {
  const memory = openMemorySession({
    replies: answers.map((text) => saying(text)),
    repl: withCheck,
  });
  memory.enter('/review lang=js focus=speed all');
  const state = await memory.idle();
  const sent = memory.requests.map(({ messages }) => messages.at(-1)?.content);
  return { text: memory.text(), sent, turns: pathOf(state.conversation) };
}

const prompt = 'review js for speed: all';
const correction = correctionPrompt([{ path: '', message: 'is bad' }]);

test('an answer that matches the schema of its prompt file is not asked for again', async () => {
  const { sent, text } = await answered('good');
  expect(sent).toEqual([prompt]);
  expect(text).not.toContain('schema');
});

test('an answer that does not match is asked for again, in the conversation', async () => {
  const { sent, text, turns } = await answered('bad', 'good');
  expect(sent).toEqual([prompt, correction]);
  expect(text).toContain(
    'the answer does not match the schema: the answer is bad; asking again (1 of 1)',
  );
  expect(turns.slice(1).map(({ content }) => content)).toEqual([prompt, 'bad', correction, 'good']);
});

test('after an empty answer the same prompt is sent again', async () => {
  const { sent, turns } = await answered('', 'good');
  expect(sent).toEqual([prompt, prompt]);
  expect(turns.slice(1).map(({ content }) => content)).toEqual([prompt, 'good']);
});

test('the last answer that does not match is shown and reported', async () => {
  const { sent, text } = await answered('bad', 'worse');
  expect(sent).toHaveLength(2);
  expect(text).toContain('worse');
  expect(text).toContain('the answer does not match the schema: the answer is worse');
  expect(text).toContain('/retry asks for a different answer, without a check');
});
