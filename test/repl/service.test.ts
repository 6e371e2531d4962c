import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ChatOptions } from '../../src/commands/chat/run.ts';
import type { FallbackModel } from '../../src/ask/fallback.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import type { SessionSettings } from '../../src/repl/state.ts';
import { findLocalServers, openReplService } from '../../src/repl/service.ts';
import { type Run, startRun } from '../../src/run.ts';
import { readLedger } from '../../src/usage/ledger.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import { storedWith } from '../settings/fixtures/stored.ts';
import { withSettings } from '../../src/settings/read-settings.ts';
import { runInMemory } from '../support/in-memory.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { githubToken, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

const listed = json(200, { data: [{ id: 'origin' }] });

async function openService(home: string, environment = {}, conversation?: () => string) {
  const { context } = createMemoryContext({ homeDirectory: home, environment });
  const run = withSettings(await startRun(context, {} as ChatOptions));
  const service = await openReplService(run, {
    command: 'chat',
    ...(conversation && { conversation }),
  });
  onTestFinished(() => service.close());
  return { service, signal: context.signal };
}

test('connect refuses a wrong key of a service that lists its models for any key, and stores nothing', async () => {
  const server = await serve([[listed], [json(401, {})]]);
  const home = temporaryHome();
  const { service, signal } = await openService(home);
  const connecting = service.connect(server.url, 'nk-wrong', signal);
  await expect(connecting).rejects.toMatchObject({ kind: 'unauthorized' });
  expect(existsSync(join(home, '.config', 'natter'))).toBe(false);
});

test('the sandbox keeps its key, and nothing is stored', async () => {
  const home = temporaryHome();
  const { service, signal } = await openService(home);
  expect(await service.connect('the sandbox', 'nk-other', signal)).toMatchObject({
    service: { isSandbox: true },
    isStored: false,
  });
  expect(existsSync(join(home, '.config', 'natter'))).toBe(false);
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

test('N24: connect finds an API without /v1, and stores its path', async () => {
  const missing = json(404, {});
  const server = await serve([[missing], [missing], [listed], [json(400, {})]]);
  const home = temporaryHome();
  const { service, signal } = await openService(home);
  await service.connect(`${server.url}/gateway`, 'nk-key', signal);
  const env = { HOME: home };
  expect((await runInMemory(['config', 'get', 'api-path'], { env })).stdout).toBe('/\n');
});

/** A local service in use, with the profile `far` as its fallback. */
async function openFallback(url: string) {
  const home = temporaryHome();
  const env = { HOME: home };
  await runInMemory(['config', 'set', 'base-url', url, '--profile', 'far'], { env });
  const environment = { NATTER_BASE_URL: 'http://127.0.0.1:9', NATTER_FALLBACK: 'far:llama3' };
  return openService(home, environment);
}

test('a fallback of a different profile is asked at its own address', async () => {
  const far = await serve([[streamed('from far')]]);
  const { service } = await openFallback(far.url);
  const models = service.models({ model: 'origin' } as SessionSettings);
  expect(models.map(({ label }) => label)).toEqual(['origin', 'far:llama3']);
  const messages = [{ role: 'user', content: 'hi' }] as const;
  const client = await service.current().clientOf((models[1] as FallbackModel).settings);
  const events: ChatEvent[] = [];
  for await (const event of client.chat({ model: 'llama3', messages })) events.push(event);
  expect(events).toContainEqual(expect.objectContaining({ text: 'from far' }));
});

test('the guard of a local conversation checks files for a fallback elsewhere', async () => {
  const { service } = await openFallback('https://api.example.com');
  const files = [{ name: 'a.txt', content: `key ${githubToken}` }];
  const { problem } = service.inspect(files, { isConfirmed: false, isRedacted: false });
  expect(problem).toMatch(
    /^a\.txt line 1 has a GitHub token .*; a fallback sends it to the profile far$/,
  );
  expect(service.inspect(files, { isConfirmed: true, isRedacted: false })).toEqual({ files });
});

test('a client for titles or side questions has its own command in the ledger', async () => {
  const server = await serve([[streamed('Blue skies')]]);
  const home = temporaryHome();
  let conversation = 'abcd2345';
  const environment = { NATTER_BASE_URL: server.url };
  const { service } = await openService(home, environment, () => conversation);
  const client = service.current().clientFor('title');
  conversation = 'opened later';
  const messages = [{ role: 'user', content: 'hi' }] as const;
  for await (const _event of client.chat({ model: 'origin', messages }));
  await service.close();
  const lines: object[] = [];
  readLedger(join(home, '.local', 'state', 'natter'), new Date(0), (line) => lines.push(line));
  expect(lines).toMatchObject([{ command: 'title', conversation: 'abcd2345' }]);
});

test('X2: sends neither the key nor the headers of the profile to a local port', async () => {
  const server = await serve([[json(200, { data: [{ id: 'llama' }] })]]);
  const baseUrl = 'https://api.example.com';
  const headers = { 'x-team-token': secretKey, 'x-team': 'blue' };
  const stored = storedWith(
    { default: { 'base-url': baseUrl, headers } },
    { default: { apiKey: secretKey, baseUrl } },
  );
  const settings = resolveSettings({ flags: {}, environment: {}, stored });
  expect(Object.keys(settings.headers)).toEqual(Object.keys(headers));
  const { context } = createMemoryContext();
  const run = { context, settings } as Run;
  const { signal } = new AbortController();
  const usual = [{ name: 'llama.cpp', port: server.port }];
  const found = await findLocalServers(run, signal, usual);
  expect(found).toEqual([{ name: 'llama.cpp', url: server.url, models: ['llama'] }]);
  const [request] = server.requests;
  expect(Object.keys(request?.headers ?? {})).not.toContain('authorization');
  expect(JSON.stringify(request?.headers)).not.toMatch(/TopSecret|blue/);
});
