import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecordedLines } from '../recording/recording-fixtures.ts';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, serviceAt, startSandboxCommand, temporaryHome } from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { json, streamed } from '../support/raw-replies.ts';
import type { RawServer } from '../support/raw-server.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

type Variables = Readonly<Record<string, string>>;

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function withSettings(server: RawServer, header: string, value: string): Promise<Variables> {
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', server.url], { env });
  await runInMemory(['config', 'set', `headers.${header}`, value], { env });
  return env;
}

/** Ways to configure a secret; each returns the environment of a natter that sends it to the server. */
const configurations: Readonly<Record<string, (server: RawServer) => Promise<Variables>>> = {
  'the key in the environment': async ({ url }) => ({
    NATTER_BASE_URL: url,
    NATTER_API_KEY: secretKey,
  }),
  async 'the stored key'({ url }) {
    const env = { HOME: temporaryHome() };
    await runInMemory(['auth', 'login', '--no-check', '--base-url', url], {
      env,
      input: secretKey,
    });
    return env;
  },
  'a header of the profile with a scheme': (server) =>
    withSettings(server, 'x-auth', `Bearer ${secretKey}`),
  'a header of the profile without one': (server) =>
    withSettings(server, 'x-team-token', secretKey),
  'a cookie of the profile': (server) =>
    withSettings(server, 'cookie', `theme=dark; session=${secretKey}; id=7`),
  'the password of Basic': (server) =>
    withSettings(server, 'proxy-authorization', `Basic ${base64(`somebody:${secretKey}`)}`),
  'the user name of Basic': (server) =>
    withSettings(server, 'x-auth', `Basic ${base64(`${secretKey}:x`)}`),
  async 'the password of a proxy'({ port }) {
    const proxy = await startProxy({ upstream: port });
    const password = encodeURIComponent(secretKey);
    return {
      NATTER_BASE_URL: 'http://service.test',
      HTTP_PROXY: proxy.url.replace('://', `://ann:${password}@`),
    };
  },
};

const before = 'it is dark: ';
const echo = `${before}${secretForms.join(' ')}, thank you`;

/** The masked echo. */
const masked = /^it is dark: (?:\S{0,12}\*\*\*\S{0,3} ?)+, thank you\n?$/;

/** The texts of all files in a home folder except settings and keys. */
function writtenBelow(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
    .filter((path) => !['config.json', 'credentials.json'].includes(basename(path)))
    .map((path) => readFileSync(path, 'utf8'));
}

/** The joined texts of the deltas and documents in a recording. */
function recordedText(path: string): string {
  const body = readRecordedLines(path)
    .map(({ type, text }) => (type === 'bytes' ? String(text) : ''))
    .join('');
  const texts = [...body.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)];
  return texts.map(([, text = '""']) => String(JSON.parse(text))).join('');
}

const deltas = echo.match(/.{1,5}/gs) ?? [];

async function prepared(way: string, replies: Parameters<typeof serve>[0]) {
  const server = await serve(replies);
  const variables = await configurations[way]?.(server);
  const home = variables?.['HOME'] ?? temporaryHome();
  const env = { HOME: home, NATTER_ALLOW_INSECURE: 'true', NATTER_DEBUG: '1', ...variables };
  return { server, home, env };
}

const names = Object.keys(configurations);

test.each(names)('X2: %s, echoed in an error, is masked in all output', async (way) => {
  const { server, home, env } = await prepared(way, [[json(400, { error: { message: echo } })]]);
  const tape = join(home, 'tape.jsonl');
  for (const flags of [['--record', tape], ['--json'], ['--jsonl']]) {
    const { code, stdout, stderr } = await runInMemory(['hi', ...flags], { env });
    expect(code).toBe(7);
    expect(stderr).toContain('it is dark');
    expectNoSecret(stdout, stderr, ...writtenBelow(home));
  }
  expect(server.requests).toHaveLength(3);
});

