import { expect, test } from 'vitest';
import { runNatter } from '../support/natter.ts';
import { json } from '../support/raw-replies.ts';
import { startProxy } from '../support/proxy-server.ts';
import { serve } from '../support/serve.ts';
import { serviceAt } from '../support/service.ts';

test.each([
  [400, 7, 'check the base URL'],
  [403, 5, 'natter auth status shows the key in use'],
  [404, 6, 'check the base URL'],
])('Y5: models list at %d has a hint that models can follow', async (status, code, hint) => {
  const server = await serve([[json(status, {})]]);
  const result = await runNatter(['models', 'list'], { env: serviceAt(server) });
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(hint);
  expect(result.stderr).not.toMatch(/--dry-run|natter models list/);
});

test('Y5: a prompt at 400 still has the hint of a prompt', async () => {
  const server = await serve([[json(400, {})]]);
  const { stderr } = await runNatter(['hi'], { env: serviceAt(server) });
  expect(stderr).toContain('--dry-run shows what is sent');
});

test.each(['HTTP_PROXY', 'ALL_PROXY'])('Y5: a 407 of %s names that variable', async (variable) => {
  const proxy = await startProxy({ upstream: 9, refusal: 407 });
  const env = { NATTER_BASE_URL: 'http://service.test', [variable]: proxy.url };
  const { code, stderr } = await runNatter(['hi'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain(`${variable}=http://user:password@host:port`);
});

test('Y5: a proxy that is not there is named with its variable', async () => {
  const env = { NATTER_BASE_URL: 'http://service.test', HTTP_PROXY: 'http://127.0.0.1:1' };
  const { code, stderr } = await runNatter(['--retries', '0', 'hi'], { env });
  expect(code).toBe(10);
  expect(stderr).toContain('check HTTP_PROXY, or name the host in NO_PROXY');
});

test.each([
  ['model="x"', '--model'],
  ['max_tokens=5', '--max-tokens'],
  ['messages=[]', 'builds them from the system prompt, the conversation and the prompt'],
])('Y5: --param %s leads to what the command has', async (parameter, hint) => {
  const { code, stderr } = await runNatter(['--sandbox', '--param', parameter, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});
