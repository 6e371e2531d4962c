import { expect, test } from 'vitest';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { createReplLibrary } from '../../../src/repl/conversations/library.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** Three conversations. */
async function createLibrary(title: string) {
  const { context } = createMemoryContext();
  const { clock, process } = context;
  const folder = folderOf();
  const options = {
    folder,
    clock,
    process,
    random: Math.random,
    version: '1.0.0',
    onWarning: () => undefined,
  };
  for (const [prompt, answer] of [
    ['on tea', 'leaves in hot water'],
    ['a question', 'the ANSWER\nis a needle'],
    [title, 'an answer'],
  ] as const) {
    const journal = createJournal(options);
    journal.addTurn({ role: 'user', content: prompt });
    const { id } = journal.startAnswer({ model: 'origin' });
    journal.append('text', id, answer);
    journal.endAnswer(id, {});
    await journal.close();
  }
  return createReplLibrary(context, options);
}

test('finds no single conversation if several have the name', async () => {
  const library = await createLibrary('on tea and coffee');
  expect(library.find('on')).toBeUndefined();
  expect(library.find('on tea')).toBeTypeOf('string');
  expect(() => library.find('xyzzy')).toThrow('there is no conversation "xyzzy"');
});

test('completes the newest titles, then ids', async () => {
  const names = (await createLibrary('on coffee')).names();
  expect(names.slice(0, 3).map(({ value }) => value)).toEqual([
    'on coffee',
    'a question',
    'on tea',
  ]);
  expect(names.slice(3).map(({ summary }) => summary)).toEqual(
    names.slice(0, 3).map(({ value }) => value),
  );
});