test.each(names)(
  'X2: %s, split over the deltas of an answer, is masked in all output',
  async (way) => {
    const { home, env } = await prepared(way, [[streamed(...deltas)]]);
    const tape = join(home, 'tape.jsonl');
    const plain = await runInMemory(['hi', '--record', tape], { env });
    const whole = await runInMemory(['hi', '--json'], { env });
    const lines = await runInMemory(['hi', '--jsonl'], { env });
    const { content } = JSON.parse(whole.stdout) as { content: string };
    const events = jsonLines(lines.stdout) as readonly { readonly text?: string }[];
    const joined = events.map(({ text = '' }) => text).join('');
    const replayed = await runInMemory(['hi', '--replay', tape]);
    const texts = [plain.stdout, content, joined, recordedText(tape), replayed.stdout];
    for (const text of texts) expect(text).toMatch(masked);
    expectNoSecret(...texts, plain.stderr, whole.stderr, lines.stderr, ...writtenBelow(home));
    expect(writtenBelow(home).filter((text) => text.includes('thank you'))).toHaveLength(3);
  },
);

test.each(names)('X2: %s in a prompt is masked in the conversation', async (way) => {
  const { server, home, env } = await prepared(way, [[streamed('Hello')]]);
  await runInMemory([`why is ${secretKey} refused?`], { env });
  expect(server.requests[0]?.body).toContain(secretKey);
  const written = writtenBelow(home);
  expect(written.join('')).toContain('why is *** refused?');
  expectNoSecret(...written);
});

test('X2: the key of an upstream is masked in all output of the sandbox', async () => {
  const server = await serve([
    [json(200, { data: [{ id: 'origin' }, { id: secretKey }] })],
    [json(400, { error: { message: echo } })],
    [streamed(...deltas)],
  ]);
  const sandbox = await startSandboxCommand(['--log', '--port', '0', '--upstream', server.url], {
    NATTER_UPSTREAM_API_KEY: secretKey,
    NATTER_DEBUG: '1',
  });
  const env = serviceAt(sandbox, { NATTER_API_KEY: 'sandbox-key' });
  const refused = await runInMemory(['hi'], { env });
  const answered = await runInMemory(['hi'], { env });
  sandbox.child.kill('SIGINT');
  const { stdout, stderr } = await sandbox.result;
  expect(server.requests[1]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(answered.stdout).toMatch(masked);
  expectNoSecret(refused.stdout, refused.stderr, answered.stdout, stdout, stderr);
});

test('X2: secrets sent by a service are masked in batches, comparisons and lists of models', async () => {
  const server = await serve([[streamed(...deltas)]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const folder = temporaryHome();
  const results = join(folder, 'results.jsonl');
  const batch = await runInMemory(['batch', '-o', results], { env, input: 'one\ntwo\n' });
  const compared = await runInMemory(['compare', 'hi', '--json'], { env });
  expect([batch.code, compared.code]).toEqual([0, 0]);
  const text = readFileSync(results, 'utf8');
  expect(text.match(/thank you/g)).toHaveLength(2);
  expectNoSecret(text, batch.stdout, batch.stderr, compared.stdout, compared.stderr);
  const list = await serve([[json(200, { data: [{ id: secretKey, owned_by: echo }] })]]);
  const there = { ...env, NATTER_BASE_URL: list.url };
  for (const flags of [[], ['--json']]) {
    const { code, stdout, stderr } = await runInMemory(['models', 'list', ...flags], {
      env: there,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('***');
    expectNoSecret(stdout);
  }
});

test.each(['user', 'dark', 'ollama', 'hi'])(
  'X2: the word %s is not masked in answers, although it is part of a credential',
  async (word) => {
    const server = await serve([[streamed(`the ${word} of "role":"user"`)]]);
    const env = {
      ...(await withSettings(server, 'cookie', `theme=dark; a=hi`)),
      NATTER_API_KEY: 'ollama',
    };
    await runInMemory(['config', 'set', 'headers.x-auth', `Basic ${base64('user:ollama')}`], {
      env,
    });
    const { stdout } = await runInMemory(['hi'], { env });
    expect(stdout).toBe(`the ${word} of "role":"user"\n`);
  },
);
