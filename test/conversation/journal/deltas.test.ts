import { expect, test } from 'vitest';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { appendFile } from '../../../src/storage/append-file.ts';
import { journalOptions } from '../journal-fixtures.ts';

/** A journal with two answers; `written` has the records of each write after that. */
function openAnswers() {
  const options = journalOptions();
  const written: object[][] = [];
  const journal = createJournal(options, {
    ...appendFile,
    append(path, bytes) {
      const lines = Buffer.from(bytes).toString().trimEnd().split('\n');
      written.push(lines.map((line) => JSON.parse(line) as object));
      return appendFile.append(path, bytes);
    },
  });
  const { id: parent } = journal.addTurn({ role: 'user', content: 'why?' });
  const [first = '', second = ''] = ['origin', 'nextgen'].map(
    (model) => journal.startAnswer({ model, parent }).id,
  );
  written.length = 0;
  return { clock: options.clock, written, journal, first, second };
}

test('D1 text is written within half a second, even while more arrives', async () => {
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
  journal.append('text', second, 'tw');
  journal.append('text', first, 'e');
  journal.append('refusal', second, 'no');
  journal.append('text', second, 'o');
  journal.save();
  expect(written).toEqual([
    [
      { type: 'text', turn: first, text: 'one' },
      { type: 'text', turn: second, text: 'two' },
      { type: 'refusal', turn: second, text: 'no' },
    ],
  ]);
});

test('256 K characters are written at once', () => {
  const { written, journal, first } = openAnswers();
  journal.append('text', first, 'x'.repeat(1 << 18));
  expect(written).toEqual([]);
  journal.append('text', first, 'x');
  expect(written).toHaveLength(1);
});
