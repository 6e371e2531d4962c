import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import {
  binary,
  cleanEnvironment,
  runNatter,
  serviceAt,
  startNatter,
  startSandboxCommand,
  temporaryHome,
} from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { certificatePath } from '../support/raw-server.ts';
import { openRemote, secretFile } from '../support/remote-service.ts';
import { keys, leave, openRepl, openTerminal, screenWith } from '../support/terminal.ts';
import {
  expectNoSecret,
  githubToken,
  secretKey,
  keyEcho,
  maskedEcho,
  echoDeltas,
} from '../support/secret.ts';
import { serve } from '../support/serve.ts';
import { storedKey, printKey, withKeyProgram } from '../support/profiles.ts';

test('X2: the key of an upstream is masked in all output of the sandbox', async () => {
  const server = await serve([
    [json(200, { data: [{ id: 'origin' }, { id: secretKey }] })],
    [json(400, { error: { message: keyEcho } })],
    [streamed(...echoDeltas)],
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
  expect(answered.stdout).toMatch(maskedEcho);
  expectNoSecret(refused.stdout, refused.stderr, answered.stdout, stdout, stderr);
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
  expect(await runNatter(['hi', '--quiet'], { env })).toMatchObject({
    stdout: 'Hello\n',
    stderr:
      'natter: warning: TLS certificates are not verified: NODE_TLS_REJECT_UNAUTHORIZED is 0\n',
  });
});

const models = json(200, { data: [{ id: 'origin' }] });

test('K1 the key is not in the process list during a request', async () => {
  const server = await serve([[]]);
  const natter = startNatter(['hi'], {
    env: { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey },
  });
  await server.received(1);
  const commandLine = readFileSync(`/proc/${natter.child.pid}/cmdline`, 'utf8');
  natter.child.kill();
  await natter.result;
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expectNoSecret(commandLine);
});

test('K2 a key typed on a terminal is hidden', async () => {
  const server = await serve([[models]]);
  const home = temporaryHome();
  const terminal = openTerminal(['auth', 'login'], { env: { HOME: home } });
  await terminal.waitFor(/Base URL of the service:/);
  terminal.type(`${server.url}\r`);
  await terminal.waitFor(/API key \(not shown; empty for none\):/);
  terminal.type(`${secretKey}\r`);
  expect((await terminal.exit).exitCode).toBe(0);
  expectNoSecret(terminal.output());
  expect(await terminal.transcript()).toMatch(/it offers origin\n.*stored in profile default/);
  expect(storedKey(home)).toBe(secretKey);
});

test('K2 Ctrl+C at the key question stores nothing, and natter ends by SIGINT', async () => {
  const home = temporaryHome();
  const terminal = openTerminal(['auth', 'login', '--base-url', 'http://127.0.0.1:9'], {
    env: { HOME: home },
  });
  await terminal.waitFor(/API key/);
  terminal.type('half-a-key\u0003');
  expect((await terminal.exit).signal).toBe(2);
  expect(terminal.output()).not.toContain('half-a-key');
  expect(() => storedKey(home)).toThrow('ENOENT');
});

const baseUrl = 'http://127.0.0.1:9';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('K3 at umask 000 the files and their folder are accessible to their owner only', async () => {
  const home = temporaryHome();
  const login = `umask 000; printf %s '${secretKey}' | "${process.execPath}" "${binary}" auth login --no-check --base-url ${baseUrl}`;
  await promisify(execFile)('/bin/sh', ['-c', login], { env: cleanEnvironment({ HOME: home }) });
  const folder = join(home, '.config', 'natter');
  expect([
    mode(folder),
    mode(join(folder, 'credentials.json')),
    mode(join(folder, 'config.json')),
  ]).toEqual(['700', '600', '600']);
});

const secure = { NATTER_BASE_URL: 'https://service.test', NODE_TLS_REJECT_UNAUTHORIZED: '0' };

test('requests to an https service use a tunnel, and the proxy never gets the key', async () => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const proxy = await startProxy({ upstream: server.port });
  const env = { ...secure, HTTPS_PROXY: proxy.url, NATTER_API_KEY: secretKey };
  expect(await runNatter(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: 'service.test:443' }]);
  expectNoSecret(JSON.stringify(proxy.requests));
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
});

const listedModels = json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] });

