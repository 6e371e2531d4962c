// The cost of `natter batch` compared with the bare client. `npm run bench:batch` sends 100,000 items (or as many as
// the argument) to a sandbox that refuses 5 % of the requests and cuts 1 % of the answers, checks that no result is
// missing or duplicated, and prints the table of bench/batch.md. Memory is read from /proc: Linux only.
import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { formatFingerprint, promptFingerprint } from '../src/batch/fingerprint.ts';
import { createClient } from '../src/client/create-client.ts';
import { undiciNetwork } from '../src/client/http/undici-network.ts';
import { systemClock } from '../src/clock.ts';
import { parseFault } from '../src/sandbox/faults/parse-fault.ts';
import { promptOf } from './batch/bare.ts';
import { compareOnWire } from './batch/wire.ts';
import { sandboxKey } from '../src/sandbox/keys.ts';
import { startSandbox } from '../src/sandbox/server.ts';

const concurrency = 16;
const million = 1_000_000;
/** Of the comparison with bare programs: half of the CPU of the first is start and compilation. */
const wireItems = [20_000, 100_000];
const megabyte = 1 << 20;

const count = (value: number) => Math.round(value).toLocaleString('en-US');

/** Sends every prompt with the client alone, at the same concurrency, and discards the answers. */
async function runBareClient(baseUrl: string, items: number): Promise<void> {
  const client = createClient({
    baseUrl,
    apiKey: sandboxKey,
    userAgent: 'bench',
    network: undiciNetwork,
    environment: {},
    clock: systemClock,
    random: Math.random,
  });
  let next = 1;
  const work = async () => {
    while (next <= items) {
      const messages = [{ role: 'user' as const, content: promptOf(next++) }];
      try {
        for await (const event of client.chat({ model: 'origin', messages, stream: true })) {
          if (event.type === 'answer-finished') break;
        }
      } catch {
        // An answer that the sandbox cut on purpose.
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  client.close();
}

/** In megabytes; 0 once the process has ended. */
function residentMemory(child: ChildProcess): number {
  try {
    const pages = Number(readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]);
    return (pages * 4096) / megabyte;
  } catch {
    return 0;
  }
}

interface Run {
  readonly seconds: number;
  readonly code: number | null;
  /** Megabytes, twice a second. */
  readonly memory: readonly number[];
}

function run(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  const start = performance.now();
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const memory: number[] = [];
  const timer = setInterval(() => memory.push(residentMemory(child)), 500);
  return new Promise((settle) => {
    child.on('close', (code) => {
      clearInterval(timer);
      settle({ seconds: (performance.now() - start) / 1000, code, memory });
    });
  });
}

/**
 * Counts the failed results.
 * @throws Error when a result is missing, duplicated, out of order, or answers a different prompt
 */
async function checkResults(file: string, items: number): Promise<number> {
  let index = 0;
  let failed = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    index += 1;
    const result = JSON.parse(line) as { index: number; content?: string; error?: object };
    if (result.index !== index) throw new Error(`result ${result.index} is at position ${index}`);
    if (result.error !== undefined) failed += 1;
    else if (result.content !== promptOf(index)) throw new Error(`wrong answer to ${index}`);
  }
  if (index !== items) throw new Error(`${index} results for ${items} items`);
  return failed;
}

/** Writes an input and results that answer all its items. */
function writeAnswered(items: number, input: string, results: string): void {
  for (let from = 1; from <= items; from += 10_000) {
    const indexes = Array.from({ length: 10_000 }, (_, offset) => from + offset);
    writeFileSync(input, indexes.map((index) => `${promptOf(index)}\n`).join(''), { flag: 'a' });
    const lines = indexes.map((index) => {
      const messages = [{ role: 'user' as const, content: promptOf(index) }];
      const prompt_hash = formatFingerprint(promptFingerprint(undefined, messages));
      return `${JSON.stringify({ index, line: index, id: null, prompt_hash, content: 'yes' })}\n`;
    });
    writeFileSync(results, lines.join(''), { flag: 'a' });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'natter-bench-batch-'));
const natter = resolve('bin/natter.cjs');

/** A sandbox in this process, which echoes each prompt without delay. */
async function openService() {
  const fault = (...words: [string, string | undefined][]) => parseFault(words);
  return startSandbox({
    latency: { origin: 0 },
    faults: [
      { label: '5 %', when: {}, fault: fault(['retry-after', '0'], ['every', '20']) },
      {
        label: '1 %',
        when: {},
        fault: fault(['cut', 'fin'], ['cut-after', '1'], ['every', '100']),
      },
      { label: 'others', when: {}, fault: fault(['reply', 'echo']) },
    ],
  });
}

async function benchWire(most: number): Promise<void> {
  for (const items of wireItems.filter((one) => one <= most)) {
    for (const [what, value] of await compareOnWire(items, folder)) {
      process.stdout.write(`| ${count(items)} items, ${what} | ${value} |\n`);
    }
  }
}

async function bench(items: number): Promise<void> {
  await benchWire(items);
  const input = join(folder, 'prompts.txt');
  const output = join(folder, 'answers.jsonl');
  const prompts = Array.from({ length: items }, (_, index) => `${promptOf(index + 1)}\n`);
  writeFileSync(input, prompts.join(''));
  const sandbox = await openService();
  const env = { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey };
  const words = [natter, 'batch', input, '-o', output, '--concurrency', String(concurrency)];
  const bareItems = Math.ceil(items / 10);
  const bareWords = [fileURLToPath(import.meta.url), 'bare', sandbox.url, String(bareItems)];
  const bareSpeed = bareItems / (await run(bareWords, {})).seconds;
  const first = await run(words, env);
  const cut = await checkResults(output, items);
  const again = await run([...words, '--retry-incomplete', '9'], env);
  const failed = await checkResults(output, items);
  await sandbox.close();
  const known = [join(folder, 'million.txt'), join(folder, 'million.jsonl')] as const;
  writeAnswered(million, ...known);
  const resumed = await run([natter, 'batch', known[0], '-o', known[1]], env);
  const memoryAt = (share: number) =>
    count(first.memory[Math.floor(first.memory.length * share)] ?? 0);
  const rows = [
    ['items', count(items)],
    ['bare client, a tenth of them', `${count(bareSpeed)} items/s`],
    ['natter batch', `${count(items / first.seconds)} items/s`],
    ['of the bare client', `${((100 * items) / first.seconds / bareSpeed).toFixed(0)} %`],
    ['memory after 10, 50, 95 %', `${[0.1, 0.5, 0.95].map(memoryAt).join(', ')} MB`],
    ['answers cut, exit code', `${count(cut)}, ${first.code}`],
    ['the same command again', `${again.seconds.toFixed(1)} s, exit code ${again.code}`],
    ['failures left', String(failed)],
    [
      'a million answered items again',
      `${resumed.seconds.toFixed(1)} s, exit code ${resumed.code}`,
    ],
    ['peak memory of that run', `${count(Math.max(...resumed.memory))} MB`],
  ];
  for (const [what, value] of rows) process.stdout.write(`| ${what} | ${value} |\n`);
}

const [mode = '100000', baseUrl = '', items = ''] = process.argv.slice(2);
try {
  if (mode === 'bare') await runBareClient(baseUrl, Number(items));
  else await bench(Number(mode));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
