import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRoute } from '../../../src/client/http/route.ts';
import type { Finding } from '../../../src/commands/doctor/finding.ts';
import { certificateFinding, proxyFinding } from '../../../src/commands/doctor/check-service.ts';
import { withoutNames } from '../../../src/commands/doctor/run.ts';
import { exitCodes, type FailureKind } from '../../../src/failure.ts';
import { openSandbox } from '../../sandbox/sandbox-helpers.ts';
import { folderOf } from '../../support/folder.ts';
import { runInContext, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { temporaryHome } from '../../support/natter.ts';
import { answering, delta, done, finish, json, stream } from '../../support/raw-replies.ts';
import { fin, type Reply } from '../../support/raw-server.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';

interface Page {
  readonly exit_code: number;
  readonly checks: readonly (Finding & { readonly section: string })[];
}

/** An environment with separate folders. */
function environmentOf(more: Readonly<Record<string, string>> = {}) {
  const home = folderOf();
  return {
    NATTER_CONFIG_DIR: join(home, 'config'),
    NATTER_DATA_DIR: join(home, 'data'),
    NATTER_STATE_DIR: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    LANG: 'C.UTF-8',
    ...more,
  };
}

/** Runs `natter doctor`. */
const examine = (words: readonly string[], options: MemoryOptions) =>
  runInContext(['doctor', ...words], { homeDirectory: '/nowhere', ...options });

/** Runs `natter doctor --json`. */
async function checksOf(words: readonly string[], options: MemoryOptions) {
  const { stdout, failure } = await examine([...words, '--json'], options);
  const page = JSON.parse(stdout) as Page;
  const named = (check: string) => page.checks.find((one) => one.check === check);
  return { page, failure, named };
}

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
  const words = ['doctor', '--base-url', `${url}/v2/foo`];
  const { code, stdout, stderr } = await runInMemory(words, { env });
  expect(code).toBe(6);
  const advice = `is the path of the base URL right? natter requests ${url}/v2/foo/v1/chat/completions\n`;
  expect(stdout).toContain(`> ${advice}`);
  expect(stderr).toContain(advice);
});

test('a bad certificate is shown with its chain', async () => {
  const server = await serve([[json(200, { data: [] })]], { tls: true });
  const { code, stdout } = await runInMemory(['doctor', '--base-url', server.url]);
  expect(code).toBe(10);
  expect(stdout).toContain('is signed by an authority unknown to this machine');
  expect(stdout).toMatch(/the chain is .* < /);
});

test('the page has no key, no home folder and no user name', async () => {
  const home = join(folderOf(), 'home', 'alice');
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

const refusal = (status: number) => json(status, { error: { message: 'no', type: 'nope' } });

const list = [json(200, { data: [{ id: 'origin' }] }, { 'x-request-id': 'r1' })];
const answer: Reply = stream(delta('ok'), finish('stop'), done);
const healthy: readonly Reply[] = [list, answer];

async function examineService(
  replies: readonly Reply[],
  words: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
) {
  const server = await serve(replies);
  const service = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const environment = environmentOf({ ...service, ...more });
  return { server, ...(await checksOf(words, { environment })) };
}

test('a healthy service passes, and four fields are sent with a small max_tokens', async () => {
  const { server, page, failure } = await examineService(healthy);
  expect(failure).toBeUndefined();
  expect(page.exit_code).toBe(0);
  expect(page.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/models',
    'POST /v1/chat/completions',
  ]);
  const messages = [{ role: 'user', content: 'Reply with the word ok.' }];
  expect(server.bodies()).toEqual([{ model: 'origin', messages, stream: true, max_tokens: 16 }]);
  expectNoSecret(JSON.stringify(page));
});

test('N5: -m chooses the model of the prompt, and overrides the setting', async () => {
  const listed = [json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] })];
  const { server, named } = await examineService([listed, answer], ['-m', 'nextgen']);
  expect(server.bodies()).toMatchObject([{ model: 'nextgen' }]);
  expect(named('setting')?.text).toContain('base-url');
  expect(named('model')).toBeUndefined();
});

const refusedLimit = json(400, {
  error: {
    message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    param: 'max_tokens',
  },
});

