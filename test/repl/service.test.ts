import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ChatOptions } from '../../src/commands/chat/chat-run.ts';
import { openReplService } from '../../src/repl/service.ts';
import { noticeOverrides, startRun } from '../../src/settings/read-settings.ts';
import { runInMemory } from '../support/in-memory.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { temporaryHome } from '../support/natter.ts';
import { json } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const listed = json(200, { data: [{ id: 'origin' }] });

async function openService(home: string, environment = {}) {
  const { context } = createMemoryContext({ homeDirectory: home, environment });
  const run = await startRun(context, {} as ChatOptions);
  const service = await openReplService(run, { command: 'chat' });
  onTestFinished(() => service.close());
  return { service, signal: context.signal };
}

test('connect refuses a wrong key of a service that lists its models for any key', async () => {
  const server = await serve([[listed], [json(401, {})]]);
  const { service, signal } = await openService(temporaryHome());
  const connecting = service.connect(server.url, 'nk-wrong', signal);
  await expect(connecting).rejects.toMatchObject({ kind: 'unauthorized' });
});

test('connect forgets the path of the API of the address before', async () => {
  const server = await serve([[listed], [json(400, {})]]);
  const home = temporaryHome();
  const env = { HOME: home };
  await runInMemory(['config', 'set', 'base-url', 'http://127.0.0.1:9'], { env });
  await runInMemory(['config', 'set', 'api-path', '/'], { env });
  const { service, signal } = await openService(home);
  await service.connect(server.url, 'nk-right', signal);
  expect(server.requests[0]?.path).toBe('/v1/models');
  expect((await runInMemory(['config', 'get', 'api-path'], { env })).stdout).toBe('');
  expect((await runInMemory(['config', 'get', 'base-url'], { env })).stdout).toBe(
    `${server.url}\n`,
  );
});

test('N24: connect refuses an address without an API, and stores nothing', async () => {
  const server = await serve([[json(404, {})]]);
  const home = temporaryHome();
  const { service, signal } = await openService(home);
  const connecting = service.connect(server.url, 'nk-key', signal);
  await expect(connecting).rejects.toMatchObject({ kind: 'not_found' });
  expect(existsSync(join(home, '.config', 'natter'))).toBe(false);
});

test('N24: connect finds an API without /v1, and stores its path', async () => {
  const missing = json(404, {});
  const server = await serve([[missing], [missing], [listed], [json(400, {})]]);
  const home = temporaryHome();
  const { service, signal } = await openService(home);
  await service.connect(`${server.url}/gateway`, 'nk-key', signal);
  const env = { HOME: home };
  expect((await runInMemory(['config', 'get', 'api-path'], { env })).stdout).toBe('/\n');
});

test('N19: a variable with a different value than the stored one is named', async () => {
  const environment = { NATTER_BASE_URL: 'http://127.0.0.1:9', NATTER_API_KEY: 'nk-old' };
  const { context, stderr } = createMemoryContext({ environment });
  const run = await startRun(context, {} as ChatOptions);
  noticeOverrides(run, { baseUrl: environment.NATTER_BASE_URL, apiKey: 'nk-new' });
  expect(stderr()).toBe('natter: NATTER_API_KEY is set and overrides the stored value\n');
});
