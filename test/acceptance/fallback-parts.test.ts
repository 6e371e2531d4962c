import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, serviceAt } from '../support/natter.ts';
import { response, streamed } from '../support/raw-replies.ts';
import type { RawServer, Reply } from '../support/raw-server.ts';
import { openRepl } from '../support/repl-terminal.ts';
import { serve } from '../support/serve.ts';

const failed: Reply = [response(500)];
const answered: Reply = [streamed('ok')];
const part: Reply = [streamed('part')];

function modelsIn({ requests }: RawServer): readonly string[] {
  return requests.map(({ body }) => (JSON.parse(body) as { model: string }).model);
}

/** A service whose model has a window of 800 tokens, as natter has learned. */
function smallWindow(server: RawServer): Record<string, string> {
  const state = mkdtempSync(join(tmpdir(), 'natter-parts-'));
  writeFileSync(join(state, 'models.json'), JSON.stringify({ [server.url]: { origin: 800 } }));
  return serviceAt(server, { NATTER_RETRIES: '0', NATTER_STATE_DIR: state });
}

const text = Array.from({ length: 200 }, (_, index) => `line ${index} ${'x'.repeat(40)}\n`).join(
  '',
);
const split = ['--split', 'lines', '--max-tokens', '50'];

test('each group of --every falls back by itself', async () => {
  const server = await serve([failed, answered, answered]);
  const env = serviceAt(server, { NATTER_RETRIES: '0' });
  const words = ['--every', '1l', '--fallback', 'nextgen', 'x'];
  const { code, stdout, stderr } = await runInMemory(words, { env, input: 'a\nb\n' });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: '==> line 1 <==\nok\n\n==> line 2 <==\nok\n',
  });
  expect(stderr).toBe(
    'natter: warning: line 1: origin: the service failed (500); falling back to nextgen\n',
  );
  expect(modelsIn(server)).toEqual(['origin', 'nextgen', 'origin']);
});

test('--every --json has the model, the profile and the models before, also from the setting', async () => {
  const server = await serve([failed, answered]);
  const env = serviceAt(server, { NATTER_RETRIES: '0', NATTER_FALLBACK: 'nextgen' });
  const { stdout } = await runInMemory(['--json', '--every', '1l', 'x'], { env, input: 'a\n' });
  expect(jsonLines(stdout)).toMatchObject([
    {
      first_line: 1,
      content: 'ok',
      model: 'nextgen',
      profile: 'default',
      fallbackFrom: [{ model: 'origin', profile: 'default', reason: 'server_error' }],
    },
  ]);
});

test('a group that no model answers fails, with both causes', async () => {
  const server = await serve([failed]);
  const env = serviceAt(server, { NATTER_RETRIES: '0' });
  const words = ['--every', '1l', '--fallback', 'nextgen', 'x'];
  const { code, stderr } = await runInMemory(words, { env, input: 'a\n' });
  expect(code).toBe(9);
  expect(stderr).toContain('line 1: nextgen: the service failed (500); before that, origin:');
});

test('the pieces of --split and their combination fall back', async () => {
  const server = await serve([failed, answered]);
  const words = [...split, '--fallback', 'nextgen', 'count'];
  const { code, stdout, stderr } = await runInMemory(words, {
    env: smallWindow(server),
    input: text,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  expect(stderr).toContain('origin: the service failed (500); falling back to nextgen\n');
  expect(modelsIn(server).filter((model) => model === 'nextgen')).toHaveLength(1);
});

test('the last answer of --split has the model, the profile and the models before', async () => {
  const server = await serve([part]);
  await runInMemory([...split, '-q', 'count'], { env: smallWindow(server), input: text });
  const pieces = server.requests.length - 1;
  const replies = [...Array.from({ length: pieces }, () => part), failed, answered];
  const second = await serve(replies);
  const words = [...split, '--json', '--fallback', 'nextgen', 'count'];
  const { stdout } = await runInMemory(words, { env: smallWindow(second), input: text });
  expect(JSON.parse(stdout)).toMatchObject({
    content: 'ok',
    model: 'nextgen',
    fallbackFrom: [{ model: 'origin', profile: 'default', reason: 'server_error' }],
  });
});

test('a conversation says that it ignores the setting', async () => {
  const session = await openRepl(['--sandbox'], { env: { NATTER_FALLBACK: 'nextgen' } });
  const screen = await session.waitFor(/fallback is ignored in conversations/);
  expect(screen).toContain('/retry MODEL asks a different model');
  session.kill('SIGTERM');
  await session.exit;
});
