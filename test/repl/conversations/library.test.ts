import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createJournal } from '../../../src/conversation/journal/open-journal.ts';
import { createReplLibrary } from '../../../src/repl/conversations/library.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** Two conversations, one on tea and one on something else; `title` is that of a third one. */
async function createLibrary(title?: string, columns = 80) {
  const { context } = createMemoryContext({ columns });
  const { clock, process } = context;
  const folder = mkdtempSync(path.join(tmpdir(), 'natter-library-'));
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
    ...(title === undefined ? [] : [[title, 'an answer'] as const]),
  ] as const) {
    const journal = createJournal(options);
    journal.addTurn({ role: 'user', content: prompt });
    const { id } = journal.startAnswer({ model: 'origin' });
    journal.append('text', id, answer);
    journal.endAnswer(id, {});
    await journal.close();
  }
  return createReplLibrary(context, false, options);
}

async function openLibrary() {
  const library = await createLibrary();
  return (query: string) => library.describe(query, new AbortController().signal);
}

test('lists all conversations without a query', async () => {
  const text = await (await openLibrary())('');
  expect(text).toMatch(/on tea/);
  expect(text).toMatch(/a question/);
  expect(text).not.toContain('HITS');
});

test('a narrow window shows titles, in rows that end one column before its edge', async () => {
  const library = await createLibrary('a title that is longer than a row of the window', 40);
  const text = await library.describe('title', new AbortController().signal);
  const row = text.split('\n').find((line) => line.includes('a title that'));
  expect(row).toHaveLength(39);
});

test('finds titles', async () => {
  const text = await (await openLibrary())('ON TEA');
  expect(text).toMatch(/on tea/);
  expect(text).not.toMatch(/a question/);
});

test('finds texts and counts the hits', async () => {
  const text = await (await openLibrary())('needle');
  expect(text).toMatch(/2 +1 +a question/);
  expect(text).not.toMatch(/on tea/);
});

test('reports a query without hits', async () => {
  expect(await (await openLibrary())('xyzzy')).toBe('no conversation contains "xyzzy"');
});

test('finds each word of a query in the title or the text, and its phrases', async () => {
  const describe = await openLibrary();
  expect(await describe('water tea')).toMatch(/on tea/);
  expect(await describe('"hot water"')).toMatch(/2 +1 +on tea/);
  expect(await describe('"water hot"')).toBe('no conversation contains "water hot"');
  expect(await describe('tea needle')).toBe('no conversation contains "tea" and "needle"');
});

test('treats a query as text, not as a pattern', async () => {
  expect(await (await openLibrary())('nee.le')).toBe('no conversation contains "nee.le"');
});

test('finds no single conversation if several have the name', async () => {
  const library = await createLibrary('on tea and coffee');
  expect(library.find('on')).toBeUndefined();
  expect(library.find('on tea')).toBeTypeOf('string');
  expect(() => library.find('xyzzy')).toThrow('there is no conversation "xyzzy"');
});