test('N4: a service that refuses max_tokens is asked again without, and passes with a note', async () => {
  const { server, failure, named } = await examineService([list, [refusedLimit], answer]);
  expect(failure).toBeUndefined();
  expect(server.bodies()[1]).not.toHaveProperty('max_tokens');
  expect(named('max-tokens')).toMatchObject({
    outcome: 'note',
    text: 'the service refuses max_tokens, and answers without it',
  });
  expect(named('max-tokens')?.advice).toContain('--param max_completion_tokens=');
  expect(named('stream')?.outcome).toBe('ok');
});

test('N4: a max_tokens of the settings that the service refuses fails, with the other parameter', async () => {
  const replies = [list, [refusedLimit], [refusedLimit]];
  const { failure, named } = await examineService(replies, [], { NATTER_MAX_TOKENS: '50' });
  expect(failure).toMatchObject({ kind: 'invalid_request' });
  expect(named('stream')?.advice).toContain('the limit with --param max_completion_tokens=500');
});

test.each([
  [json(404, {}), 'list', { outcome: 'note' }],
  [json(200, { data: [] }), 'list', { outcome: 'warning' }],
  [
    json(200, { data: [{ id: 'llama3' }] }),
    'model',
    { outcome: 'warning', advice: 'natter config set model llama3' },
  ],
])('a list of models without the model in use is no failure', async (reply, check, finding) => {
  const { failure, named } = await examineService([[reply], answer]);
  expect(failure).toBeUndefined();
  expect(named(check)).toMatchObject(finding);
});

test.each<[string, readonly Reply[], FailureKind, number]>([
  ['a refused key', [[refusal(401)]], 'unauthorized', 1],
  ['a rate limit', [[refusal(429)]], 'rate_limited', 1],
  ['a connection that closes', [[fin]], 'unreachable', 1],
  ['a failing server', [[refusal(500)]], 'server_error', 3],
])('after %s the exit code names the cause', async (_, replies, kind, requests) => {
  const { server, failure, page } = await examineService(replies);
  expect(failure).toMatchObject({ kind });
  expect(page.exit_code).toBe(exitCodes[kind]);
  expect(page.checks.find(({ outcome }) => outcome === 'failed')?.advice).not.toBe('');
  expect(server.requests.length).toBeLessThanOrEqual(requests);
});

test('after a cut stream an answer without a stream is asked for, and the advice is about the server', async () => {
  const cut = stream(delta('ok')).slice(0, 2);
  const { failure, named } = await examineService([list, [...cut, fin], [answering('ok')]]);
  expect(failure).toMatchObject({ kind: 'incomplete' });
  expect(named('stream')?.advice).toContain('natter --no-stream');
  expect(named('no-stream')?.outcome).toBe('ok');
});

test('--offline sends nothing, and reports that; a recording is not a service', async () => {
  const { server, named, failure } = await examineService(healthy, ['--offline']);
  expect(failure).toBeUndefined();
  expect(named('offline')?.text).toBe('the service was not checked: --offline');
  const replay = await examineService(healthy, [], { NATTER_REPLAY: 'tape.jsonl' });
  const text = 'the service was not checked: answers are from a recording';
  expect(replay.named('offline')?.text).toBe(text);
  expect([server.connections(), replay.server.connections()]).toEqual([0, 0]);
});

test('on a terminal of 40 columns rows break between words, and the cost is printed', async () => {
  const server = await serve(healthy);
  const environment = environmentOf({ NATTER_BASE_URL: server.url });
  const terminal = { environment, terminals: ['stdout'], columns: 40 } as const;
  const { stdout, stderr } = await examine(['--color', 'never'], terminal);
  expect(stderr).toContain('sending one prompt for an answer of at most 16 tokens');
  expect((await examine(['-q', '--offline'], { environment })).stderr).toBe('');
  const long = stdout.split('\n').filter((line) => line.length > 40);
  // The terminal breaks a path that is longer than a row.
  expect(long.filter((line) => !/^ *\S{32,}/.test(line))).toEqual([]);
  expect(stdout).toMatch(/^Program\n {2}ok {4}natter 1\.2\.3/);
  expect(stdout).toMatch(/\n\d+ checks: \d+ ok\n$/);
});

