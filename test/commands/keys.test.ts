import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutKeys } from '../../src/environment.ts';
import { readRecordedLines } from '../recording/recording-fixtures.ts';
import { filesBelow } from '../support/folder.ts';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, temporaryHome } from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { json, response, streamed } from '../support/raw-replies.ts';
import type { RawServer, Reply } from '../support/raw-server.ts';
import {
  expectNoSecret,
  secretForms,
  secretKey,
  keyEcho,
  maskedEcho,
  echoDeltas,
} from '../support/secret.ts';
import { runOn, serve } from '../support/serve.ts';

/** The texts of all files in a home folder except settings and keys. */
const writtenBelow = (home: string) =>
  filesBelow(home)
    .filter((path) => !['config.json', 'credentials.json'].includes(basename(path)))
    .map((path) => readFileSync(path, 'utf8'));

const html = { 'content-type': 'text/html' };

/** Responses of a server that sends the key back. */
const echoes: readonly (readonly [place: string, reply: Reply])[] = [
  ['a JSON error', [json(400, { error: { message: secretForms.join(' ') } })]],
  ['a flat JSON error', [json(401, { detail: `bad key ${secretKey}`, code: secretKey })]],
  ['a title of a page', [response(502, html, `<title>${secretForms.join(' ')}</title>`)]],
  ['plain text', [response(500, { 'content-type': 'text/plain' }, secretForms.join('\n'))]],
  ['a request id', [json(403, {}, { 'x-request-id': secretKey })]],
  ['a redirect', [response(302, { location: `https://evil.test/${secretKey}?k=${secretKey}` })]],
  ['Retry-After', [json(429, {}, { 'retry-after': secretKey })]],
  ['a page instead of an answer', [response(200, html, `<title>${secretKey}</title>`)]],
  ['an error inside the answer', [json(200, { error: { message: secretForms.join(' ') } })]],
  ['invalid HTTP', [`${secretKey}\r\n\r\n`]],
];

test.each(
  echoes.flatMap(([place, reply]) =>
    [[], ['--json'], ['--jsonl']].map((flags) => [place, flags, reply] as const),
  ),
)('K8 K9 a key in %s is masked, with %j and NATTER_DEBUG too', async (_, flags, reply) => {
  const env = { HOME: temporaryHome(), NATTER_DEBUG: '1', NATTER_API_KEY: secretKey };
  const words = ['hi', '--retries', '1', '--retry-max-wait', '1ms', ...flags];
  const { code, stdout, stderr, server } = await runOn([reply], words, { env });
  expect(code).not.toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(stderr).toContain('natter: debug: POST');
  expectNoSecret(stdout, stderr, ...writtenBelow(env.HOME));
});

const keyed = { NATTER_DEBUG: '1', NATTER_API_KEY: secretKey };

test.each([
  ['the models', ['models', 'list'], [json(500, { message: secretKey })]],
  ['one model', ['models', 'get', 'x'], [json(404, { message: secretKey })]],
  ['a login', ['auth', 'login', '--no-input'], [json(401, { message: secretKey })]],
] as const)('K8 a key in an error about %s is masked', async (_, words, reply) => {
  const options = { env: keyed, input: secretKey };
  const { code, stdout, stderr } = await runOn([reply], [...words, '--retries', '0'], options);
  expect(code).not.toBe(0);
  expectNoSecret(stdout, stderr);
});

test('K8 a key that a server sends as a model name is masked in notices', async () => {
  const reply = json(200, {
    model: secretKey,
    choices: [{ message: { content: 'Hello' }, finish_reason: secretKey }],
  });
  const { stdout, stderr } = await runOn([[reply]], ['hi'], { env: keyed });
  expect(stdout).toBe('Hello\n');
  expect(stderr).toContain('finish_reason');
  expectNoSecret(stderr);
});

