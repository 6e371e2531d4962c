import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createJournal } from '../../src/conversation/open-journal.ts';
import { appendFile } from '../../src/storage/append-file.ts';
import { dataFolder, exchange, journalOptions, resumed, textsOf } from './journal-fixtures.ts';

describe('storage that fails', () => {
  test('D12 a folder that is taken away comes back whole', async () => {
    const options = journalOptions(dataFolder());
    const journal = createJournal(options);
    exchange(journal, 'one', 'first');
    rmSync(options.folder, { recursive: true });
    exchange(journal, 'two', 'second');
    await journal.close();
    expect(journal.state()).toMatchObject({ isStored: true, unsavedTurns: 0 });
    const again = resumed(options, journal.conversation().id);
    expect(again.conversation()).toEqual(journal.conversation());
  });

  test('D11 a file in the place of the folder costs one warning', async () => {
    const options = journalOptions();
    writeFileSync(path.join(options.folder, 'conversations'), '');
    const journal = createJournal(options);
    exchange(journal, 'one', 'first');
    await journal.close();
    expect(textsOf(journal)).toEqual(['one', 'first']);
    expect(options.warnings).toHaveLength(1);
    expect(journal.state()).toMatchObject({ isStored: false, unsavedTurns: 2 });
  });

  test('D9 a full disk costs one warning, and room on it brings everything back', async () => {
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
      exchange(journal, 'one', 'first');
      expect(journal.state().isStored).toBe(false);
      expect(options.warnings).toHaveLength(1);
      expect(options.warnings[0]).toContain('the disk is full');
      left = 100_000;
      expect(journal.save()).toMatchObject({ isStored: true, unsavedTurns: 0, failure: undefined });
      await journal.close();
      const again = resumed(options, journal.conversation().id);
      expect(again.conversation()).toEqual(journal.conversation());
    }
  });
});