test('without a service the check fails, and nothing else does', async () => {
  const { failure, page } = await checksOf([], { environment: environmentOf() });
  expect(failure).toMatchObject({ kind: 'configuration' });
  const failed = page.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ check }) => check)).toEqual(['service']);
  expect(failed[0]?.advice).toContain('natter auth login');
});

function withSettings(settings: object | string, more: Readonly<Record<string, string>> = {}) {
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
  return environmentOf({ NATTER_CONFIG_DIR: folderOf({ 'config.json': text }), ...more });
}

test('unknown keys and variables, and broken profiles, are warnings', async () => {
  const profiles = { default: { modle: 'nextgen' }, work: { retries: 'many' } };
  const settings = { version: 1, theme: 'dark', profiles };
  const environment = withSettings(settings, { NATTER_MODLE: 'x' });
  const { page } = await checksOf(['--offline'], { environment });
  const warnings = page.checks.filter(({ outcome }) => outcome === 'warning');
  expect(warnings.map(({ text }) => text)).toEqual([
    '"theme" in config.json is not a setting and has no effect',
    '"modle" in profile default is not a setting and has no effect',
    'natter reads no variable NATTER_MODLE',
    'retries in profile work must be a whole number from 0 to 100',
  ]);
  expect(warnings[1]?.advice).toContain('did you mean model?');
  expect(warnings[2]?.advice).toContain('did you mean NATTER_MODEL?');
});

test('values that may be private are not shown', async () => {
  const headers = { 'x-team': 'blue-team', 'x-api-token': 'nk-private-0001' };
  const own = { system: 'the private prompt', params: { user: 'alice' }, headers };
  const environment = withSettings({ version: 1, profiles: { default: own } });
  chmodSync(join(environment.NATTER_CONFIG_DIR, 'config.json'), 0o644);
  const { page, named } = await checksOf(['--offline'], { environment });
  const text = JSON.stringify(page);
  expect(text).not.toMatch(/the private prompt|alice|blue-team|nk-private/);
  expect(text).toContain('system: 18 characters (profile default)');
  expect(named('settings-file')?.text).toContain('which has a secret header');
});

test('a setting that does not apply to the service in use is not listed', async () => {
  const own = { 'base-url': 'http://127.0.0.1:9/', 'api-path': '/x' };
  const settings = { version: 1, profiles: { default: own } };
  const environment = withSettings(settings, { NATTER_BASE_URL: 'http://127.0.0.1:10/' });
  const { page } = await checksOf(['--offline'], { environment });
  expect(JSON.stringify(page)).not.toMatch(/api-path|undefined/);
});

test.each([
  ['a damaged settings file', '{'],
  ['a bad value in the profile in use', '{"profiles":{"default":{"timeout":"soon"}}}'],
])('%s fails with what to do, and the other checks run', async (_, text) => {
  const environment = withSettings(text, { NATTER_BASE_URL: 'http://127.0.0.1:1' });
  const { failure, page } = await checksOf([], { environment });
  expect(failure).toMatchObject({ kind: 'configuration' });
  const sections = new Set(page.checks.map(({ section }) => section));
  expect([sections.has('files'), sections.has('service')]).toEqual([true, false]);
});

test('a data folder that is a file fails as storage, and others that are open to all are a warning', async () => {
  const environment = environmentOf();
  writeFileSync(environment.NATTER_DATA_DIR, '');
  mkdirSync(environment.NATTER_STATE_DIR);
  chmodSync(environment.NATTER_STATE_DIR, 0o777);
  const { failure, named } = await checksOf(['--sandbox', '--offline'], { environment });
  expect(failure).toMatchObject({ kind: 'storage' });
  expect(named('data-folder')?.text).toContain('part of its path is not a folder');
  expect(named('state-folder')).toMatchObject({ outcome: 'warning' });
  expect(named('state-folder')?.text).toContain('(mode 0777)');
});

