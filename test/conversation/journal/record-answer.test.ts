import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../../../src/client/events.ts';
import { exportJson, exportMarkdown } from '../../../src/conversation/export/export.ts';
import { exportHtml } from '../../../src/conversation/export/html.ts';
import { branchJournal, createJournal } from '../../../src/conversation/journal/journal.ts';
import {
  createAnswerRecorder,
  createPromptRecord,
} from '../../../src/conversation/journal/record-answer.ts';
import { compilePatterns, searchConversation } from '../../../src/conversation/library/search.ts';
import { messagesOf, pathOf } from '../../../src/conversation/tree.ts';
import type { FailureKind } from '../../../src/failure.ts';
import { finished as answerFinished, text } from '../../support/events.ts';
import { appendFile, type AppendFile } from '../../../src/storage/append-file.ts';
import {
  addPromptAndAnswer,
  fileOf,
  journalOptions,
  linesOf,
  resumed,
  whole,
} from '../journal-fixtures.ts';

const started: ChatEvent = { type: 'answer-started', attempt: 1 };
const reasoningEvent = (words: string): ChatEvent => ({ type: 'reasoning-received', text: words });
const named = (model: string): ChatEvent => ({ type: 'answer-named', model });
const finished = { ...answerFinished, id: 'cmpl-1', model: 'origin-2026', attempts: 2 };

