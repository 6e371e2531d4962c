import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import {
  branchJournal,
  createJournal,
  resumeJournal,
} from '../../../src/conversation/journal/open-journal.ts';
import { Failure } from '../../../src/failure.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import { appendFile, type AppendFile } from '../../../src/storage/append-file.ts';
import { createLock, createOwner } from '../../../src/storage/lock/lock.ts';
import {
  addPromptAndAnswer,
  fileOf,
  filesIn,
  journalOptions,
  linesOf,
  resumed,
  storedConversation,
  textsOf,
} from '../journal-fixtures.ts';

/** Records each write, with its number of lines, and each flush. */
function watchedFile() {
  const calls: string[] = [];
  const file: AppendFile = {
    ...appendFile,
    append(name, bytes) {
      const written = appendFile.append(name, bytes);
      calls.push(`append ${String(bytes).trim().split('\n').length}`);
      return written;
    },
    async synchronize(name) {
      await appendFile.synchronize(name);
      calls.push('synchronized');
    },
  };
  return { file, calls };
}

describe('a journal', () => {
  test('creates nothing before the first turn, which is on disk when addTurn returns', () => {
    const options = journalOptions();
    const journal = createJournal(options);
    expect(filesIn(options.folder)).toEqual([]);
    journal.addTurn({ role: 'user', content: 'why?' });
    const [header, turn] = linesOf(options.folder, journal.conversation().id);
    expect(JSON.parse(header ?? '')).toMatchObject({ type: 'conversation', version: 1 });
    expect(JSON.parse(turn ?? '')).toMatchObject({ type: 'turn', role: 'user', content: 'why?' });
  });

  test('D14 contains a streaming answer with its text so far, and closes it as incomplete', async () => {
    const options = journalOptions();
    const journal = createJournal(options);
    journal.addTurn({ role: 'user', content: 'why?' });
    const answer = journal.startAnswer({ model: 'origin' });
    journal.append('text', answer.id, 'be');
    const before = journal.conversation();
    journal.append('text', answer.id, 'cause');
    expect(before.turns.get(answer.id)).toMatchObject({ content: 'be', incomplete: true });
    await journal.close();
    const [, read] = pathOf(resumed(options, journal.conversation().id).conversation());
    expect(read).toMatchObject({ content: 'because', incomplete: true });
  });

  test('reads back what it wrote', async () => {
    const options = journalOptions();
    const journal = createJournal(options);
    addPromptAndAnswer(journal, 'one', 'first');
    const [prompt] = pathOf(journal.conversation());
    journal.addTurn({ role: 'user', content: 'one, edited', parent: prompt?.parent });
    journal.select(prompt?.id ?? '');
    journal.set({ title: 'numbers' });
    await journal.close();
    const written = journal.conversation();
    expect(resumed(options, written.id).conversation()).toEqual(written);
    expect(textsOf(journal)).toEqual(['one', 'first']);
  });

  test('D20 flushes a prompt at once, and its answer before it is closed', async () => {
    const options = journalOptions();
    const { file, calls } = watchedFile();
    const journal = createJournal(options, file);
    journal.addTurn({ role: 'user', content: 'why?' });
    await expect.poll(() => calls).toEqual(['append 2', 'synchronized']);
    journal.endAnswer(journal.startAnswer({ model: 'origin' }).id, {});
    await journal.close();
    expect(calls.slice(2)).toEqual(['append 1', 'append 1', 'synchronized']);
  });

  test('D21 keeps the answer unchanged, lone surrogates included', async () => {
    const options = journalOptions();
    const answer = 'é\u0000\u001b[31m\ud800 "\\n" 👩‍👩‍👧\r\n\u2028';
    const id = await storedConversation(options, [['why?', answer]]);
    expect(textsOf(resumed(options, id))[1]).toBe(answer);
  });

  test.skipIf(process.platform === 'win32')('K24 is private, and so is its folder', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['one', 'first']]);
    const folder = path.join(options.folder, 'conversations');
    expect(statSync(fileOf(options.folder, id)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('stores nothing with save: false, without a warning', async () => {
    const options = { ...journalOptions(), save: false };
    const journal = createJournal(options);
    addPromptAndAnswer(journal, 'one', 'first');
    await journal.close();
    expect(filesIn(options.folder)).toEqual([]);
    expect(options.warnings).toEqual([]);
    expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 2, path: undefined });
  });

  test('D10 works without a home folder and warns once', () => {
    const options = journalOptions();
    const journal = createJournal({ ...options, folder: undefined });
    addPromptAndAnswer(journal, 'one', 'first');
    expect(textsOf(journal)).toEqual(['one', 'first']);
    expect(options.warnings).toEqual([
      'conversations are not saved, because the home folder is unknown',
    ]);
  });
});

describe('two journals of one conversation', () => {
  test('the second is refused with the owner of the lock, and can continue in a copy', async () => {
    const options = journalOptions();
    const first = createJournal(options);
    addPromptAndAnswer(first, 'one', 'first');
    const { id } = first.conversation();
    const second = resumeJournal(options, id);
    if (!(second instanceof Failure)) throw new Error('it was opened twice');
    expect(second.message).toContain(`process ${process.pid}`);
    expect(second.message).toMatch(/ since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(second.hint).toContain('--branch');
    const branch = branchJournal(options, id);
    addPromptAndAnswer(branch, 'two', 'second');
    expect(textsOf(branch)).toEqual(['one', 'first', 'two', 'second']);
    expect(textsOf(first)).toEqual(['one', 'first']);
    expect(filesIn(path.join(options.folder, 'conversations'))).toHaveLength(4);
    await first.close();
    expect(resumeJournal(options, id)).not.toBeInstanceOf(Failure);
  });

  test('D8 the lock of a dead process is taken over', async () => {
    const options = journalOptions();
    const id = await storedConversation(options, [['one', 'first']]);
    const lock = path.join(options.folder, 'conversations', `${id}.lock`);
    createLock(lock, { ...createOwner(options.process, new Date()), processId: 4242 });
    expect(resumeJournal(options, id)).not.toBeInstanceOf(Failure);
    expect(readFileSync(lock, 'utf8')).toContain(`"processId":${process.pid}`);
  });
});
