import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { seededRandom } from '../conversation/journal-fixtures.ts';
import { createDataFolder, type DataFolder } from '../support/data-folder.ts';
import { folderOf } from '../support/folder.ts';
import {
  binary,
  cleanEnvironment,
  serviceAt,
  startNatter,
  startSandboxCommand,
} from '../support/natter.ts';

const echo = (text: string) => ['--sandbox', `[sandbox echo] ${text}`];

// On Windows, SIGTERM ends natter without a handler that could write the last text.
test.skipIf(process.platform === 'win32')(
  'D14 a one-shot conversation keeps the text received before SIGTERM, marked as incomplete',
  async () => {
    const data = createDataFolder();
    const words = ['--sandbox', '[sandbox echo stall-after=3] one two three four five six'];
    const running = startNatter(words, { env: data.env });
    await running.waitFor('stdout', /one two/);
    running.child.kill('SIGTERM');
    const { signal, stdout } = await running.result;
    expect(signal).toBe('SIGTERM');
    const answer = pathOf(data.only())[1];
    expect(answer?.incomplete).toBe(true);
    expect(answer?.content).toContain(stdout.trim());
  },
);

test('continuing is refused while another process has the conversation open, and possible in a copy', async () => {
  const data = createDataFolder();
  const words = ['--sandbox', '[sandbox echo stall-after=2] one two three'];
  const first = startNatter(words, { env: data.env });
  await first.waitFor('stdout', /one/);
  const { env } = data;
  const refused = await startNatter(['-c', ...echo('two')], { env }).result;
  expect(refused.code).toBe(12);
  expect(refused.stderr).toContain(`process ${first.child.pid} on `);
  expect(refused.stderr).toContain('--branch');
  expect((await data.run(['-c', '--branch', ...echo('two')])).code).toBe(0);
  expect(data.files()).toHaveLength(2);
  first.child.kill('SIGKILL');
  await first.result;
  const recovered = await startNatter(['-c', ...echo('D8 recovered')], { env }).result;
  expect(recovered.code).toBe(0);
});

test('several processes that start a named conversation make one, and the others are refused', async () => {
  const data = createDataFolder();
  const words = ['--conversation', 'work', '--sandbox', '[sandbox echo delay=2s] one'];
  const started = [1, 2, 3, 4].map(() => startNatter(words, { env: data.env }));
  const results = await Promise.all(started.map(({ result }) => result));
  expect(data.files()).toHaveLength(1);
  const refused = results.filter(({ code }) => code !== 0);
  expect(pathOf(data.only())).toHaveLength(2 * (results.length - refused.length));
  for (const { code, stderr } of refused) {
    expect(code).toBe(12);
    expect(stderr).toContain('is open in another natter');
  }
});

test.skipIf(process.platform === 'win32')(
  'D9 a disk without any space is left without a conversation or lock',
  async () => {
    const data = createDataFolder();
    const shell = `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`;
    const words = ['-c', shell, process.execPath, binary, ...echo('hello')];
    const options = { env: cleanEnvironment(data.env), encoding: 'utf8', input: '' } as const;
    expect(spawnSync('sh', words, options)).toMatchObject({ status: 0, stdout: 'hello\n' });
    expect(data.files().filter((name) => name.endsWith('.lock'))).toEqual([]);
    await data.run(echo('later'));
    const { stdout, stderr } = await data.run(['conversations', 'list']);
    expect(stdout.match(/^.*later$/gm)).toHaveLength(1);
    expect(stderr).toBe('');
  },
);

type Variables = Readonly<Record<string, string>>;

/**
 * Kills natter `delay` milliseconds after the first words of its answer are on disk; the rest is saved in pieces.
 * Returns those words.
 */
async function killMidStream(env: Variables, data: DataFolder, prompt: string, delay: number) {
  const running = startNatter(['-c', prompt], { env: { ...data.env, ...env } });
  await running.waitFor('stdout', /./);
  const words = running.stdout();
  const isKept = () => pathOf(data.only()).at(-1)?.content.startsWith(words);
  await vi.waitUntil(isKept, { timeout: 60_000, interval: 10 });
  await sleep(delay);
  running.child.kill('SIGKILL');
  expect((await running.result).signal).toBe('SIGKILL');
  return words;
}

/** Returns the number of turns after the kills. */
async function killThreeTimes(env: Variables, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const data = createDataFolder();
  await data.run(['[sandbox echo] first'], { env });
  const expected = ['[sandbox echo] first', 'first'];
  for (let round = 1; round <= 3; round += 1) {
    const prompt = `[sandbox tokens=1000 seed=${seed * 10 + round}]`;
    const words = await killMidStream(env, data, prompt, Math.floor(random() * 1000));
    const turns = pathOf(data.only());
    const answer = turns.at(-1);
    expect(turns.slice(0, -1).map(({ content }) => content)).toEqual([...expected, prompt]);
    expect(answer).toMatchObject({ role: 'assistant', incomplete: true });
    expect(answer?.content.startsWith(words)).toBe(true);
    expected.push(prompt, answer?.content ?? '');
  }
  return pathOf(data.only()).length;
}

test('D1 natter killed at twelve moments of its answers loses no turn and no text that was on disk', async () => {
  const sandbox = await startSandboxCommand(['--rate', '50']);
  const env = serviceAt(sandbox, { NATTER_API_KEY: sandboxKey });
  const turns = await Promise.all([1, 2, 3, 4].map((seed) => killThreeTimes(env, seed)));
  expect(turns).toEqual([8, 8, 8, 8]);
}, 240_000);

const folder = folderOf();

const file = join(folder, 'conversations', 'bcdfghjk.jsonl');

const sentence = 'The sky is blue because air scatters short waves more than long ones. ';

/** An exchange of about 5 kB with unique ids and text. */
function exchange(turn: number): string {
  const created_at = '2026-11-20T12:00:00.000Z';
  const parent = turn === 0 ? null : `a${turn - 1}`;
  const answer = { type: 'turn', role: 'assistant', content: '' };
  const records = [
    { type: 'turn', id: `u${turn}`, parent, role: 'user', content: `why ${turn}?`, created_at },
    { ...answer, id: `a${turn}`, parent: `u${turn}`, created_at },
    ...[0, 1, 2, 3, 4].map((part) => {
      return { type: 'text', turn: `a${turn}`, text: `${turn}.${part} ${sentence.repeat(14)}` };
    }),
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