function journalWithPrompt() {
  const journal = createJournal(journalOptions());
  const prompt = journal.addTurn({ role: 'user', content: 'why?' });
  const leaf = () => pathOf(journal.conversation()).at(-1);
  const answer = (model: string, events: readonly ChatEvent[], failure?: FailureKind) => {
    const recorder = createAnswerRecorder(journal, { model, parent: prompt.id });
    for (const event of events) recorder.event(event);
    recorder.end(failure);
    return recorder;
  };
  return { journal, prompt, leaf, answer };
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

  const cut = { content: 'be', incomplete: true };
  const be = text('be');
  const filtered: readonly ChatEvent[] = [{ type: 'refusal-received', text: 'no' }, finished];
  const refused = { refusal: 'no', finishReason: 'stop', incomplete: undefined };
  test.each<[string, readonly ChatEvent[], FailureKind | undefined, object]>([
    ['keeps its text when cut', [named('other'), be], 'incomplete', { ...cut, model: 'other' }],
    ['has no cause when the user stops it', [be], undefined, cut],
    ['is complete when the service filtered it', filtered, 'no_answer', refused],
    [
      'does not take the model from a failed attempt',
      [started, named('broken'), started, be],
      'unreachable',
      { ...cut, model: 'origin' },
    ],
  ])('%s', (_what, events, failure, end) => {
    const { answer, leaf } = journalWithPrompt();
    answer('origin', events, failure);
    expect(leaf()).toMatchObject({ ...end, failure });
  });

  test('is recorded without text only if its prompt has no other answer', () => {
    const { journal, leaf, answer } = journalWithPrompt();
    answer('origin', [], 'unreachable');
    const failed = leaf();
    expect(failed).toMatchObject({ role: 'assistant', content: '', failure: 'unreachable' });
    answer('nextgen', [], 'unreachable');
    expect(leaf()).toEqual(failed);
    expect(journal.conversation().turns.size).toBe(2);
  });

  test('keeps its reasoning, which ends without text below the answer before it', () => {
    const { journal, leaf, answer } = journalWithPrompt();
    answer('origin', [reasoningEvent('hm'), text('because'), finished]);
    expect(leaf()).toMatchObject({ content: 'because', thought: 'hm' });
    answer('nextgen', [reasoningEvent('hm, hm')], 'unreachable');
    expect(leaf()).toMatchObject({ content: 'because' });
    const turns = [...journal.conversation().turns.values()];
    expect(turns.at(-1)).toMatchObject({ thought: 'hm, hm', content: '', failure: 'unreachable' });
  });

  test('ends only once', () => {
    const { journal, leaf, answer } = journalWithPrompt();
    answer('origin', [text('because'), finished]).end('storage');
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
    record.begin({ model: 'origin' }).event(text('so'));
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

/** A journal with two answers; `written` has the records of each write after that. */
function openAnswers() {
  const options = journalOptions();
  const written: object[][] = [];
  const append: AppendFile['append'] = (path, bytes) => {
    const lines = Buffer.from(bytes).toString().trimEnd().split('\n');
    written.push(lines.map((line) => JSON.parse(line) as object));
    return appendFile.append(path, bytes);
  };
  const journal = createJournal({ ...options, file: { ...appendFile, append } });
  const { id: parent } = journal.addTurn({ role: 'user', content: 'why?' });
  const [first = '', second = ''] = ['origin', 'nextgen'].map(
    (model) => journal.startAnswer({ model, parent }).id,
  );
  written.length = 0;
  return { clock: options.clock, written, journal, first, second };
}

test('D1 R14 text is written within half a second, even while more arrives', async () => {
  const { clock, written, journal, first: turn } = openAnswers();
  for (const word of ['one ', 'two ', 'three ']) {
    journal.append('text', turn, word);
    await clock.advance(200);
  }
  expect(written).toEqual([[{ type: 'text', turn, text: 'one two ' }]]);
  await clock.advance(500);
  expect(written.slice(1)).toEqual([[{ type: 'text', turn, text: 'three ' }]]);
});

test('answers that stream at the same time are one record each, in one write', () => {
  const { written, journal, first, second } = openAnswers();
  journal.append('text', first, 'on');
  journal.append('text', second, 'two');
  journal.append('text', first, 'e');
  journal.append('refusal', second, 'no');
  journal.save();
  const records = [
    { type: 'text', turn: first, text: 'one' },
    { type: 'text', turn: second, text: 'two' },
    { type: 'refusal', turn: second, text: 'no' },
  ];
  expect(written).toEqual([records]);
});

test('256 K characters are written at once', () => {
  const { written, journal, first } = openAnswers();
  journal.append('text', first, 'x'.repeat(1 << 18));
  expect(written).toEqual([]);
  journal.append('text', first, 'x');
  expect(written).toHaveLength(1);
});

test('a refusal is kept apart from the text: on disk, in exports, searches, copies and requests', async () => {
  const refusal = 'I will not help';
  const options = journalOptions();
  const journal = createJournal(options);
  const { id } = journal.conversation();
  journal.addTurn({ role: 'user', content: 'how?' });
  const { id: turn } = journal.startAnswer({ model: 'origin' });
  journal.append('text', turn, 'Well.');
  journal.append('refusal', turn, 'I will ');
  journal.append('refusal', turn, 'not help');
  await options.clock.advance(500);
  const records = linesOf(options.folder, id).map((line) => JSON.parse(line) as unknown);
  expect(records.slice(3)).toEqual([
    { type: 'text', turn, text: 'Well.' },
    { type: 'refusal', turn, text: refusal },
  ]);
  journal.endAnswer(turn, { finishReason: 'stop' });
  await journal.close();

  const conversation = journal.conversation();
  const markdown = whole(exportMarkdown(conversation, {}));
  expect(markdown).toContain(`## origin (refused)\n\nWell.\n\n${refusal}\n`);
  const html = whole(exportHtml(conversation, {}));
  expect(html).toMatch(/<h2>origin \(refused\)<\/h2>[^]*I will not help/);
  expect(JSON.parse(whole(exportJson(conversation, {})))).toMatchObject({
    turns: [{ content: 'how?' }, { content: 'Well.', refusal }],
  });
  const found = searchConversation(fileOf(options.folder, id), compilePatterns(['not help']), 0);
  expect(found).toMatchObject([{ role: 'assistant', hits: 1, lines: [{ text: refusal }] }]);
  for (const next of [resumed(options, id), branchJournal(options, id)]) {
    const answer = pathOf(next.conversation())[1];
    expect(answer).toMatchObject({ content: 'Well.', refusal, finishReason: 'stop' });
  }
  expect(messagesOf(conversation, [{ role: 'user', content: 'why?' }])).toEqual([
    { role: 'user', content: 'how?' },
    { role: 'assistant', content: `Well.\n\n${refusal}` },
    { role: 'user', content: 'why?' },
  ]);
});
