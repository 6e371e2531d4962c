import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, serviceAt } from '../support/natter.ts';
import { response, streamed } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const failed: Reply = [response(500)];
const answered: Reply = [streamed('ok')];

const modelsIn = (requests: readonly { readonly body: string }[]) =>
  requests.map(({ body }) => (JSON.parse(body) as { model: string }).model);

async function runBatch(replies: readonly Reply[], lines: string, words: readonly string[] = []) {
  const server = await serve(replies);
  const folder = mkdtempSync(join(tmpdir(), 'natter-fallback-'));
  const file = join(folder, 'prompts.jsonl');
  writeFileSync(file, lines);
  const run = await runInMemory(
    ['batch', file, '--fallback', 'nextgen', '--concurrency', '1', ...words],
    { env: serviceAt(server, { NATTER_RETRIES: '0' }) },
  );
  return { ...run, results: jsonLines(run.stdout), models: modelsIn(server.requests) };
}

test('--fallback sends each failed item to the next model', async () => {
  const items = '{"prompt":"a"}\n{"prompt":"b"}\n{"prompt":"c"}\n';
  const replies = [answered, failed, answered, failed, answered];
  const { code, results, models, stderr } = await runBatch(replies, items);
  expect(code).toBe(0);
  expect(models).toEqual(['origin', 'origin', 'nextgen', 'origin', 'nextgen']);
  expect(results).toMatchObject([
    { index: 1, model: 'origin', profile: 'default' },
    { index: 2, model: 'nextgen', fallbackFrom: [{ model: 'origin', reason: 'server_error' }] },
    { index: 3, model: 'nextgen', fallbackFrom: [{ model: 'origin', reason: 'server_error' }] },
  ]);
  const warnings = stderr.split('\n').filter((line) => line.includes('warning'));
  expect(warnings).toEqual([
    'natter: warning: origin: the service failed (500); falling back to nextgen',
    'natter: warning: 2 items fell back from origin to nextgen',
  ]);
});

test('with --fallback, a failure of all models is the result', async () => {
  const { code, results } = await runBatch([failed, failed], '{"prompt":"a"}\n');
  expect(code).toBe(75);
  expect(results).toMatchObject([
    { error: { message: expect.stringContaining('before that, origin: the service failed') } },
  ]);
});

test('--fallback and --response-format are allowed together', async () => {
  const words = ['--response-format', 'json_schema'];
  const { code, models } = await runBatch([failed, answered], '{"prompt":"a"}\n', words);
  expect({ code, models }).toEqual({ code: 0, models: ['origin', 'nextgen'] });
});
