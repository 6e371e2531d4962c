// The CPU that `natter sandbox --upstream` needs for an event, compared with a program that only passes bytes on.
// `npm run bench:gateway` (or with a number of answers) prints the table of bench/gateway.md. CPU is read from /proc:
// Linux only.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request, type RequestOptions, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sandboxKey } from '../src/sandbox/keys.ts';

const concurrency = 8;

function eventOf(fields: object): string {
  return `data: ${JSON.stringify({ id: 'bench-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'origin', ...fields })}\n\n`;
}

const text = eventOf({
  choices: [{ index: 0, delta: { content: ' knowing' }, finish_reason: null }],
});
const last = eventOf({
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
});

function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`http://127.0.0.1:${port}\n`);
  });
}

/** Answers with a stream whose events are an HTTP chunk each: all at once, or one in each turn of the event loop. */
function serve(events: number, way: string): void {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void (async () => {
      for (let sent = 0; sent < events - 2; sent += 1) {
        response.write(text);
        if (way === 'one by one') await nextTurn();
      }
      response.write(last);
      response.end('data: [DONE]\n\n');
    })();
  });
  listen(server);
}

const agent = new Agent({ keepAlive: true });

/** Passes requests and answers on, unread. */
function passOn(upstream: string): void {
  const server = createServer((incoming, response) => {
    const options: RequestOptions = { method: 'POST', agent, headers: incoming.headers };
    const outgoing = request(upstream + (incoming.url ?? ''), options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  listen(server);
}

/** Reads one answer. @throws Error if its end is missing */
function read(url: string): Promise<void> {
  const messages = [{ role: 'user', content: 'What is worth knowing?' }];
  const body = JSON.stringify({ model: 'origin', messages, stream: true });
  const headers = {
    authorization: `Bearer ${sandboxKey}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const options: RequestOptions = { method: 'POST', agent, headers };
  return new Promise((settle, reject) => {
    const outgoing = request(`${url}/v1/chat/completions`, options, (answer) => {
      let end = '';
      answer.on('data', (bytes: Buffer) => (end = (end + bytes.toString('latin1')).slice(-20)));
      answer.on('end', () => {
        if (end.includes('[DONE]')) settle();
        else reject(new Error(`status ${answer.statusCode}: ${end}`));
      });
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readAll(url: string, answers: number): Promise<void> {
  let started = 0;
  const work = async () => {
    while (started < answers) {
      started += 1;
      await read(url);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Milliseconds of CPU; the kernel counts in steps of ten. */
function cpuOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
  const fields = stat.split(' ').map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10;
}

const folder = mkdtempSync(join(tmpdir(), 'natter-bench-gateway-'));
const self = fileURLToPath(import.meta.url);

async function start(...words: readonly string[]) {
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: String(line).trim() };
}

/** Microseconds of CPU for an event. The first answers, which compile the code, are not counted. */
async function measure(
  words: readonly string[],
  answers: number,
  events: number,
  uncounted: number,
): Promise<number> {
  const { child, url } = await start(...words);
  await readAll(url, uncounted);
  const before = cpuOf(child);
  await readAll(url, answers);
  const used = cpuOf(child) - before;
  child.kill();
  return (1000 * used) / answers / events;
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const micro = (value: number) => `${value.toFixed(1)} µs`;
const ratio = (one: number, other: number) => (one / other).toFixed(2);

/** @param roots folders with a built natter; the first one is this one */
async function compare(answers: number, roots: readonly string[]): Promise<void> {
  const before = roots.slice(1).flatMap(() => ['before', 'natter of before', 'pipe of before']);
  const titles = ['answers', 'pipe', 'natter', 'of pipe', ...before];
  process.stdout.write(`| ${titles.join(' | ')} |\n|${' - |'.repeat(titles.length)}\n`);
  const cases = [
    [500, 'at once', 4],
    [500, 'one by one', 2],
    [9, 'at once', 2],
    [9, 'at once', 0.25],
  ] as const;
  for (const [events, way, uncounted] of cases) {
    const count = Math.round((answers * 500) / Math.max(events, 50));
    const { child, url } = await start(self, 'serve', String(events), way);
    const map = ['--map', 'origin=origin', '--map', 'nextgen=origin'];
    const gateway = ['sandbox', '--upstream', url, ...map, '-q'];
    const programs = new Map([['pipe', [self, 'pass-on', url]]]);
    for (const root of roots) programs.set(root, [join(root, 'bin/natter.cjs'), ...gateway]);
    const skipped = Math.ceil(count * uncounted);
    const runs = new Map([...programs.keys()].map((name) => [name, [] as number[]]));
    for (let round = 0; round < 3; round += 1) {
      for (const [name, words] of programs) {
        runs.get(name)?.push(await measure(words, count, events, skipped));
      }
    }
    child.kill();
    const [pipe = 0, natter = 0, ...others] = [...runs.values()].map(median);
    const cells = [
      `${events} events, ${way}, after ${skipped}`,
      micro(pipe),
      micro(natter),
      ratio(natter, pipe),
    ];
    for (const other of others) cells.push(micro(other), ratio(natter, other), ratio(pipe, other));
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}

const [mode = '200', ...words] = process.argv.slice(2);
try {
  if (mode === 'serve') serve(Number(words[0]), words[1] ?? '');
  else if (mode === 'pass-on') passOn(words[0] ?? '');
  else await compare(Number(mode), [resolve('.'), ...words]);
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
