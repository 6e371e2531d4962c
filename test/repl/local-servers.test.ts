import { expect, test } from 'vitest';
import { findLocalServers } from '../../src/repl/service.ts';
import type { Run } from '../../src/run.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import { storedWith } from '../settings/fixtures/stored.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { json } from '../support/raw-replies.ts';
import { secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

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
