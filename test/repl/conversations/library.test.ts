import { appendFileSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createJournal } from '../../../src/conversation/journal/journal.ts';
import { renameConversation } from '../../../src/conversation/library/library.ts';
import { createReplLibrary } from '../../../src/repl/conversations/library.ts';
import type { ListRow } from '../../../src/repl/state.ts';
import { fileOf } from '../../conversation/journal-fixtures.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** A folder of conversations, which a process reads. */
function openFolder(time: () => number = () => 0) {
  const { context } = createMemoryContext();
  const clock = { ...context.clock, monotonic: time };
  const saving = { random: Math.random, folder: folderOf(), onWarning: () => undefined };
  const options = { ...context, clock, ...saving };
  const converse = (prompt: string, answer: string) => {
    const journal = createJournal(options);
    journal.addTurn({ role: 'user', content: prompt });
    const { id } = journal.startAnswer({ model: 'origin' });
    journal.append('text', id, answer);
    journal.endAnswer(id, {});
    return journal;
  };
  /** The library, as this process sees it, or another one. */
  const seenBy = (process: Partial<typeof context.process> = {}) =>
    createReplLibrary({ ...context, clock, process: { ...context.process, ...process } }, options);
  const library = seenBy();
  const first = async () => (await library.read())[0] as ListRow;
  return { library, converse, first, seenBy, folder: saving.folder };
}

test('one conversation is found by its name; of several, completion offers titles, then ids', async () => {
  const { library, converse, folder } = openFolder();
  const titles = ['on tea and coffee', 'a question', 'on tea'];
  for (const [minutesAgo, title] of titles.entries()) {
    const journal = converse(title, 'an answer');
    await journal.close();
    const changedAt = Date.now() / 1000 - 60 * minutesAgo;
    utimesSync(fileOf(folder, journal.conversation().id), changedAt, changedAt);
  }
  expect(library.find('on')).toBeUndefined();
  expect(library.find('on tea')).toBeTypeOf('string');
  expect(() => library.find('xyzzy')).toThrow('there is no conversation "xyzzy"');
  const names = library.names();
  expect(names.slice(0, 3).map(({ value }) => value)).toEqual(titles);
  expect(names.slice(3).map(({ summary }) => summary)).toEqual(titles);
});

test('a conversation has its title, first words and model', async () => {
  const { converse, first } = openFolder();
  await converse('which tea is green?', 'Sencha.').close();
  const facts = { firstWords: 'which tea is green?', model: 'origin', isOpenElsewhere: false };
  expect(await first()).toMatchObject({ title: 'which tea is green?', ...facts });
  renameConversation(await first(), 'Tea');
  expect(await first()).toMatchObject({ title: 'Tea', ...facts });
});

test('a conversation that is open in a running process is marked, of a dead one not', async () => {
  const { converse, seenBy } = openFolder();
  converse('why?', 'because');
  for (const isRunning of [true, false]) {
    const library = seenBy({ id: 4711, isRunning: () => isRunning });
    expect(await library.read()).toMatchObject([{ isOpenElsewhere: isRunning }]);
  }
});

test('a search stops after a moment', async () => {
  let now = 0;
  const { library, converse } = openFolder(() => (now += 10));
  for (let number = 0; number < 8; number += 1) await converse(`prompt ${number}`, 'x').close();
  const { length } = library.search(await library.read(), 0, 'x');
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(8);
});

test.each([
  ['needle', /^….{0,12}NEEDLE is here$/],
  ['much', /^(?:much text ){10}…$/],
  ['WHICH', /^which green tea\?$/],
  ['w.ich', /^nothing$/],
  ['green needle', /NEEDLE is here$|^which/],
  ['green coffee', /^nothing$/],
  ['"green tea"', /^which green tea/],
  ['"tea green"', /^nothing$/],
  ['needle "green te', /which/],
])(
  'a search for %s begins the excerpt before the first hit of all words and phrases',
  async (query, excerpt) => {
    const { library, converse } = openFolder();
    const answer = `first line\n${'much text '.repeat(20)}the NEEDLE is here`;
    await converse('which green tea?', answer).close();
    const [found] = library.search(await library.read(), 0, query);
    expect(found ?? 'nothing').toMatch(excerpt);
  },
);

test('the preview has the last turns, with the name of each file once', async () => {
  const { library, converse, first } = openFolder();
  const journal = converse('why?', 'because');
  const file = '<file name="notes.md">\na secret plan\n</file>';
  journal.addTurn({ role: 'user', content: `what is missing?\n\n${file}` });
  journal.addTurn({ role: 'user', content: `what is @notes.md about?\n\n${file}` });
  await journal.close();
  expect(library.preview(await first())).toEqual([
    { speaker: 'You', text: 'why?' },
    { speaker: 'origin', text: 'because' },
    { speaker: 'You', text: 'what is missing? @notes.md' },
    { speaker: 'You', text: 'what is @notes.md about?' },
  ]);
});

test('the preview of a large conversation reads only its end', async () => {
  const { library, converse, first } = openFolder();
  await converse('why?', 'because').close();
  const { path } = await first();
  const filler = JSON.stringify({ type: 'note', text: 'x'.repeat(1000) });
  appendFileSync(path, `${filler}\n`.repeat(400));
  const end = { type: 'turn', id: 'last', parent: 'lost', role: 'user', content: 'and now?' };
  appendFileSync(path, `${JSON.stringify({ ...end, created_at: '2026-11-20T12:00:00Z' })}\n`);
  expect(library.preview(await first())).toEqual([{ speaker: 'You', text: 'and now?' }]);
});
