// The speed of `natter batch` under the limits of a service, compared with an ideal client. `npm run bench:limits` (or
// with words that choose scenarios) runs each scenario against a server in a process of its own, and prints the table
// of bench/rate-limits.md.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Scenario {
  readonly name: string;
  readonly kind: 'places' | 'rate';
  /** Requests at the same time, or a second. */
  readonly limit: number;
  /** Seconds; undefined sends no Retry-After. */
  readonly retryAfter?: number;
  readonly hasHeaders?: boolean;
  readonly concurrency: number;
  readonly items: number;
}

const program = fileURLToPath(import.meta.url);

/** Milliseconds of an answer. */
const latency = 500;

const retryText = (seconds: number | undefined) =>
  seconds === undefined ? 'no Retry-After' : `Retry-After ${seconds}`;

function scenarios(): readonly Scenario[] {
  const places = [16, 64].flatMap((concurrency) =>
    [undefined, 1].map((retryAfter) => ({
      name: `16 places, ${concurrency} asked, ${retryText(retryAfter)}`,
      kind: 'places' as const,
      limit: 16,
      concurrency,
      items: 480,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })),
  );
  const rates = [undefined, 1, 2, 60].flatMap((retryAfter) =>
    [false, true].map((hasHeaders) => {
      const limit = retryAfter === 60 ? 1 : 50;
      return {
        name: `${limit}/s, 64 asked, ${retryText(retryAfter)}${hasHeaders ? ', headers' : ''}`,
        kind: 'rate' as const,
        limit,
        hasHeaders,
        concurrency: 64,
        items: limit === 1 ? 120 : 600,
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    }),
  );
  return [...places, ...rates];
}

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

interface Counts {
  readonly sent: number;
  readonly refused: number;
  /** Refused after a third of the items was answered, as a part of the requests sent then. */
  readonly steadyShare: number;
  /** Milliseconds from the first request to the last answer. */
  readonly time: number;
}

/** Admits `limit` requests at the same time, or in any period of a second. */
function createLimit({ kind, limit, hasHeaders }: Scenario) {
  let open = 0;
  let times: number[] = [];
  return {
    admits(now: number): boolean {
      times = times.filter((time) => time > now - 1000);
      const isAllowed = kind === 'places' ? open < limit : times.length < limit;
      if (isAllowed) times.push(now);
      if (isAllowed) open += 1;
      return isAllowed;
    },
    ends: () => void (open -= 1),
    headers(now: number): OutgoingHttpHeaders {
      if (hasHeaders !== true) return {};
      return {
        'x-ratelimit-limit-requests': limit,
        'x-ratelimit-remaining-requests': limit - times.length,
        'x-ratelimit-reset-requests': `${Math.ceil(1000 + (times[0] ?? now) - now)}ms`,
      };
    },
  };
}

function createCounts(items: number) {
  const counts = { sent: 0, refused: 0, answered: 0, lateSent: 0, lateRefused: 0 };
  let [first, last] = [Number.NaN, Number.NaN];
  return {
    request(now: number, isAdmitted: boolean): void {
      if (Number.isNaN(first)) first = now;
      const late = counts.answered > items / 3 ? 1 : 0;
      counts.sent += 1;
      counts.lateSent += late;
      if (isAdmitted) return;
      counts.refused += 1;
      counts.lateRefused += late;
    },
    answer(now: number): void {
      counts.answered += 1;
      last = now;
    },
    result(): Counts {
      const { sent, refused, lateSent, lateRefused } = counts;
      return {
        sent,
        refused,
        steadyShare: lateRefused / Math.max(1, lateSent),
        time: last - first,
      };
    },
  };
}

const refusal = '{"error":{"message":"too many requests"}}';

function send(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  response.end(body);
}

async function serve(scenario: Scenario): Promise<void> {
  const { retryAfter, items } = scenario;
  const limit = createLimit(scenario);
  const counts = createCounts(items);
  const wait: OutgoingHttpHeaders =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const respond = (response: ServerResponse): void => {
    const now = performance.now();
    const isAdmitted = limit.admits(now);
    counts.request(now, isAdmitted);
    if (!isAdmitted) {
      send(response, 429, { ...limit.headers(now), ...wait }, refusal);
      return;
    }
    setTimeout(() => {
      limit.ends();
      const end = performance.now();
      counts.answer(end);
      send(response, 200, limit.headers(end), answer);
    }, latency);
  };
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => respond(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send?.(counts.result()));
  process.send?.((server.address() as AddressInfo).port);
}

async function natter(folder: string, port: number, { concurrency, items }: Scenario) {
  const input = join(folder, 'prompts.txt');
  writeFileSync(input, Array.from({ length: items }, (_, index) => `prompt ${index}\n`).join(''));
  const words = ['batch', input, '--no-stream', '--concurrency', String(concurrency)];
  const child: ChildProcess = spawn(process.execPath, [resolve('bin/natter.cjs'), ...words], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NATTER_BASE_URL: `http://127.0.0.1:${port}`,
      NATTER_API_KEY: 'key-for-the-bench',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`natter ended with ${code}`);
}

/** A client that knows the number of places, and uses them all. */
async function runIdeal(port: number, { items, limit, concurrency }: Scenario): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const work = async () => {
    while (next < items) {
      next += 1;
      const outgoing = request({ port, agent, method: 'POST' });
      outgoing.end('{}');
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, concurrency) }, work));
  agent.destroy();
}

type Client = (port: number) => Promise<void>;

/** Runs a client against a new server. */
async function countsOf(scenario: Scenario, client: Client): Promise<Counts> {
  const server = fork(program, ['serve', JSON.stringify(scenario)]);
  try {
    const [port] = (await once(server, 'message')) as [number];
    await client(port);
    server.send('counts');
    const [counts] = (await once(server, 'message')) as [Counts];
    return counts;
  } finally {
    server.kill();
  }
}

/** Seconds: measured for places, because answers take longer on a busy machine; computed for a rate. */
async function idealTime(scenario: Scenario): Promise<number> {
  const { kind, items, limit } = scenario;
  if (kind === 'rate') return (items - 1) / limit + latency / 1000;
  const client: Client = async (port) => {
    const words = ['ideal', JSON.stringify(scenario), String(port)];
    await once(spawn(process.execPath, [program, ...words], { stdio: 'inherit' }), 'close');
  };
  return (await countsOf(scenario, client)).time / 1000;
}

async function measure(folder: string, scenario: Scenario): Promise<string> {
  const ideal = await idealTime(scenario);
  const counts = await countsOf(scenario, (port) => natter(folder, port, scenario));
  const seconds = counts.time / 1000;
  const cells = [
    scenario.name,
    `${ideal.toFixed(1)} s`,
    `${seconds.toFixed(1)} s`,
    (ideal / seconds).toFixed(2),
    `${((100 * counts.refused) / counts.sent).toFixed(1)} %`,
    `${(100 * counts.steadyShare).toFixed(1)} %`,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

async function bench(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-bench-limits-'));
  process.stdout.write('| scenario | ideal | natter | ratio | refused | refused later |\n');
  process.stdout.write('| --- | --- | --- | --- | --- | --- |\n');
  try {
    for (const scenario of scenarios()) {
      if (!words.every((word) => scenario.name.includes(word))) continue;
      process.stdout.write(await measure(folder, scenario));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [mode, text = '', port = ''] = process.argv.slice(2);
if (mode === 'serve') await serve(JSON.parse(text) as Scenario);
else if (mode === 'ideal') await runIdeal(Number(port), JSON.parse(text) as Scenario);
else await bench(process.argv.slice(2));
