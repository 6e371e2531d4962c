import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import type { ChatEvent } from '../../../src/client/events.ts';
import {
  createAnswerRecorder,
  recordAnswer,
} from '../../../src/conversation/journal/record-answer.ts';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { leafOf } from '../../../src/conversation/tree.ts';
import { Failure } from '../../../src/failure.ts';
import { addPromptAndAnswer, journalOptions } from '../journal-fixtures.ts';

const started: ChatEvent = { type: 'answer-started', attempt: 1 };
const text = (value: string): ChatEvent => ({
  type: 'text-received',
  text: value,
  deltas: [value],
});
const named = (model: string): ChatEvent => ({ type: 'answer-named', model });
const finished: ChatEvent = {
  type: 'answer-finished',
  id: 'cmpl-1',
  model: 'origin-2026',
  finishReason: 'stop',
  attempts: 2,
  timing: { firstText: 10, total: 20 },
};

function journalWithPrompt() {
  const journal = createJournal(journalOptions());
  const prompt = journal.addTurn({ role: 'user', content: 'why?' });
  return { journal, prompt, leaf: () => leafOf(journal.conversation()) };
}

async function* events(list: readonly ChatEvent[], error?: unknown) {
  yield* list;
  if (error !== undefined) throw error;
}

async function read(source: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of source) seen.push(event);
  return seen;
}

describe('an answer in a journal', () => {
  test('starts at its first text, and ends as the service reported', async () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    recorder.event(started);
    expect(leaf()?.role).toBe('user');
    const list = [text('be'), text('cause'), finished];
    expect(await read(recordAnswer(recorder, events(list)))).toEqual(list);
    const { model, finishReason, timing } = finished;
    expect(leaf()).toMatchObject({ content: 'because', model, finishReason, timing });
    expect(leaf()?.incomplete).toBeUndefined();
    expect(leaf()).not.toHaveProperty('attempts');
  });

  test('has a text in the next turn of the event loop, so that it is printed first', async () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    const recorded: unknown[] = [];
    for await (const _event of recordAnswer(recorder, events([text('be'), text('cause')]))) {
      recorded.push(leaf()?.content);
      await nextTurn();
      recorded.push(leaf()?.content);
    }
    expect(recorded).toEqual(['why?', 'be', 'be', 'because']);
  });

  test('keeps a text whose reader stops at once', async () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    for await (const _event of recordAnswer(recorder, events([text('be'), text('cause')]))) break;
    expect(leaf()).toMatchObject({ content: 'be', incomplete: true });
  });

  test('keeps its text and the cause when it is cut', async () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    const cut = new Failure('incomplete', 'the connection was lost');
    const source = events([named('origin-2026'), text('be')], cut);
    await expect(read(recordAnswer(recorder, source))).rejects.toBe(cut);
    const end = { incomplete: true, failure: 'incomplete', model: 'origin-2026' };
    expect(leaf()).toMatchObject({ content: 'be', ...end });
  });

  test('has no cause when the reader stops', async () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    for await (const event of recordAnswer(recorder, events([text('be'), finished]))) {
      if (event.type === 'text-received') break;
    }
    expect(leaf()).toMatchObject({ content: 'be', incomplete: true });
    expect(leaf()?.failure).toBeUndefined();
  });

  test('is complete when the service filtered it', async () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    const filtered = new Failure('no_answer', 'the service filtered the answer');
    const source = events([{ type: 'refusal-received', text: 'no' }, finished], filtered);
    await expect(read(recordAnswer(recorder, source))).rejects.toBe(filtered);
    expect(leaf()).toMatchObject({ refusal: 'no', failure: 'no_answer', finishReason: 'stop' });
    expect(leaf()?.incomplete).toBeUndefined();
  });

  test('does not take the model from a failed attempt', () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    for (const event of [started, named('broken'), started, text('be')]) recorder.event(event);
    recorder.end('unreachable');
    expect(leaf()).toMatchObject({ model: 'origin', failure: 'unreachable' });
  });

  test('is recorded without text only if its prompt has no other answer', () => {
    const { journal, prompt, leaf } = journalWithPrompt();
    const first = createAnswerRecorder(journal, { model: 'origin', parent: prompt.id });
    first.end('unreachable');
    const failed = leaf();
    expect(failed).toMatchObject({ role: 'assistant', content: '', failure: 'unreachable' });
    createAnswerRecorder(journal, { model: 'nextgen', parent: prompt.id }).end('unreachable');
    expect(leaf()).toEqual(failed);
    expect(journal.conversation().turns.size).toBe(2);
  });

  test('ends only once', () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    for (const event of [text('because'), finished]) recorder.event(event);
    recorder.end();
    recorder.end('storage');
    expect(leaf()?.failure).toBeUndefined();
    addPromptAndAnswer(journal, 'and at sunset?', 'red');
    expect(leaf()?.content).toBe('red');
  });
});
