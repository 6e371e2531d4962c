import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { promptLines, parseResults } from '../support/batch.ts';
import { runNatter } from '../support/natter.ts';

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  model: 'origin',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 50, completion_tokens: 50, total_tokens: 100 },
});

interface LimitedService {
  readonly url: string;
  /** Monotonic milliseconds of each request that was admitted. */
  readonly admitted: number[];
  readonly refused: () => number;
}

/** Answers after 20 ms the requests that `admits` allows, and refuses the others. */
async function openService(
  admits: (open: number, admitted: readonly number[]) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<LimitedService> {
  const admitted: number[] = [];
  let open = 0;
  let refused = 0;
  const respond = (response: ServerResponse, status: number, body: string) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (!admits(open, admitted)) {
        refused += 1;
        respond(response, 429, '{"error":{"message":"too many"}}');
        return;
      }
      admitted.push(performance.now());
      open += 1;
      setTimeout(() => {
        open -= 1;
        respond(response, 200, answer);
      }, 20);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, admitted, refused: () => refused };
}

function runBatch(url: string, items: number, words: readonly string[] = []) {
  const cwd = mkdtempSync(join(tmpdir(), 'natter-batch-'));
  writeFileSync(join(cwd, 'p.txt'), promptLines(items));
  return runNatter(['batch', 'p.txt', '--no-stream', ...words], {
    cwd,
    env: { NATTER_BASE_URL: url, NATTER_API_KEY: 'key-for-tests' },
  });
}

const perSecond = (most: number) => (_: number, admitted: readonly number[]) =>
  admitted.filter((time) => time > performance.now() - 1000).length < most;

describe('a service with a strict limit', () => {
  test('X13: answers 150 items at 50 a second, 64 asked, and none fails', async () => {
    const service = await openService(perSecond(50));
    const { code, stdout } = await runBatch(service.url, 150, ['--concurrency', '64']);
    expect(code).toBe(0);
    expect(parseResults(stdout).filter(({ error }) => error !== undefined)).toEqual([]);
    expect(parseResults(stdout)).toHaveLength(150);
  });

  test('X13: answers all items with --retries 0 while others are answered', async () => {
    const service = await openService((open) => open < 4, { 'retry-after': '1' });
    const words = ['--concurrency', '32', '--retries', '0'];
    const { code, stdout } = await runBatch(service.url, 100, words);
    expect(code).toBe(0);
    expect(parseResults(stdout)).toHaveLength(100);
    expect(service.refused()).toBeGreaterThan(0);
  });

  test('that refuses everything ends the run with the cause', async () => {
    const service = await openService(() => false);
    const words = ['--concurrency', '16', '--retries', '2', '--retry-max-wait', '1s'];
    const { code, stderr } = await runBatch(service.url, 50, words);
    expect(code).toBe(75);
    expect(stderr).toMatch(
      /1 rate_limited, \d+ left; stopped because .*too many \(after 3 attempts\)/,
    );
    expect(service.refused()).toBeLessThan(20);
  });
});

describe('limits of the user', () => {
  test('--rpm 600 sends ten requests a second', async () => {
    const service = await openService(() => true);
    const start = performance.now();
    const { code } = await runBatch(service.url, 21, ['--concurrency', '16', '--rpm', '600']);
    expect(code).toBe(0);
    expect((service.admitted.at(-1) ?? 0) - start).toBeGreaterThanOrEqual(1999);
  });

  test('--tpm counts the tokens that the service reports', async () => {
    const service = await openService(() => true);
    // One answer has 100 tokens: one request in half a second.
    const start = performance.now();
    const { code } = await runBatch(service.url, 6, ['--concurrency', '1', '--tpm', '12000']);
    expect(code).toBe(0);
    expect((service.admitted.at(-1) ?? 0) - start).toBeGreaterThanOrEqual(2000);
  });

  test.each([
    ['--rpm', '0'],
    ['--rpm', '1.5'],
    ['--tpm', 'many'],
    ['--tpm', '1000000001'],
  ])('%s %s is refused', async (option, value) => {
    const { code, stderr } = await runBatch('http://127.0.0.1:9', 1, [option, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${option} must be a whole number from 1 to 1000000000`);
  });
});
