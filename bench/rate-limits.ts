// The speed of `natter batch` under the limits of a service, compared with an ideal client. `npm run bench:limits` (or
// with words that choose scenarios) runs each scenario against a server in a separate process, and prints the table
// of bench/rate-limits.md.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Counts, latency, type Scenario, serve } from './support/limited-service.ts';

const program = fileURLToPath(import.meta.url);

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
    `${counts.delay.toFixed(0)} ms`,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

async function bench(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-bench-limits-'));
  process.stdout.write('| scenario | ideal | natter | ratio | refused | refused later | delay |\n');
  process.stdout.write('| --- | --- | --- | --- | --- | --- | --- |\n');
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
