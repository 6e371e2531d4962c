import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';

import { loadConversation } from '../../../src/conversation/library/read-conversation.ts';
import { listEntries } from '../../../src/conversation/library/library.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import type { WriterInstructions } from './fixtures/journal-writer.ts';
import { fileOf, journalOptions, seededRandom, storedConversation } from '../journal-fixtures.ts';
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

interface Writer {
  readonly child: ChildProcess;
  output(): string;
}

function start(instructions: WriterInstructions): Writer {
  const child = spawn(process.execPath, [script, JSON.stringify(instructions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output };
}

test('D1 a kill at any moment loses no earlier turn and no prompt', async () => {
  const random = seededRandom(20_261_121);
  for (let round = 0; round < 20; round += 1) {
    const folder = folderOf();
    const writer = start({ folder, name: 'killed', turns: 0 });
    await once(writer.child.stdout ?? writer.child, 'data');
    await sleep(Math.floor(random() * 120));
    writer.child.kill('SIGKILL');
    await once(writer.child, 'close');
    const [entry] = listEntries(folder);
    const { fold, warning } = loadConversation(entry?.path ?? '', entry?.id ?? '');
    const turns = pathOf(fold.conversation());
    const prompts = turns.filter(({ role }) => role === 'user').map(({ content }) => content);
    const whole = turns.filter(({ role, incomplete }) => role === 'assistant' && !incomplete);
    const reported = (word: string) => writer.output().match(new RegExp(`^${word}.*`, 'gm')) ?? [];
    expect(prompts).toEqual(expect.arrayContaining(reported('prompt')));
    expect(whole.length).toBeGreaterThanOrEqual(reported('answer').length);
    for (const [index, { content }] of whole.entries()) {
      const parts = Array.from({ length: 40 }, (_, part) => `part ${part} of answer ${index}\n`);
      expect(content).toBe(parts.join(''));
    }
    expect(warning ?? 'line ').toMatch(/^line /);
  }
});

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

test('D13 a journal of 100 MB opens in under 3 s of the processor and in three times its size of memory', async () => {
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
  const { child: writer } = start({ folder: options.folder, id, name: 'big', turns: 1 });
  let [peak, ticks] = [0, 0];
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${writer.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
      const fields = readFileSync(`/proc/${writer.pid}/stat`, 'utf8').split(' ');
      ticks = Number(fields[13]) + Number(fields[14]);
    } catch {
      // Only Linux has these files.
    }
  }, 5);
  const [code] = (await once(writer, 'close')) as [number];
  clearInterval(watch);
  expect(code).toBe(0);
  // A tick is 10 ms.
  expect(ticks).toBeLessThan(300);
  // The young generation of V8 grows to 130 MB in later Nodes.
  const most = process.versions.node.startsWith('20.') ? 300_000_000 : 400_000_000;
  expect(peak).toBeLessThan(most);
});
