import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import {
  type Journal,
  type JournalOptions,
  type NewAnswer,
  createJournal,
  resumeJournal,
} from '../../src/conversation/journal/journal.ts';
import { randomFrom } from '../../src/conversation/library/conversation-folder.ts';
import { type AnswerEnd, pathOf } from '../../src/conversation/tree.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { folderOf } from '../support/folder.ts';

/** Reproducible numbers from 0 up to 1, in steps of 1/256. */
export const seededRandom = (seed: number) => randomFrom(`seed ${seed}`);

export interface TestOptions extends JournalOptions {
  readonly folder: string;
  readonly clock: FakeClock;
  readonly warnings: string[];
}

/** Options of a journal in a new folder; `warnings` collects its warnings. */
export function journalOptions(): TestOptions {
  const warnings: string[] = [];
  return {
    folder: folderOf(),
    clock: createFakeClock(),
    random: seededRandom(1),
    process: { id: process.pid, isRunning: (id) => id === process.pid },
    version: '0.0.0-test',
    onWarning: (text) => warnings.push(text),
    warnings,
  };
}

/** Adds an answer that has ended. */
export function addAnswer(journal: Journal, text: string, answer: NewAnswer, end: AnswerEnd = {}) {
  const { id } = journal.startAnswer(answer);
  journal.append('text', id, text);
  return journal.endAnswer(id, end);
}

/** Adds a prompt and a complete answer. */
export function addPromptAndAnswer(journal: Journal, prompt: string, answer: string): void {
  journal.addTurn({ role: 'user', content: prompt });
  addAnswer(journal, answer, { model: 'origin' }, { finishReason: 'stop', model: 'origin' });
}

/** Stores a conversation and closes it; returns its id. */
export async function storedConversation(
  options: JournalOptions,
  content: readonly (readonly [prompt: string, answer: string])[],
): Promise<string> {
  const journal = createJournal(options);
  for (const [prompt, answer] of content) addPromptAndAnswer(journal, prompt, answer);
  const { id } = journal.conversation();
  await journal.close();
  return id;
}

/** Opens a stored conversation. */
export function resumed(options: TestOptions, id: string): Journal {
  const journal = resumeJournal(options, id);
  if (journal instanceof Error) throw journal;
  return journal;
}

export const fileOf = (folder: string, id: string) =>
  path.join(folder, 'conversations', `${id}.jsonl`);

export const linesOf = (folder: string, id: string) =>
  readFileSync(fileOf(folder, id), 'utf8').split('\n').slice(0, -1);

export const filesIn = (folder: string) => readdirSync(folder).sort();

/** The contents of the selected turns. */
export const textsOf = (journal: Journal) =>
  pathOf(journal.conversation()).map(({ content }) => content);

/** An export as one text. */
export const whole = (pieces: Iterable<string>) => [...pieces].join('');
