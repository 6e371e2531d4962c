import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome, runNatter } from '../support/natter.ts';
import { response, streamed } from '../support/raw-replies.ts';
import { certificatePath } from '../support/raw-server.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

/** Reaches this machine, but is not a loopback address. */
const notLoopback = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

test.each([301, 302, 303, 307, 308])(
  'K12 K13 a redirect (%d) to a different port is reported, and gets neither key nor prompt',
  async (status) => {
    const other = await serve([[streamed('Hello')]]);
    const location = `${other.url}/v1/chat/completions`;
    const server = await serve([[response(status, { location })]]);
    const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
    const { code, stdout, stderr } = await runInMemory(['hi'], { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(`the service redirects (${status}) to ${location}`);
    expect(stderr).toContain(`natter config set base-url ${other.url}`);
    expect(other.connections()).toBe(0);
    expect(server.requests).toHaveLength(1);
  },
);

test('K12 a redirect within the service is not followed', async () => {
  const server = await serve([[response(307, { location: '/v2/chat' })], [streamed('Hello')]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  expect((await runInMemory(['hi'], { env })).code).toBe(3);
  expect(server.requests).toHaveLength(1);
});

test('K14 a key is not sent over plain http to another machine', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { NATTER_BASE_URL: notLoopback(server.url), NATTER_API_KEY: secretKey };
  const { code, stderr } = await runInMemory(['hi'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('the key would be sent unencrypted');
  expect(stderr).toContain('--allow-insecure');
  expect(server.connections()).toBe(0);
});

test('K14 without a key plain http is allowed to any machine', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { NATTER_BASE_URL: notLoopback(server.url) };
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('K14 --allow-insecure and the setting of a profile allow a key over plain http', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = {
    HOME: temporaryHome(),
    NATTER_BASE_URL: notLoopback(server.url),
    NATTER_API_KEY: secretKey,
  };
  expect((await runInMemory(['hi', '--allow-insecure'], { env })).stdout).toBe('Hello\n');
  await runInMemory(['config', 'set', 'allow-insecure', 'true'], { env });
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests).toHaveLength(2);
});

test('K15 a user name and password in a base URL are masked and never sent', async () => {
  const server = await serve([[streamed('Hello')]]);
  const url = server.url.replace('://', '://ann:TopSecret@');
  const env = { NATTER_BASE_URL: url, NATTER_DEBUG: '1' };
  const shown = await runInMemory(['auth', 'status'], { env });
  const listed = await runInMemory(['config', 'list', '--json'], { env });
  const dry = await runInMemory(['hi', '--dry-run'], { env });
  const sent = await runInMemory(['hi'], { env });
  expect([shown.code, listed.code, dry.code, sent.code]).toEqual([0, 0, 3, 3]);
  expect(sent.stderr).toContain('contains a user name or password');
  for (const { stdout, stderr } of [shown, listed, dry, sent]) expectNoSecret(stdout, stderr);
  expect(server.connections()).toBe(0);
});

test('K19 an authority in NODE_EXTRA_CA_CERTS is trusted', async () => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const distrusted = await runInMemory(['hi'], { env });
  expect(distrusted.code).toBe(10);
  expect(distrusted.stderr).toContain('NODE_EXTRA_CA_CERTS');
  expect(server.requests).toHaveLength(0);
  const trusted = await runNatter(['hi'], {
    env: { ...env, NODE_EXTRA_CA_CERTS: certificatePath('authority.pem') },
  });
  expect(trusted).toMatchObject({ code: 0, stdout: 'Hello\n', stderr: '' });
});

test('K20 natter warns in one line if certificates are not verified', async () => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const env = { NATTER_BASE_URL: server.url, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const { stdout, stderr } = await runNatter(['hi', '--quiet'], { env });
  expect(stdout).toBe('Hello\n');
  expect(stderr).toBe(
    'natter: warning: TLS certificates are not verified: NODE_TLS_REJECT_UNAUTHORIZED is 0\n',
  );
});

test('K21 an option overrides a variable, a variable the profile, and an empty variable is unset', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { HOME: temporaryHome(), NATTER_BASE_URL: server.url };
  const sentModel = async (words: readonly string[], more: Record<string, string>) => {
    await runInMemory(['hi', ...words], { env: { ...env, ...more } });
    return (JSON.parse(server.requests.at(-1)?.body ?? '') as { model: string }).model;
  };
  expect(await sentModel([], {})).toBe('origin');
  await runInMemory(['config', 'set', 'model', 'stored'], { env });
  expect(await sentModel([], {})).toBe('stored');
  expect(await sentModel([], { NATTER_MODEL: '' })).toBe('stored');
  expect(await sentModel([], { NATTER_MODEL: 'variable' })).toBe('variable');
  expect(await sentModel(['-m', 'flag'], { NATTER_MODEL: 'variable' })).toBe('flag');
});

test('K21 an empty NATTER_API_KEY does not override the stored key', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { HOME: temporaryHome(), NATTER_API_KEY: '' };
  await runInMemory(['auth', 'login', '--no-check', '--base-url', server.url], {
    env,
    input: secretKey,
  });
  await runInMemory(['hi'], { env });
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
});

test('a stored key is sent only to the service it was stored for', async () => {
  const [own, other] = [await serve([[streamed('Own')]]), await serve([[streamed('Other')]])];
  const env = { HOME: temporaryHome() };
  await runInMemory(['auth', 'login', '--no-check', '--base-url', own.url], {
    env,
    input: secretKey,
  });
  const { stdout, stderr } = await runInMemory(['hi', '--base-url', other.url], { env });
  expect(stdout).toBe('Other\n');
  expect(stderr).toContain('the API key of profile default was not sent');
  expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('a login to a new address does not send the secret headers of the old one', async () => {
  const server = await serve([[response(200, {}, '["origin"]')]]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', 'https://old.example'], { env });
  await runInMemory(['config', 'set', 'headers.x-team-token', secretKey], { env });
  const { code } = await runInMemory(['auth', 'login', '--base-url', server.url], {
    env,
    input: 'nk-new',
  });
  expect(code).toBe(0);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-team-token');
});