test('what is wrong with the variables of certificates and proxies is shown without a password', async () => {
  const environment = environmentOf({
    NATTER_BASE_URL: 'https://service.test',
    NATTER_API_KEY: secretKey,
    HTTPS_PROXY: `http://alice:${encodeURIComponent(secretKey)}@127.0.0.1:1`,
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_EXTRA_CA_CERTS: '/no/such/file.pem',
  });
  const { page, failure, named } = await checksOf([], { environment });
  expect(failure).toMatchObject({ kind: 'unreachable' });
  const texts = page.checks.filter(({ check }) => check === 'variable').map(({ text }) => text);
  expect(texts).toEqual([
    'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified',
    'NODE_EXTRA_CA_CERTS: cannot read /no/such/file.pem: there is no such file or folder',
  ]);
  expect(named('rest')?.text).toBe('no request was sent');
  expectNoSecret(JSON.stringify(page));
});

const service = new URL('https://api.example.com');

const direct = 'requests use no proxy: no variable such as HTTPS_PROXY applies to this host';
const via = 'requests use the proxy http://proxy.corp:3128 of';

test.each([
  [{}, 'ok', direct],
  [{ https_proxy: 'proxy.corp:3128' }, 'note', `${via} https_proxy`],
  [
    { HTTPS_PROXY: 'http://alice:s3cret-pass@proxy.corp:3128/' },
    'note',
    `${via} HTTPS_PROXY, with a user name and password`,
  ],
])('with %j the proxy is reported: %s', (environment, outcome, text) => {
  expect(proxyFinding(service, environment)).toMatchObject({ check: 'proxy', outcome, text });
});

const now = Date.parse('2026-11-22T12:00:00Z');

const chain = [
  { subject: 'api.example.com', issuer: 'Example CA', validTo: new Date('2027-01-01') },
  { subject: 'Example CA', issuer: 'Example Root', validTo: new Date('2030-01-01') },
];
const route = createRoute(service, {});
const trusted = { protocol: 'TLSv1.3', chain, problem: undefined };

test('a trusted certificate is named with its issuer and its days, and warned of near its end', () => {
  expect(certificateFinding(trusted, route, {}, now)).toMatchObject({
    check: 'certificate',
    outcome: 'ok',
    text: 'the certificate of api.example.com, signed by Example CA, is trusted, valid for 39 days (TLSv1.3)',
  });
  const soon = { ...trusted, chain: [{ ...chain[0]!, validTo: new Date('2026-12-01') }] };
  expect(certificateFinding(soon, route, {}, now)).toMatchObject({
    outcome: 'warning',
    advice: 'the service needs a new certificate soon',
  });
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS to the certificate file of its authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its operator must send the complete chain'],
  ['CERT_HAS_EXPIRED', "check this machine's clock"],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS to its file'],
])('%s fails with the chain and what to do', (problem, advice) => {
  const finding = certificateFinding({ ...trusted, problem }, route, {}, now);
  expect(finding).toMatchObject({ outcome: 'failed', kind: 'unreachable' });
  expect(finding.text).toContain('api.example.com < Example CA < Example Root');
  expect(finding.advice).toContain(advice);
});

test('a bad certificate that natter does not verify is a warning', () => {
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const expired = { ...trusted, problem: 'CERT_HAS_EXPIRED' };
  const finding = certificateFinding(expired, route, environment, now);
  expect(finding.outcome).toBe('warning');
  expect(finding).not.toHaveProperty('kind');
});

const { context } = createMemoryContext({
  homeDirectory: '/home/alice',
  environment: { USER: 'alice', USERNAME: 'me' },
});

test.each([
  ['/home/alice/.config/natter', '~/.config/natter'],
  ['cannot read /home/alice: no', 'cannot read ~: no'],
  ['/home/alice2/x and /home/bob/y', '/home/…/x and /home/…/y'],
  ['/mnt/data/Alice/x', '/mnt/data/…/x'],
  ['/Users/bob/x', '/Users/…/x'],
  [String.raw`C:\Users\Bob Smith\x`, String.raw`C:\Users\… Smith\x`],
  ['/srv/home/models and /me/x', '/srv/home/models and /me/x'],
  ['alice in a text, malice', 'alice in a text, malice'],
])('%j is shown as %j', (text, shown) => {
  expect(withoutNames(text, context)).toBe(shown);
});

test('without a home folder and names only other home folders are hidden', () => {
  const plain = createMemoryContext().context;
  expect(withoutNames('/home/bob/x and /root/x', plain)).toBe('/home/…/x and /root/x');
});
