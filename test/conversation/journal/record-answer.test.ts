import { describe, expect, test } from 'vitest';

import type { ChatEvent } from '../../../src/client/events.ts';
import {
  createAnswerRecorder,
  createPromptRecord,
} from '../../../src/conversation/journal/record-answer.ts';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { leafOf } from '../../../src/conversation/tree.ts';
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

describe('an answer in a journal', () => {
  test('starts at its first text, and ends as the service reported', () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    recorder.event(started);
    expect(leaf()?.role).toBe('user');
    for (const event of [text('be'), text('cause'), finished]) recorder.event(event);
    recorder.end();
    const { model, finishReason, timing } = finished;
    expect(leaf()).toMatchObject({ content: 'because', model, finishReason, timing });
    expect(leaf()?.incomplete).toBeUndefined();
    expect(leaf()).not.toHaveProperty('attempts');
  });

  test('keeps its text and the cause when it is cut', () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    for (const event of [named('origin-2026'), text('be')]) recorder.event(event);
    recorder.end('incomplete');
    const end = { incomplete: true, failure: 'incomplete', model: 'origin-2026' };
    expect(leaf()).toMatchObject({ content: 'be', ...end });
  });

  test('has no cause when the user stops it', () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    recorder.event(text('be'));
    recorder.end();
    expect(leaf()).toMatchObject({ content: 'be', incomplete: true });
    expect(leaf()?.failure).toBeUndefined();
  });

  test('is complete when the service filtered it', () => {
    const { journal, leaf } = journalWithPrompt();
    const recorder = createAnswerRecorder(journal, { model: 'origin' });
    recorder.event({ type: 'refusal-received', text: 'no' });
    recorder.event(finished);
    recorder.end('no_answer');
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

describe('the answers to a prompt', () => {
  test('are versions of each other, until another prompt follows', () => {
    const { journal, prompt, leaf } = journalWithPrompt();
    const record = createPromptRecord(journal, prompt.id);
    for (const words of ['', 'because']) {
      const recorder = record.begin({ model: 'origin' });
      if (words !== '') recorder.event(text(words));
      recorder.event(finished);
      recorder.end();
      expect(leaf()).toMatchObject({ content: words, parent: prompt.id });
    }
    const answer = leaf()?.id;
    record.addPrompt('shorter');
    expect(leaf()).toMatchObject({ role: 'user', content: 'shorter', parent: answer });
    const correction = leaf()?.id;
    const last = record.begin({ model: 'origin' });
    last.event(text('so'));
    expect(leaf()).toMatchObject({ content: 'so', parent: correction });
    expect(record.turn()).toBe(leaf()?.id);
  });

  test('have the turn that was started for the first one', () => {
    const { journal, prompt } = journalWithPrompt();
    const { id } = journal.startAnswer({ model: 'origin', parent: prompt.id });
    const record = createPromptRecord(journal, prompt.id, id);
    record.begin({ model: 'origin' }).event(text('because'));
    expect(record.turn()).toBe(id);
    expect(journal.conversation().turns.get(id)?.content).toBe('because');
  });
});
