import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

const models = json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] });

test('Y16: login on a terminal asks again after an invalid address, before it asks for a key', async () => {
  const server = await serve([[models]]);
  const env = { HOME: temporaryHome() };
  const terminal = openTerminal(['auth', 'login'], { env });
  await terminal.waitFor(/Base URL of the service:/);
  terminal.type('my service\r');
  await terminal.waitFor(/must be an http[^]*Base URL of the service:/);
  terminal.type(`${server.url}\r`);
  await terminal.waitFor(/API key/);
  terminal.type('nk-key\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test('Y16: login on a terminal asks at most three times', async () => {
  const terminal = openTerminal(['auth', 'login']);
  for (const count of [1, 2, 3]) {
    await terminal.waitFor(new RegExp(`(?:Base URL of the service:[^]*){${count}}`));
    terminal.type('my service\r');
  }
  expect((await terminal.exit).exitCode).toBe(2);
  const transcript = await terminal.transcript();
  expect(transcript.match(/the base URL must be an http/g)).toHaveLength(3);
  expect(transcript).not.toContain('API key');
});

test('Y16: login on a terminal asks again after a refused key', async () => {
  const server = await serve([[json(401, { error: { message: 'bad key nk-wrong' } })], [models]]);
  const env = { HOME: temporaryHome() };
  const terminal = openTerminal(['auth', 'login', '--base-url', server.url], { env });
  await terminal.waitFor(/API key/);
  terminal.type('nk-wrong\r');
  await terminal.waitFor(/\(401\)[^]*API key/);
  terminal.type('nk-right-0001\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(terminal.output()).not.toMatch(/nk-wrong|nk-right/);
  expect((await runInMemory(['auth', 'status'], { env })).stdout).toContain('api-key\t…0001');
});

test('Y16: login asks again for a key with characters not allowed in a header', async () => {
  const server = await serve([[models]]);
  const terminal = openTerminal(['auth', 'login', '--base-url', server.url]);
  await terminal.waitFor(/API key/);
  terminal.type('Bearer nk-first\r');
  await terminal.waitFor(/starts with the word Bearer[^]*API key/);
  terminal.type('nk-first\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(terminal.output()).not.toContain('nk-first');
});

test('Y16: an address and a key pasted together answer both questions, and the key is hidden', async () => {
  const server = await serve([[models]]);
  const env = { HOME: temporaryHome() };
  const terminal = openTerminal(['auth', 'login'], { env });
  await terminal.waitFor(/Base URL of the service:/);
  terminal.type(`${server.url}\rnk-pasted-0001\r`);
  expect((await terminal.exit).exitCode).toBe(0);
  expect(terminal.output()).not.toContain('nk-pasted');
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer nk-pasted-0001');
});

test('Y16: Ctrl+C during the check of the key ends the login', async () => {
  const server = await serve([[]]);
  const terminal = openTerminal(['auth', 'login', '--base-url', server.url]);
  await terminal.waitFor(/API key/);
  terminal.type('nk-key\r');
  await server.received(1);
  terminal.type('\u0003');
  expect((await terminal.exit).signal).toBe(2);
});

test('X3: an empty key on a terminal removes the stored key', async () => {
  const server = await serve([[models], [models], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['auth', 'login', '--base-url', server.url], { env, input: 'nk-old-key-0001' });
  const terminal = openTerminal(['auth', 'login', '--base-url', `${server.url}/other`], { env });
  await terminal.waitFor(/API key \(not shown; empty for none\)/);
  terminal.type('\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toContain('the previously stored key was deleted');
  await runInMemory(['hi'], { env });
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer nk-old-key-0001',
    undefined,
    undefined,
  ]);
  const credentials = join(env.HOME, '.config', 'natter', 'credentials.json');
  expect(readFileSync(credentials, 'utf8')).not.toContain('nk-old');
});
