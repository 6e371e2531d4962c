import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

interface DryRun {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly estimate: { readonly tokens: number; readonly window: number | null };
  readonly profile: { readonly name: string; readonly source: string };
  readonly settings: readonly { name: string; value: string; source: string }[];
}

async function dryRun(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runInMemory([...words, '--dry-run'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as DryRun;
}

test('shows the request that would be sent, with a masked key', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = {
    HOME: temporaryHome(),
    NATTER_BASE_URL: `${server.url}/prefix/v1/`,
    NATTER_API_KEY: 'nk-first-key-0001',
  };
  await runInMemory(['config', 'set', 'headers.x-team', 'blue'], { env });
  await runInMemory(['config', 'set', 'headers.x-team-token', 'hidden-token'], { env });
  const words = [
    'hi',
    '-s',
    'Be brief.',
    '-t',
    '50',
    '--param',
    'temperature=0.2',
    '-m',
    'nextgen',
  ];
  const dry = await dryRun(words, env);
  expect(server.connections()).toBe(0);
  await runInMemory(words, { env });
  const sent = server.requests[0];
  expect(dry.request.method).toBe(sent?.method);
  expect(dry.request.url).toBe(`${server.url}${sent?.path}`);
  expect(dry.request.body).toEqual(JSON.parse(sent?.body ?? ''));
  const { host: _host, connection: _connection, ...headers } = sent?.headers ?? {};
  const { 'content-length': _length, ...compared } = headers;
  expect(dry.request.headers).toEqual({
    ...compared,
    authorization: 'Bearer …0001',
    // The profile has no address, so its secret header is not sent.
  });
});

test('shows the estimate and the window', async () => {
  const { estimate } = await dryRun(['x'.repeat(400)]);
  expect(estimate).toEqual({ tokens: 104, window: 128_000 });
  expect((await dryRun(['hi', '-m', 'unheard-of'])).estimate.window).toBeNull();
});

test('shows the source of each setting', async () => {
  const env = { HOME: temporaryHome(), NATTER_RETRIES: '2' };
  await runInMemory(['config', 'set', 'system', 'Be brief.'], { env });
  const { settings, profile } = await dryRun(['hi', '-m', 'nextgen', '--param', 'n=1'], env);
  const sources = Object.fromEntries(settings.map(({ name, source }) => [name, source]));
  expect(sources).toMatchObject({
    model: 'flag --model',
    retries: 'environment NATTER_RETRIES',
    system: 'profile default',
    timeout: 'default',
    'params.n': 'flag --param',
  });
  expect(profile).toEqual({ name: 'default', source: 'default' });
});

test('needs no service and no key', async () => {
  const { request } = await dryRun(['hi']);
  expect(request.url).toBe('{base_url}/v1/chat/completions');
  expect(request.headers).not.toHaveProperty('authorization');
});

test('with --sandbox does not use the key of the environment', async () => {
  const { request } = await dryRun(['hi', '--sandbox'], { NATTER_API_KEY: 'nk-first-key-0001' });
  expect(request.url).toBe('{sandbox}/v1/chat/completions');
  expect(request.headers['authorization']).toBe('Bearer …');
});

test('includes standard input in the request', async () => {
  const { stdout } = await runInMemory(['summarize', '--dry-run'], { input: 'a\nb\n' });
  const { request } = JSON.parse(stdout) as DryRun;
  expect(request.body).toMatchObject({ messages: [{ content: 'summarize\n\na\nb\n' }] });
});

test('shows the model that auto selects', async () => {
  expect((await dryRun(['hi', '-m', 'auto'])).request.body).toMatchObject({ model: 'origin' });
});

test('refuses an invalid command line', async () => {
  expect((await runInMemory(['hi', '--dry-run', '--timeout', 'soon'])).code).toBe(2);
});

test('prints no control characters', async () => {
  const { stdout } = await runInMemory(['a\u009Bb\u202Ec', '--dry-run']);
  expect(stdout).not.toMatch(/[\u009B\u202E]/);
  expect((JSON.parse(stdout) as DryRun).request.body).toMatchObject({
    messages: [{ content: 'a\u009Bb\u202Ec' }],
  });
});
