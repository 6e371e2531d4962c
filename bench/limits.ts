// The speed of `natter batch` under the limits of a service, compared with an ideal client that knows them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  places,
  slidingWindow,
  type SimulatedLimit,
} from '../test/batch/limits/simulated-service.ts';
import { natter, type Bench, type Row } from './harness.ts';

interface Scenario {
  readonly name: string;
  readonly limit: SimulatedLimit;
  readonly items: number;
  /** Seconds that an ideal client needs without the time of an answer. */
  readonly ideal: number;
  readonly headers: OutgoingHttpHeaders;
  readonly hasLimitHeaders: boolean;
}

/** Milliseconds of an answer. */
const latency = 500;
const concurrency = '64';

function scenarios(): readonly Scenario[] {
  const all = [
    { name: '16 places', limit: () => places(16), items: 480, ideal: (480 / 16 - 1) / 2 },
    { name: '50 a second', limit: () => slidingWindow(50, 1000), items: 600, ideal: 599 / 50 },
  ];
  const retries = [
    { name: 'no Retry-After', headers: {} },
    { name: 'Retry-After 1', headers: { 'retry-after': '1' } },
  ];
  const common = all.flatMap(({ limit, ...scenario }) =>
    retries.map(({ name, headers }) => ({
      ...scenario,
      name: `${scenario.name}, ${name}`,
      limit: limit(),
      headers,
      hasLimitHeaders: false,
    })),
  );
  const rate = { limit: slidingWindow(50, 1000), items: 600, ideal: 599 / 50, headers: {} };
  const slow = { limit: slidingWindow(1, 1000), items: 120, ideal: 119 };
  return [
    ...common,
    { ...rate, name: '50 a second, headers', hasLimitHeaders: true },
    {
      ...slow,
      name: 'one a second, Retry-After 60',
      headers: { 'retry-after': '60' },
      hasLimitHeaders: false,
    },
  ];
}

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});
const refusal = '{"error":{"message":"too many requests"}}';

/** A service with the limit of a scenario. */
async function openService({ limit, headers, hasLimitHeaders }: Scenario) {
  const counts = { sent: 0, refused: 0, first: Number.NaN, last: Number.NaN };
  const send = (response: ServerResponse, status: number, body: string, more = {}) => {
    const remaining = limit.remaining?.(performance.now()) ?? 0;
    const limits = {
      'x-ratelimit-limit-requests': 50,
      'x-ratelimit-remaining-requests': remaining,
      'x-ratelimit-reset-requests': '1000ms',
    };
    const type = { 'content-type': 'application/json' };
    response.writeHead(status, { ...type, ...(hasLimitHeaders && limits), ...more });
    response.end(body);
  };
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      if (counts.sent === 0) counts.first = performance.now();
      counts.sent += 1;
      if (!limit.admits(performance.now())) {
        counts.refused += 1;
        send(response, 429, refusal, headers);
        return;
      }
      setTimeout(() => {
        limit.ends();
        counts.last = performance.now();
        send(response, 200, answer);
      }, latency);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, counts, close: () => server.close() };
}

async function benchScenario({ home }: Bench, scenario: Scenario): Promise<Row> {
  const service = await openService(scenario);
  const [input, output] = [join(home, 'limits.txt'), join(home, 'limits.jsonl')];
  const prompts = Array.from({ length: scenario.items }, (_, index) => `prompt ${index}\n`);
  writeFileSync(input, prompts.join(''));
  rmSync(output, { force: true });
  const options = ['--no-stream', '--concurrency', concurrency, '-o', output];
  const { words, environment } = natter(['batch', input, ...options], service.url);
  const env = { PATH: process.env['PATH'], HOME: home, ...environment };
  const child = spawn(process.execPath, [...words], { env, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  service.close();
  if (code !== 0) throw new Error(`${scenario.name}: natter ended with ${code}`);
  const { sent, refused, first, last } = service.counts;
  const [ideal, seconds] = [scenario.ideal + latency / 1000, (last - first) / 1000];
  const share = ((100 * refused) / sent).toFixed(1);
  return {
    what: `${scenario.name}, ${concurrency} asked, speed`,
    against: 'ideal client',
    values: `${seconds.toFixed(1)} against ${ideal.toFixed(1)} s, ${share} % refused`,
    ratio: (ideal / seconds).toFixed(2),
    aim: '≥ 0.9',
  };
}

export async function benchLimits(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const scenario of scenarios()) rows.push(await benchScenario(bench, scenario));
  return rows;
}
