import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import path from 'node:path';

import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';

import { loadConversation } from '../../../src/conversation/library/read-conversation.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import type { WriterInstructions } from './fixtures/journal-writer.ts';
import { fileOf, journalOptions, resumed, storedConversation } from '../journal-fixtures.ts';
import { folderOf } from '../../support/folder.ts';

let script: string;

/** Node 20 cannot run TypeScript. */
beforeAll(async () => {
  const folder = folderOf();
  const input = path.join(import.meta.dirname, 'fixtures/journal-writer.ts');
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ dir: folder, format: 'cjs', entryFileNames: '[name].cjs' });
  await bundle.close();
  script = path.join(folder, 'journal-writer.cjs');
});

function start(instructions: WriterInstructions) {
  const child = spawn(process.execPath, [script, JSON.stringify(instructions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output };
}

test('D7 three writers of 100 turns write whole turns or are refused', async () => {
  const options = journalOptions();
  const { folder } = options;
  const id = await storedConversation(options, [['one', 'first']]);
  const writers = ['a', 'b', 'c'].map((name) => start({ folder, id, name, turns: 100 }));
  const codes = await Promise.all(
    writers.map(async ({ child }) => ((await once(child, 'close')) as [number])[0]),
  );
  expect(codes).toEqual([0, 0, 0]);
  const refused = writers.reduce((sum, writer) => sum + Number(writer.output()), 0);
  const { fold, warning } = loadConversation(fileOf(folder, id), id);
  expect(warning).toBeUndefined();
  const turns = pathOf(fold.conversation());
  expect(turns.length - 2 + refused).toBe(300);
  expect(turns.length).toBeGreaterThan(2);
});

test('D13 a journal of 100 MB opens in under 3 s of the processor', async () => {
  const options = journalOptions();
  const id = await storedConversation(options, [['one', 'first']]);
  const file = fileOf(options.folder, id);
  const text = 'The sky is blue because air scatters short waves more. '.repeat(20);
  const linesOf = (turn: number) =>
    [
      { type: 'turn', id: `u${turn}`, parent: `a${turn - 1}`, role: 'user', content: 'why?' },
      { type: 'turn', id: `a${turn}`, parent: `u${turn}`, role: 'assistant', content: '' },
      ...Array.from({ length: 8 }, () => ({ type: 'text', turn: `a${turn}`, text })),
      { type: 'end', turn: `a${turn}`, finish_reason: 'stop' },
    ].map((record) => `${JSON.stringify(record)}\n`);
  const length = Math.ceil(100_000_000 / linesOf(0).join('').length);
  appendFileSync(file, Array.from({ length }, (_, turn) => linesOf(turn).join('')).join(''));
  const before = process.cpuUsage();
  const journal = resumed(options, id);
  const { user, system } = process.cpuUsage(before);
  expect(journal.conversation().turns.size).toBe(2 + 2 * length);
  expect(user + system).toBeLessThan(3_000_000);
  await journal.close();
});
