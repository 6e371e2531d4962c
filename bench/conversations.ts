// The cost of conversations: appending a turn, opening one, searching many. `npm run bench:conversations` prints the
// table of bench/conversations.md; with the argument `full` it searches 10,000 conversations, 1 GB in all.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { systemClock } from '../src/clock.ts';
import { listEntries } from '../src/conversation/library/library.ts';
import { loadConversation, summarize } from '../src/conversation/library/read-conversation.ts';
import { createJournal } from '../src/conversation/journal/open-journal.ts';
import { compilePattern, searchConversation } from '../src/conversation/library/search.ts';

const sentence = 'The sky is blue because air scatters short waves more than long ones. ';
const megabyte = 1_000_000;

/**
 * Turns of about 5 kB, `size` bytes in all, numbered from `first`, each different. One in a hundred contains the word
 * that is searched for.
 */
function turnsOf(size: number, first: number): { readonly text: string; readonly next: number } {
  const lines: string[] = [];
  let length = 0;
  let turn = first;
  for (; length < size; turn += 1) {
    const parent = turn === 0 ? null : `a${turn - 1}`;
    const time = { created_at: '2026-11-20T12:00:00.000Z' };
    const text = turn % 100 === 7 ? `${sentence.repeat(14)}needle` : sentence.repeat(14);
    const records = [
      { type: 'turn', id: `u${turn}`, parent, role: 'user', content: `why ${turn}?`, ...time },
      { type: 'turn', id: `a${turn}`, parent: `u${turn}`, role: 'assistant', content: '', ...time },
      ...Array.from({ length: 5 }, () => ({ type: 'text', turn: `a${turn}`, text })),
      { type: 'end', turn: `a${turn}`, finish_reason: 'stop', usage: { total_tokens: 900 } },
    ];
    for (const record of records) {
      const line = JSON.stringify(record);
      lines.push(line);
      length += line.length + 1;
    }
  }
  return { text: `${lines.join('\n')}\n`, next: turn };
}

function journalOf(id: string, size: number): string {
  const time = '2026-11-20T12:00:00.000Z';
  const header = JSON.stringify({ type: 'conversation', version: 1, id, created_at: time });
  return `${header}\n${turnsOf(size, 0).text}`;
}

function milliseconds(action: () => unknown): number {
  const start = performance.now();
  action();
  return performance.now() - start;
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const rows: [what: string, value: string][] = [];
const row = (what: string, value: string) => rows.push([what, value]);

async function benchAppends(folder: string): Promise<void> {
  const journal = createJournal({
    folder,
    clock: systemClock,
    random: Math.random,
    process: { id: 1, isRunning: () => true },
    version: 'bench',
    onWarning: (text) => void process.stderr.write(`${text}\n`),
  });
  const costs = { prompt: [] as number[], text: [] as number[], end: [] as number[] };
  for (let turn = 0; turn < 200; turn += 1) {
    costs.prompt.push(milliseconds(() => journal.addTurn({ role: 'user', content: sentence })));
    const { id } = journal.startAnswer({ model: 'origin' });
    for (let part = 0; part < 50; part += 1) {
      costs.text.push(milliseconds(() => journal.appendText(id, sentence)));
    }
    costs.end.push(milliseconds(() => journal.endAnswer(id, { finishReason: 'stop' })));
  }
  row('prompt on disk, median', `${median(costs.prompt).toFixed(3)} ms`);
  row('a piece of an answer, median', `${median(costs.text).toFixed(4)} ms`);
  row('end of an answer (flushed in the background), median', `${median(costs.end).toFixed(3)} ms`);
  await journal.close();
}

/** Peak memory of the built program, in megabytes. */
function exportMemory(dataFolder: string): number {
  const peak = join(dataFolder, 'peak');
  const words = ['bin/natter.cjs', 'conversations', 'export', 'bcdfghjk', '--format', 'markdown'];
  execFileSync(process.execPath, ['--require', resolve('test/support/peak-memory.cjs'), ...words], {
    env: { ...process.env, NATTER_DATA_DIR: dataFolder, PEAK_MEMORY: peak },
    stdio: 'ignore',
  });
  return Math.round(Number(readFileSync(peak, 'utf8')) / 1000);
}

function benchOpening(folder: string): void {
  for (const size of [1, 10, 100]) {
    const file = join(folder, `open-${size}.jsonl`);
    writeFileSync(file, journalOf('x', 0));
    // In parts: a string of it all would count in the memory below.
    let first = 0;
    for (let part = 0; part < size; part += 1) {
      const { text, next } = turnsOf(megabyte, first);
      appendFileSync(file, text);
      first = next;
    }
    const times = [1, 2, 3].map(() =>
      milliseconds(() => loadConversation(file, 'x').fold.conversation()),
    );
    row(`open ${size} MB, median of 3`, `${Math.round(median(times))} ms`);
    row(`list ${size} MB`, `${Math.round(milliseconds(() => summarize(file)))} ms`);
    const place = join(folder, `export-${size}`, 'conversations');
    mkdirSync(place, { recursive: true });
    renameSync(file, join(place, 'bcdfghjk.jsonl'));
    row(`export ${size} MB, memory at the most`, `${exportMemory(dirname(place))} MB`);
    rmSync(place, { recursive: true });
  }
}

function benchSearch(folder: string, count: number): void {
  const place = join(folder, 'conversations');
  mkdirSync(place);
  const alphabet = '23456789bcdfghjkmnpqrstvwxyz';
  const name = (index: number) =>
    Array.from(index.toString().padStart(8, '0'), (digit) => alphabet[Number(digit)]).join('');
  for (let index = 0; index < count; index += 1) {
    writeFileSync(join(place, `${name(index)}.jsonl`), journalOf(name(index), 100_000));
  }
  const entries = listEntries(folder);
  const size = entries.reduce((sum, { path }) => sum + statSync(path).size, 0) / megabyte;
  const speed = (time: number) =>
    `${Math.round(size / (time / 1000))} MB/s, ${(time / 1000).toFixed(1)} s`;
  const options = { regularExpression: true, caseSensitive: false };
  row(`corpus`, `${count.toLocaleString('en-US')} conversations, ${Math.round(size)} MB`);
  const grep = () =>
    milliseconds(() => execFileSync('grep', ['-rci', 'needle', place], { maxBuffer: 1e9 }));
  grep();
  row('grep -ri needle', speed(grep()));
  for (const pattern of ['needle', 'n[e]+dle\\b']) {
    const compiled = compilePattern(pattern, options);
    let hits = 0;
    const time = milliseconds(() => {
      for (const { path } of entries) {
        for (const found of searchConversation(path, compiled, 1)) hits += found.hits;
      }
    });
    row(`natter, ${pattern} (${hits} hits)`, speed(time));
  }
  row(
    'list all of them',
    `${(milliseconds(() => entries.map(({ path }) => summarize(path))) / 1000).toFixed(1)} s`,
  );
  row('peak memory', `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`);
}

async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-bench-'));
  try {
    benchSearch(folder, process.argv.includes('full') ? 10_000 : 1000);
    benchOpening(folder);
    await benchAppends(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const table = rows.map(([what, value]) => `| ${what} | ${value} |\n`).join('');
  process.stdout.write(`| what | cost |\n| --- | --- |\n${table}`);
}

void bench();
