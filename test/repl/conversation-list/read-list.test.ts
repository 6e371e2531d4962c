import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { renameConversation } from '../../../src/conversation/library/library.ts';
import { createList } from '../../../src/repl/conversations/library.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** A folder of conversations, read as by another process if `isOther`. */
function openFolder(time: () => number = () => 0) {
  const { context } = createMemoryContext();
  const folder = folderOf();
  const clock = { ...context.clock, monotonic: time };
  const options = { ...context, clock, random: Math.random, folder, onWarning: () => undefined };
  const converse = (prompt: string, answer: string) => {
    const journal = createJournal(options);
    journal.addTurn({ role: 'user', content: prompt });
    const { id } = journal.startAnswer({ model: 'origin' });
    journal.append('text', id, answer);
    journal.endAnswer(id, {});
    return journal;
  };
  return { port: createList({ ...context, clock }, folder), converse, folder, context };
}

test('a conversation has its title, first words and model', async () => {
  const { port, converse } = openFolder();
  await converse('which tea is green?', 'Sencha.').close();
  const [entry] = await port.read();
  if (entry === undefined) throw new Error('no entry');
  const facts = { firstWords: 'which tea is green?', model: 'origin', isOpenElsewhere: false };
  expect(entry).toMatchObject({ title: 'which tea is green?', ...facts });
  renameConversation(entry, 'Tea');
  expect(await port.read()).toMatchObject([{ title: 'Tea', ...facts }]);
});

test('a conversation that is open in a running process is marked, of a dead one not', async () => {
  const { converse, folder, context } = openFolder();
  converse('why?', 'because');
  const seenBy = async (isRunning: boolean) => {
    const process = { ...context.process, id: context.process.id + 1, isRunning: () => isRunning };
    const port = createList({ ...context, process }, folder);
    return await port.read();
  };
  expect(await seenBy(true)).toMatchObject([{ isOpenElsewhere: true }]);
  expect(await seenBy(false)).toMatchObject([{ isOpenElsewhere: false }]);
});

test('a search stops after a moment', async () => {
  let now = 0;
  const { port, converse } = openFolder(() => (now += 10));
  for (let number = 0; number < 8; number += 1) await converse(`prompt ${number}`, 'x').close();
  const entries = await port.read();
  const { length } = port.search(entries, 0, 'x');
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(8);
});

test('a search finds text of prompts and answers, and begins the excerpt before the hit', async () => {
  const { port, converse } = openFolder();
  await converse('why?', `first line\n${'much text '.repeat(20)}the NEEDLE is here`).close();
  const [excerpt] = port.search(await port.read(), 0, 'needle');
  expect(excerpt).toMatch(/^….{0,12}NEEDLE is here$/);
  const [cut] = port.search(await port.read(), 0, 'much');
  expect(cut).toMatch(/^(?:much text ){10}…$/);
  expect(port.search(await port.read(), 0, 'WHY')).toEqual(['why?']);
  expect(port.search(await port.read(), 0, 'w.y')).toEqual([undefined]);
});

test.each([
  ['green oolong', true],
  ['OOLONG  green', true],
  ['green coffee', false],
  ['"green tea"', true],
  ['"tea green"', false],
  ['oolong "green te', true],
])('a search for %s finds conversations with all words and phrases', async (query, isFound) => {
  const { port, converse } = openFolder();
  await converse('which green tea?', 'Not oolong.').close();
  expect(port.search(await port.read(), 0, query)[0] !== undefined).toBe(isFound);
});

test('the preview has the last turns, with the name of each file once', async () => {
  const { port, converse } = openFolder();
  const journal = converse('why?', 'because');
  const file = '<file name="notes.md">\na secret plan\n</file>';
  journal.addTurn({ role: 'user', content: `what is missing?\n\n${file}` });
  journal.addTurn({ role: 'user', content: `what is @notes.md about?\n\n${file}` });
  await journal.close();
  const [entry] = await port.read();
  if (entry === undefined) throw new Error('no entry');
  expect(port.preview(entry)).toEqual([
    { speaker: 'You', text: 'why?' },
    { speaker: 'origin', text: 'because' },
    { speaker: 'You', text: 'what is missing? @notes.md' },
    { speaker: 'You', text: 'what is @notes.md about?' },
  ]);
});

test('the preview of a large conversation reads only its end', async () => {
  const { port, converse } = openFolder();
  await converse('why?', 'because').close();
  const [small] = await port.read();
  if (small === undefined) throw new Error('no entry');
  const filler = JSON.stringify({ type: 'note', text: 'x'.repeat(1000) });
  appendFileSync(small.path, `${filler}\n`.repeat(400));
  const end = { type: 'turn', id: 'last', parent: 'lost', role: 'user', content: 'and now?' };
  appendFileSync(small.path, `${JSON.stringify({ ...end, created_at: '2026-11-20T12:00:00Z' })}\n`);
  const [large] = await port.read();
  if (large === undefined) throw new Error('no entry');
  expect(port.preview(large)).toEqual([{ speaker: 'You', text: 'and now?' }]);
});
