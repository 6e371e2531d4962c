import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
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
import { json, streamed } from '../support/raw-replies.ts';
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
  const words = ['--log', '--port', '0', '--upstream', server.url];
  const upstream = { NATTER_UPSTREAM_API_KEY: secretKey, NATTER_DEBUG: '1' };
  const sandbox = await startSandboxCommand(words, upstream);
  const env = serviceAt(sandbox, { NATTER_API_KEY: 'sandbox-key' });
  const refused = await runInMemory(['hi'], { env });
  const answered = await runInMemory(['hi'], { env });
  sandbox.child.kill('SIGINT');
  const { stdout, stderr } = await sandbox.result;
  expect(server.requests[1]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(answered.stdout).toMatch(maskedEcho);
  expectNoSecret(refused.stdout, refused.stderr, answered.stdout, stdout, stderr);
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
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const natter = startNatter(['hi'], { env });
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
  const words = ['auth', 'login', '--base-url', 'http://127.0.0.1:9'];
  const terminal = openTerminal(words, { env: { HOME: home } });
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
  const modes = ['.', 'credentials.json', 'config.json'].map((name) => mode(join(folder, name)));
  expect(modes).toEqual(['700', '600', '600']);
});

/** What the settings file of a home has for the default profile. */
function storedIn(home: string): Readonly<Record<string, unknown>> {
  const file = join(home, '.config/natter/config.json');
  if (!existsSync(file)) return {};
  const { profiles } = JSON.parse(readFileSync(file, 'utf8')) as {
    profiles: { default: Readonly<Record<string, unknown>> };
  };
  return profiles.default;
}

test('D17 settings that are changed at the same time are all stored', async () => {
  const env = { HOME: temporaryHome() };
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const set = (name: string) => runNatter(['config', 'set', `params.${name}`, '1'], { env });
  const results = await Promise.all(names.map(set));
  expect(results.filter(({ code }) => code !== 0)).toEqual([]);
  expect(Object.keys(storedIn(env.HOME)['params'] ?? {}).sort()).toEqual(names.sort());
});

test('K6 D17 natter killed while it writes leaves the old or the new settings, and blocks nobody', async () => {
  const env = { HOME: temporaryHome() };
  const lock = join(env.HOME, '.config/natter/settings.lock');
  const texts = ['short', 'long '.repeat(20_000)];
  for (const [index, delay] of [0, 1, 2, 4, 8, 16].entries()) {
    const words = ['config', 'set', 'system', texts[index % 2] ?? ''];
    const { child, result } = startNatter(words, { env });
    const isWriting = () => existsSync(lock) || child.exitCode !== null;
    await vi.waitUntil(isWriting, { timeout: 20_000, interval: 1 });
    await pause(delay);
    child.kill('SIGKILL');
    await result;
    expect([undefined, ...texts]).toContain(storedIn(env.HOME)['system']);
  }
  await runInMemory(['config', 'set', 'system', 'after'], { env });
  expect(storedIn(env.HOME)).toEqual({ system: 'after' });
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
  const sent = server.requests.map(({ headers }) => headers['authorization']);
  expect(sent).toEqual(['Bearer nk-first-key', 'Bearer nk-second-key']);
});

const attached = (path: string) => `$NATTER -f '${path}' review`;
const piped = (path: string) => `cat '${path}' | $NATTER review`;

test.each([
  ['s', 'notes.txt', attached, 0, [expect.stringContaining(githubToken)]],
  ['redact', 'notes.txt', attached, 0, [expect.stringContaining('REDACTED_GITHUB_TOKEN_')]],
  ['', 'notes.txt', attached, 17, []],
  ['s', 'standard input', piped, 0, [expect.stringContaining(githubToken)]],
])('on a terminal, the answer %j decides about %s', async (answer, place, lineOf, code, sent) => {
  const { server, env, home } = await openRemote();
  const terminal = openTerminal([], { env, shell: lineOf(secretFile(home)), columns: 120 });
  const asked = await terminal.waitFor(/redact or cancel\? \[s\/r\/C\]/);
  expect(asked).toContain(`${place} line 2 has a GitHub token (ghp_…)`);
  expect(asked).not.toContain(githubToken.slice(0, 6));
  terminal.type(`${answer}\r`);
  expect((await terminal.exit).exitCode).toBe(code);
  expect(server.requests.map(({ body }) => body)).toEqual(sent);
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
