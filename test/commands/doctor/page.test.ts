import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/sandbox-helpers.ts';
import { runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { json } from '../../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';

test('natter doctor --sandbox checks everything, and exits with 0', async () => {
  const { code, stdout, stderr } = await runInMemory(['doctor', '--sandbox']);
  expect(code).toBe(0);
  for (const heading of ['Program', 'Settings', 'Files', 'Service']) {
    expect(stdout).toMatch(new RegExp(`^${heading}$`, 'm'));
  }
  expect(stdout).toContain('  ok    models: origin, nextgen');
  expect(stdout).toMatch(/^ {2}ok {4}a streamed answer \(\d+ ms, \d+ tokens in, \d+ out\)$/m);
  expect(stderr).toMatch(/^natter: sending one prompt .*\n$/);
});

test.each([
  ['a refused connection', 'http://127.0.0.1:1', 'the connection was refused'],
  ['an unknown host', 'http://no.such.host.invalid', 'cannot reach no.such.host.invalid:80'],
])('%s is reported at once, with exit code 10', async (_, url, reason) => {
  const start = performance.now();
  const { code, stdout } = await runInMemory(['doctor', '--base-url', url]);
  expect(code).toBe(10);
  expect(stdout).toContain(reason);
  expect(performance.now() - start).toBeLessThan(20_000);
});

test.each([
  ['--profile', ['doctor', '--profile', 'work'], {}],
  ['NATTER_PROFILE', ['doctor'], { NATTER_PROFILE: 'work' }],
])('the page and the failure give the same advice for the profile of %s', async (_, words, env) => {
  const { url } = await openSandbox();
  const home = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', url, '--profile', 'work'], { env: home });
  const { code, stdout, stderr } = await runInMemory(words, { env: { ...home, ...env } });
  expect(code).toBe(4);
  expect(stdout).toContain('> set the key with natter auth login --profile work\n');
  expect(stderr).toContain('  set the key with natter auth login --profile work\n');
});

test('a service that knows no path has a wrong path in its base URL', async () => {
  const { url } = await openSandbox();
  const env = { NATTER_API_KEY: 'sandbox-key' };
  const { code, stdout, stderr } = await runInMemory(['doctor', '--base-url', `${url}/v2/foo`], {
    env,
  });
  expect(code).toBe(6);
  const advice = `is the path of the base URL right? natter requests ${url}/v2/foo/v1/chat/completions\n`;
  expect(stdout).toContain(`> ${advice}`);
  expect(stderr).toContain(advice);
});

test('the page names the flag of an address that cannot be reached', async () => {
  const { stdout, stderr } = await runInMemory(['doctor', '--base-url', 'http://127.0.0.1:1']);
  const advice = 'start it, or correct the base URL, which is from --base-url\n';
  expect(stdout).toContain(advice);
  expect(stderr).toContain(advice);
});

test('without a service the exit code is 3', async () => {
  const { code, stdout } = await runInMemory(['doctor']);
  expect(code).toBe(3);
  expect(stdout).toContain('FAIL  no service is configured');
});

test.each([
  ['server.pem', 'is signed by an authority unknown to this machine', /your company inspects TLS/],
  ['expired.pem', 'has expired', /check this machine's clock/],
  ['self-signed.pem', 'is self-signed', /NODE_EXTRA_CA_CERTS/],
])('a bad certificate (%s) is shown with its chain', async (certificate, problem, advice) => {
  const server = await serve([[json(200, { data: [] })]], { tls: true, certificate });
  const { code, stdout } = await runInMemory(['doctor', '--base-url', server.url]);
  expect(code).toBe(10);
  expect(stdout).toContain(problem);
  expect(stdout).toMatch(/the chain is .* < /);
  expect(stdout).toMatch(advice);
});

test('the page has no key, no home folder and no user name', async () => {
  const home = join(mkdtempSync(join(tmpdir(), 'natter-home-')), 'home', 'alice');
  mkdirSync(join(home, '.config/natter'), { recursive: true });
  writeFileSync(
    join(home, '.config/natter/credentials.json'),
    JSON.stringify({ profiles: { default: { apiKey: secretKey, baseUrl: 'http://127.0.0.1:1' } } }),
    { mode: 0o644 },
  );
  const env = { HOME: home, USER: 'alice', NATTER_BASE_URL: 'http://127.0.0.1:1' };
  for (const words of [['doctor'], ['doctor', '--json']]) {
    const { stdout, stderr } = await runInMemory(words, { env });
    expectNoSecret(stdout, stderr);
    expect(stdout + stderr).not.toContain('alice');
    expect(stdout + stderr).not.toContain(secretKey.slice(-4));
    expect(stdout).toContain('~/.config/natter');
  }
});
