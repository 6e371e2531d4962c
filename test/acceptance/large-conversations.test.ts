import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { binary, cleanEnvironment } from '../support/natter.ts';

const folder = mkdtempSync(join(tmpdir(), 'natter-large-'));
const file = join(folder, 'conversations', 'bcdfghjk.jsonl');
const sentence = 'The sky is blue because air scatters short waves more than long ones. ';

/** An exchange of about 5 kB with unique ids and text. */
function exchange(turn: number): string {
  const created_at = '2026-11-20T12:00:00.000Z';
  const parent = turn === 0 ? null : `a${turn - 1}`;
  const records = [
    { type: 'turn', id: `u${turn}`, parent, role: 'user', content: `why ${turn}?`, created_at },
    {
      type: 'turn',
      id: `a${turn}`,
      parent: `u${turn}`,
      role: 'assistant',
      content: '',
      created_at,
    },
    ...Array.from({ length: 5 }, (_part, part) => ({
      type: 'text',
      turn: `a${turn}`,
      text: `${turn}.${part} ${sentence.repeat(14)}`,
    })),
    { type: 'end', turn: `a${turn}`, finish_reason: 'stop' },
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

let turns = 0;

beforeAll(() => {
  mkdirSync(join(folder, 'conversations'));
  for (let size = 0; size < 100_000_000;) {
    const part = Array.from({ length: 200 }, (_turn, index) => exchange(turns + index)).join('');
    appendFileSync(file, part);
    size += part.length;
    turns += 200;
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs natter, and returns its peak memory in bytes and the end of its output. */
async function measure(words: readonly string[]) {
  const peak = join(folder, 'peak');
  const preload = ['--require', resolve('test/support/peak-memory.cjs')];
  const child = spawn(process.execPath, [...preload, binary, 'conversations', ...words], {
    env: cleanEnvironment({ NATTER_DATA_DIR: folder, PEAK_MEMORY: peak }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let end = '';
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    end = (end + chunk.toString()).slice(-20_000);
  });
  const code = await new Promise((settle) => child.on('close', settle));
  return { code, size, end, peak: Number(readFileSync(peak, 'utf8')) * 1024 };
}

test.each(['show', 'show --json', 'export --format html'])(
  'D13: 100 MB of distinct turns need three times their size of memory, beside Node: %s',
  async (words) => {
    const { code, size, end, peak } = await measure([...words.split(' '), 'bcdfghjk']);
    expect(code).toBe(0);
    expect(size).toBeGreaterThan(90_000_000);
    expect(end).toContain(`${turns - 1}.4 The sky is blue`);
    // Node and the program take up to 100 MB themselves, depending on the version of Node.
    expect(peak).toBeLessThan(3 * statSync(file).size + 100_000_000);
  },
);
