import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Journal } from '../../../src/conversation/journal/journal.ts';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { appendFile } from '../../../src/storage/append-file.ts';
import {
  dataFolder,
  addPromptAndAnswer,
  fileOf,
  journalOptions,
  resumed,
  textsOf,
  type TestOptions,
} from '../journal-fixtures.ts';

/** Expects that everything is on disk. */
function expectStored(options: TestOptions, journal: Journal): void {
  expect(journal.state()).toMatchObject({ isStored: true, unsavedTurns: 0, failure: undefined });
  const again = resumed(options, journal.conversation().id);
  expect(again.conversation()).toEqual(journal.conversation());
}

describe('storage failures', () => {
  test('D12 a removed folder is written again completely', async () => {
    const options = journalOptions(dataFolder());
    const journal = createJournal(options);
    addPromptAndAnswer(journal, 'one', 'first');
    rmSync(options.folder, { recursive: true });
    addPromptAndAnswer(journal, 'two', 'second');
    await journal.close();
    expectStored(options, journal);
  });

  test.each(['text', 'refusal'] as const)(
    'D12 a file removed while answers stream has each %s once when it is written again',
    async (type) => {
      const options = journalOptions();
      const journal = createJournal(options);
      const parent = journal.addTurn({ role: 'user', content: 'one' }).id;
      const [first, second] = ['origin', 'nextgen'].map(
        (model) => journal.startAnswer({ model, parent }).id,
      );
      if (first === undefined || second === undefined) throw new Error('there are two answers');
      const { id } = journal.conversation();
      journal.append('text', first, 'fir');
      journal.append(type, second, 'sec');
      rmSync(fileOf(options.folder, id));
      journal.append('text', first, 'st');
      await options.clock.advance(500);
      journal.append(type, second, 'ond');
      for (const answer of [first, second]) journal.endAnswer(answer, { finishReason: 'stop' });
      await journal.close();
      const again = resumed(options, id).conversation();
      expect(again).toEqual(journal.conversation());
      expect(again.turns.get(first)?.content).toBe('first');
      expect(again.turns.get(second)?.[type === 'text' ? 'content' : 'refusal']).toBe('second');
    },
  );

  test('D11 a file in place of the folder gives one warning', async () => {
    const options = journalOptions();
    writeFileSync(path.join(options.folder, 'conversations'), '');
    const journal = createJournal(options);
    addPromptAndAnswer(journal, 'one', 'first');
    await journal.close();
    expect(textsOf(journal)).toEqual(['one', 'first']);
    expect(options.warnings).toHaveLength(1);
    expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 2 });
  });

  test('D9 a full disk gives one warning, and everything is written once there is space', async () => {
    for (let room = 0; room < 480; room += 7) {
      const options = journalOptions();
      let left = room;
      const journal = createJournal(options, {
        ...appendFile,
        append(file, bytes) {
          const part = bytes.subarray(0, left);
          left -= part.length;
          if (part.length === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          return appendFile.append(file, part);
        },
      });
      addPromptAndAnswer(journal, 'one', 'first');
      expect(journal.state().isStored).toBe(false);
      expect(options.warnings).toHaveLength(1);
      expect(options.warnings[0]).toContain('the disk is full');
      left = 100_000;
      journal.save();
      await journal.close();
      expectStored(options, journal);
    }
  });

  test('X20: 500 turns on a full disk take proportional work and few writes', async () => {
    const options = journalOptions();
    let writes = 0;
    let offered = 0;
    let isFull = true;
    const journal = createJournal(options, {
      ...appendFile,
      append(file, bytes) {
        if (!isFull) return appendFile.append(file, bytes);
        writes += 1;
        offered += bytes.length;
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    });
    const text = 'word '.repeat(400);
    for (let turn = 0; turn < 500; turn += 1) {
      addPromptAndAnswer(journal, text, text);
      await options.clock.advance(100);
    }
    // 50 s, with pauses from half a second to half a minute.
    expect(writes).toBeLessThan(10);
    expect(offered).toBeLessThan(3_000_000);
    expect(options.warnings).toHaveLength(1);
    expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 1000 });
    isFull = false;
    await options.clock.advance(30_000);
    addPromptAndAnswer(journal, 'last', 'answer');
    await journal.close();
    expectStored(options, journal);
  });
});