test('K22 only four files start other processes, and all remove the keys from their environment', () => {
  const pager = join('src', 'terminal', 'device', 'pager.ts');
  const starters = [
    join('src', 'ask', 'key-command.ts'),
    join('src', 'repl', 'shell', 'child-process.ts'),
    join('src', 'repl', 'shell', 'shell-command.ts'),
  ];
  const users = filesBelow('src').filter((path) =>
    /child_process|worker_threads|node:cluster/.test(readFileSync(path, 'utf8')),
  );
  expect(users.sort()).toEqual([...starters, pager].sort());
  for (const path of starters) {
    expect(readFileSync(path, 'utf8')).toMatch(/env: \{ \.\.\.withoutKeys\(/);
  }
  expect(readFileSync(pager, 'utf8')).toMatch(/withoutKeys\(environment\)/);
  const secrets = ['API_KEY', 'API_KEY_COMMAND', 'UPSTREAM_API_KEY', 'QUEUE'];
  const environment = Object.fromEntries(secrets.map((name) => [`NATTER_${name}`, secretKey]));
  expect(withoutKeys({ ...environment, PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

test('K23 nothing in the current folder redirects the key', async () => {
  const [good, evil] = [await serve([[streamed('Good')]]), await serve([[streamed('Evil')]])];
  const cwd = temporaryHome();
  const settings = JSON.stringify({
    version: 1,
    profiles: { default: { 'base-url': evil.url } },
    natter: { baseUrl: evil.url },
  });
  const variables = `NATTER_BASE_URL=${evil.url}\nHTTP_PROXY=${evil.url}\n`;
  for (const name of ['config.json', 'natter.json', '.natterrc', 'package.json', '.natter.json']) {
    writeFileSync(join(cwd, name), settings);
  }
  for (const name of ['.env', '.env.local', '.npmrc']) writeFileSync(join(cwd, name), variables);
  const env = { HOME: temporaryHome(), NATTER_API_KEY: secretKey };
  await runInMemory(['config', 'set', 'base-url', good.url], { env });
  expect((await runInMemory(['hi'], { env, cwd })).stdout).toBe('Good\n');
  const relative = await runInMemory(['hi'], { env: { ...env, NATTER_CONFIG_DIR: '.' }, cwd });
  expect(relative.code).toBe(3);
  expect(evil.connections()).toBe(0);
});

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
    const words = ['auth', 'login', '--no-check', '--base-url', url];
    await runInMemory(words, { env, input: secretKey });
    return env;
  },
  'a header of the profile without one': (server) =>
    withSettings(server, 'x-team-token', secretKey),
  'a cookie of the profile': (server) =>
    withSettings(server, 'cookie', `theme=dark; session=${secretKey}; id=7`),
  'the password of Basic': (server) =>
    withSettings(server, 'proxy-authorization', `Basic ${base64(`somebody:${secretKey}`)}`),
  async 'the password of a proxy'({ port }) {
    const proxy = await startProxy({ upstream: port });
    const password = encodeURIComponent(secretKey);
    return {
      NATTER_BASE_URL: 'http://service.test',
      HTTP_PROXY: proxy.url.replace('://', `://ann:${password}@`),
    };
  },
};

/** The joined texts of the deltas and documents in a recording. */
function recordedText(path: string): string {
  const body = readRecordedLines(path)
    .map(({ type, text }) => (type === 'bytes' ? String(text) : ''))
    .join('');
  const texts = [...body.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)];
  return texts.map(([, text = '""']) => String(JSON.parse(text))).join('');
}

async function prepared(way: string, replies: Parameters<typeof serve>[0]) {
  const server = await serve(replies);
  const variables = await configurations[way]?.(server);
  const home = variables?.['HOME'] ?? temporaryHome();
  const env = { HOME: home, NATTER_ALLOW_INSECURE: 'true', NATTER_DEBUG: '1', ...variables };
  return { server, home, env };
}

const names = Object.keys(configurations);

test.each(names)('X2: %s, echoed in an error, is masked in all output', async (way) => {
  const { server, home, env } = await prepared(way, [[json(400, { error: { message: keyEcho } })]]);
  const tape = join(home, 'tape.jsonl');
  for (const flags of [['--record', tape], ['--json'], ['--jsonl']]) {
    const { code, stdout, stderr } = await runInMemory(['hi', ...flags], { env });
    expect(code).toBe(7);
    expect(stderr).toContain('it is dark');
    expectNoSecret(stdout, stderr, ...writtenBelow(home));
  }
  expect(server.requests).toHaveLength(3);
});

test.each(names)('X2: %s, split over deltas, is masked in all output', async (way) => {
  const { home, env } = await prepared(way, [[streamed(...echoDeltas)]]);
  const tape = join(home, 'tape.jsonl');
  const plain = await runInMemory(['hi', '--record', tape], { env });
  const whole = await runInMemory(['hi', '--json'], { env });
  const lines = await runInMemory(['hi', '--jsonl'], { env });
  const { content } = JSON.parse(whole.stdout) as { content: string };
  const events = jsonLines(lines.stdout) as readonly { readonly text?: string }[];
  const joined = events.map(({ text = '' }) => text).join('');
  const replayed = await runInMemory(['hi', '--replay', tape]);
  const texts = [plain.stdout, content, joined, recordedText(tape), replayed.stdout];
  for (const text of texts) expect(text).toMatch(maskedEcho);
  expectNoSecret(...texts, plain.stderr, whole.stderr, lines.stderr, ...writtenBelow(home));
  expect(writtenBelow(home).filter((text) => text.includes('thank you'))).toHaveLength(3);
});

test.each(names)('X2: %s in a prompt is masked in the conversation', async (way) => {
  const { server, home, env } = await prepared(way, [[streamed('Hello')]]);
  await runInMemory([`why is ${secretKey} refused?`], { env });
  expect(server.requests[0]?.body).toContain(secretKey);
  const written = writtenBelow(home);
  expect(written.join('')).toContain('why is *** refused?');
  expectNoSecret(...written);
});

test('X2: secrets sent by a service are masked in batches, comparisons and lists of models', async () => {
  const server = await serve([[streamed(...echoDeltas)]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const folder = temporaryHome();
  const results = join(folder, 'results.jsonl');
  const batch = await runInMemory(['batch', '-o', results], { env, input: 'one\ntwo\n' });
  const compared = await runInMemory(['compare', 'hi', '--json'], { env });
  expect([batch.code, compared.code]).toEqual([0, 0]);
  const text = readFileSync(results, 'utf8');
  expect(text.match(/thank you/g)).toHaveLength(2);
  expectNoSecret(text, batch.stdout, batch.stderr, compared.stdout, compared.stderr);
  const list = await serve([[json(200, { data: [{ id: secretKey, owned_by: keyEcho }] })]]);
  const own = { ...env, NATTER_BASE_URL: list.url };
  for (const flags of [[], ['--json']]) {
    const { code, stdout, stderr } = await runInMemory(['models', 'list', ...flags], {
      env: own,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('***');
    expectNoSecret(stdout);
  }
});

/** Reaches this machine, but is not a loopback address. */
const notLoopback = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

test('K14 --allow-insecure and the setting of a profile allow a key over plain http', async () => {
  const server = await serve([[streamed('Hello')]]);
  const service = { NATTER_BASE_URL: notLoopback(server.url), NATTER_API_KEY: secretKey };
  const env = { HOME: temporaryHome(), ...service };
  expect((await runInMemory(['hi', '--allow-insecure'], { env })).stdout).toBe('Hello\n');
  await runInMemory(['config', 'set', 'allow-insecure', 'true'], { env });
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests).toHaveLength(2);
});

test('a login to a new address does not send the secret headers of the old one', async () => {
  const server = await serve([[response(200, {}, '["origin"]')]]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', 'https://old.example'], { env });
  await runInMemory(['config', 'set', 'headers.x-team-token', secretKey], { env });
  const { code, stderr } = await runInMemory(['auth', 'login', '--base-url', server.url], {
    env,
    input: 'nk-new',
  });
  expect(code).toBe(0);
  expect(stderr.match(/was not sent/g)).toHaveLength(1);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-team-token');
});
