import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { type RunOptions, temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { openRepl, leave, keys, screenWith } from '../support/repl-terminal.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

/** A home folder with a program that prints what `script`, a shell script, prints, and counts its runs. */
function homeWith(script: string) {
  const home = temporaryHome();
  const program = join(home, 'print-key');
  const runs = join(home, 'runs');
  writeFileSync(program, `#!/bin/sh\necho run >> '${runs}'\n${script}\n`);
  chmodSync(program, 0o755);
  return {
    home,
    program,
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').split('\n').length - 1 : 0),
  };
}

const printKey = `echo '${secretKey}'`;

/** A natter whose default profile has a service and a command that prints its key. */
async function configured(script: string, baseUrl: string, command?: string) {
  const { home, program, runs } = homeWith(script);
  const options: RunOptions = { env: { HOME: home } };
  await runInMemory(['config', 'set', 'base-url', baseUrl], options);
  await runInMemory(['config', 'set', 'api-key-command', command ?? program], options);
  const run = (words: readonly string[], env: Record<string, string> = {}) =>
    runInMemory(words, { env: { HOME: home, ...env } });
  return { home, program, runs, run };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile() && !name.endsWith('print-key'));
}

test('the command prints the key, which is sent, but neither shown nor stored', async () => {
  const server = await serve([[streamed(`your key is ${secretKey}`)]]);
  const { home, run, runs } = await configured(printKey, server.url);
  const recording = join(home, 'recording.jsonl');
  const { code, stdout, stderr } = await run(['--record', recording, 'hi'], { NATTER_DEBUG: '1' });
  expect(code).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(runs()).toBe(1);
  expect(stdout).toBe('your key is ***\n');
  const files = filesBelow(home);
  expect(files).toContain(recording);
  expectNoSecret(stdout, stderr, ...files.map((name) => readFileSync(name, 'utf8')));
});

test('a command runs once for several requests, and again in the next process', async () => {
  const models = json(200, { data: [{ id: 'origin' }] });
  const server = await serve([[streamed('one')], [streamed('two')], [models]]);
  const { run, runs } = await configured(printKey, server.url);
  expect(await run(['compare', '-m', 'origin,nextgen', 'hi'])).toMatchObject({ code: 0 });
  expect(runs()).toBe(1);
  expect(await run(['models', 'list'])).toMatchObject({ code: 0 });
  expect(runs()).toBe(2);
});

test.each([
  ['--dry-run', ['--dry-run', 'hi']],
  ['--sandbox', ['--sandbox', 'hi']],
  ['auth status', ['auth', 'status']],
  ['config list', ['config', 'list']],
  ['completion', ['__complete', 'models', '=o']],
])('the command does not run for %s', async (_, words) => {
  const { run, runs } = await configured(printKey, 'https://api.example.com');
  expect(await run(words)).toMatchObject({ code: 0 });
  expect(runs()).toBe(0);
});

test('the command does not run for a replay', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home, run, runs } = await configured(printKey, server.url);
  const recording = join(home, 'recording.jsonl');
  await run(['--record', recording, 'hi']);
  expect(await run(['--replay', recording, 'hi'])).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(runs()).toBe(1);
});

test('NATTER_API_KEY_COMMAND does not run for a service on this machine', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home, program, runs } = homeWith(printKey);
  const env = { HOME: home, NATTER_BASE_URL: server.url, NATTER_API_KEY_COMMAND: program };
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(runs()).toBe(0);
  expect((await runInMemory(['auth', 'status'], { env })).stderr).toBe(
    'natter: NATTER_API_KEY_COMMAND is not run for a service on this machine\n',
  );
});

test('a dry run shows that a key is sent', async () => {
  const { run } = await configured(printKey, 'https://api.example.com');
  const { stdout } = await run(['--dry-run', 'hi']);
  expect(JSON.parse(stdout)).toMatchObject({ request: { headers: { authorization: 'Bearer …' } } });
});

test('auth status shows the command and where the key is from', async () => {
  const { run, program } = await configured(printKey, 'https://api.example.com');
  const { stdout, stderr } = await run(['auth', 'status']);
  expect(stdout).toContain(`api-key-command\t${program}\tprofile default\n`);
  expect(stdout).toContain('api-key\t…\tprofile default\n');
  expect(stderr).toBe(
    'natter: the key is from api-key-command (profile default), which was not run; --check runs it\n',
  );
  const overridden = await run(['auth', 'status'], { NATTER_API_KEY: secretKey });
  expect(overridden.stderr).toBe(
    'natter: NATTER_API_KEY overrides api-key-command (profile default)\n',
  );
});

test.each([
  ['exit 3', 'failed with exit code 3'],
  ['true', 'printed no key'],
  ['echo a; echo b', 'printed 2 lines, not a key'],
])('a command with the script %j fails with exit code 4', async (script, problem) => {
  const { run } = await configured(script, 'https://api.example.com');
  const { code, stdout, stderr } = await run(['hi']);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  const [line] = stderr.split('\n');
  expect(line).toBe(`natter: api-key-command of profile default ${problem}`);
});

test('a rejected key names the command it is from', async () => {
  const server = await serve([[json(401, { error: { message: 'no' } })]]);
  const { run } = await configured(printKey, server.url);
  const { code, stderr } = await run(['hi']);
  expect(code).toBe(4);
  expect(stderr).toContain(
    'the key is from api-key-command of profile default; natter auth status shows the command',
  );
});

test('config set refuses a command with an open quote', async () => {
  const { code, stderr } = await runInMemory(['config', 'set', 'api-key-command', 'pass "show']);
  expect(code).toBe(2);
  expect(stderr).toContain('api-key-command has a quote without its end');
});

test('config set warns of a pipe without a shell, and the failure has the same hint', async () => {
  const hint = "no shell runs the command, so | is an argument: use sh -c '…'";
  const { program, run } = await configured('exit 1', 'https://api.example.com');
  const set = ['config', 'set', 'api-key-command', `${program} show | head -n 1`];
  const { code, stderr } = await run(set);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(hint) as string });
  const failed = await run(['hi']);
  expect(failed.code).toBe(4);
  expect(failed.stderr).toContain(`failed with exit code 1\n  ${hint}`);
});

test('no option takes the command', async () => {
  const { code } = await runInMemory(['--sandbox', '--api-key-command', 'x', 'hi']);
  expect(code).toBe(2);
});

test('on a terminal the command can ask for a passphrase', async () => {
  const server = await serve([[streamed('Hello')]]);
  const script = `printf 'Passphrase: ' >&2; read -r word; [ "$word" = open ] && ${printKey}`;
  const { home } = await configured(script, server.url);
  const terminal = openTerminal(['hi'], { env: { HOME: home } });
  await terminal.waitFor(/Passphrase:/);
  terminal.type('open\r');
  await terminal.waitFor(/Hello/);
  expect((await terminal.exit).exitCode).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
});

test('piped input is left to the prompt', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home } = await configured(`cat > /dev/null; ${printKey}`, server.url);
  const options = { env: { HOME: home }, input: 'piped text' };
  expect(await runInMemory(['sum up'], options)).toMatchObject({ code: 0 });
  expect(server.requests[0]?.body).toContain('piped text');
});

test('a conversation runs the command again after a rejected key', async () => {
  const refusal = json(401, { error: { message: 'expired' } });
  const server = await serve([[refusal], [streamed('Hello again')]]);
  const script = `[ "$(wc -l < "$HOME/runs")" -gt 1 ] && echo nk-second-key || echo nk-first-key`;
  const { home, runs } = await configured(script, server.url);
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