test('login without a key on a terminal stores only the address', async () => {
  const server = await serve([[listedModels], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  const terminal = openTerminal(['auth', 'login', '--base-url', server.url], { env });
  await terminal.waitFor(/API key/);
  terminal.type('\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(existsSync(join(env.HOME, '.config', 'natter', 'credentials.json'))).toBe(false);
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests[1]?.headers).not.toHaveProperty('authorization');
});

test('login on a terminal suggests the current address', async () => {
  const server = await serve([[listedModels]]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', server.url], { env });
  const terminal = openTerminal(['auth', 'login'], { env });
  await terminal.waitFor(/Base URL of the service \[http:.*\]:/);
  terminal.type('\r');
  await terminal.waitFor(/API key/);
  terminal.type('nk-key\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test('login with --no-input on a terminal asks no questions', async () => {
  const terminal = openTerminal([
    'auth',
    'login',
    '--no-input',
    '--base-url',
    'http://127.0.0.1:9',
  ]);
  expect((await terminal.exit).exitCode).toBe(2);
  expect(await terminal.transcript()).toContain('natter auth login --no-input < key.txt');
});

test('status --check without a service is a configuration failure', async () => {
  expect(await runInMemory(['auth', 'status', '--check'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^natter: no service is configured, so/) as string,
  });
  const terminal = openTerminal(['auth', 'status', '--check']);
  expect((await terminal.exit).exitCode).toBe(3);
});

test('status on a terminal is a table with a heading', async () => {
  const terminal = openTerminal(['auth', 'status'], {
    env: { NATTER_API_KEY: 'nk-first-key-0001' },
  });
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toBe(
    [
      'SETTING   VALUE      SOURCE',
      'profile   default    default',
      'base-url  (not set)',
      'model     origin     default',
      'api-key   …0001      environment NATTER_API_KEY',
      'natter: no service is configured; connect one with natter auth login',
    ].join('\n'),
  );
});

test('Y16: login on a terminal asks again after an invalid address, before it asks for a key', async () => {
  const server = await serve([[listedModels]]);
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
  const server = await serve([
    [json(401, { error: { message: 'bad key nk-wrong' } })],
    [listedModels],
  ]);
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
  const server = await serve([[listedModels]]);
  const terminal = openTerminal(['auth', 'login', '--base-url', server.url]);
  await terminal.waitFor(/API key/);
  terminal.type('Bearer nk-first\r');
  await terminal.waitFor(/starts with the word Bearer[^]*API key/);
  terminal.type('nk-first\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(terminal.output()).not.toContain('nk-first');
});

test('Y16: an address and a key pasted together answer both questions, and the key is hidden', async () => {
  const server = await serve([[listedModels]]);
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
  const server = await serve([
    [listedModels],
    [json(400, {})],
    [listedModels],
    [streamed('Hello')],
  ]);
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
    'Bearer nk-old-key-0001',
    undefined,
    undefined,
  ]);
  const credentials = join(env.HOME, '.config', 'natter', 'credentials.json');
  expect(readFileSync(credentials, 'utf8')).not.toContain('nk-old');
});

test('on a terminal the command can ask for a passphrase', async () => {
  const server = await serve([[streamed('Hello')]]);
  const script = `printf 'Passphrase: ' >&2; read -r word; [ "$word" = open ] && ${printKey}`;
  const { home } = await withKeyProgram(script, server.url);
  const terminal = openTerminal(['hi'], { env: { HOME: home } });
  await terminal.waitFor(/Passphrase:/);
  terminal.type('open\r');
  await terminal.waitFor(/Hello/);
  expect((await terminal.exit).exitCode).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
});

test('a conversation runs the command again after a rejected key', async () => {
  const refusal = json(401, { error: { message: 'expired' } });
  const server = await serve([[refusal], [streamed('Hello again')]]);
  const script = `[ "$(wc -l < "$HOME/runs")" -gt 1 ] && echo nk-second-key || echo nk-first-key`;
  const { home, runs } = await withKeyProgram(script, server.url);
  const terminal = await openRepl([], { env: { HOME: home } });
  terminal.type(`hi${keys.enter}`);
  await screenWith(terminal, /Hello again/);
  expect(await leave(terminal)).toBe(0);
  expect(runs()).toBe(2);
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer nk-first-key',
    'Bearer nk-second-key',
  ]);
});

test.each([
  ['s', 0, githubToken],
  ['redact', 0, 'REDACTED_GITHUB_TOKEN_'],
  ['', 17, undefined],
])('on a terminal, the answer %j decides', async (answer, code, sent) => {
  const { server, env, home } = await openRemote();
  const terminal = openTerminal(['-f', secretFile(home), 'review'], { env, columns: 120 });
  const asked = await terminal.waitFor(/redact or cancel\? \[s\/r\/C\]/);
  expect(asked).toContain('notes.txt line 2 has a GitHub token (ghp_…)');
  expect(asked).not.toContain(githubToken.slice(0, 6));
  terminal.type(`${answer}\r`);
  expect((await terminal.exit).exitCode).toBe(code);
  expect(server.requests.map(({ body }) => body.includes(sent ?? ''))).toEqual(
    sent === undefined ? [] : [true],
  );
});

test('a person who pipes text into natter is asked, too', async () => {
  const { server, env, home } = await openRemote();
  const shell = `cat '${secretFile(home)}' | $NATTER review`;
  const terminal = openTerminal([], { env, shell, columns: 120 });
  await terminal.waitFor(/redact or cancel\?/);
  terminal.type('s\r');
  await terminal.waitFor(/Hello/);
  expect((await terminal.exit).exitCode).toBe(0);
  expect(server.requests[0]?.body).toContain(githubToken);
});

test('--no-input refuses instead of asking', async () => {
  const { env, home } = await openRemote();
  const terminal = openTerminal(['--no-input', '-f', secretFile(home), 'review'], { env });
  expect((await terminal.exit).exitCode).toBe(17);
});

const placeholder = /REDACTED_GITHUB_TOKEN_[0-9A-F]{6}/;

test('a conversation with --redact shows the secret in the answer, and copies it', async () => {
  const home = temporaryHome();
  const env = { HOME: home };
  const terminal = await openRepl(['--sandbox', '--redact'], { env, columns: 120 });
  terminal.type(`[sandbox echo] @${secretFile(home)}${keys.enter}`);
  await screenWith(terminal, new RegExp(`login with ${githubToken}`));
  terminal.type(`/save ${join(home, 'saved.md')}${keys.enter}`);
  await screenWith(terminal, /written to/);
  expect(readFileSync(join(home, 'saved.md'), 'utf8')).toContain(githubToken);
  expect(await leave(terminal)).toBe(0);
  const folder = join(home, '.local/share/natter/conversations');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(files.join('')).toMatch(placeholder);
  expect(files.join('')).not.toContain(githubToken);
});
