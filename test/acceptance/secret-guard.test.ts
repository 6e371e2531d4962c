import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNatter, temporaryHome } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { openRemote, secretFile, secretLog } from '../support/remote-service.ts';
import { githubToken, privateKey } from '../support/secret-shapes.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

// docs/privacy.md has these messages.
const hint =
  '  --redact sends placeholders and puts the secrets back in the answer; --allow-secrets sends the text as it is\n';

test('piped text with a secret is refused with its kind and line, and nothing is sent', async () => {
  const { server, env, host } = await openRemote();
  const { code, stdout, stderr } = await runNatter(['review'], { env, input: secretLog });
  expect({ code, stdout }).toEqual({ code: 17, stdout: '' });
  expect(stderr).toBe(
    `natter: standard input line 2 has a GitHub token, so it was not sent to ${host}\n${hint}`,
  );
  expect(server.requests).toEqual([]);
});

test('an attached file with several secrets is refused, with --json as a document', async () => {
  const { server, env, home } = await openRemote();
  const file = join(home, 'log.txt');
  writeFileSync(file, `${privateKey()}\n${secretLog}`);
  const { code, stderr } = await runNatter(['--json', '-f', file, 'review'], { env });
  expect(code).toBe(17);
  const { error } = JSON.parse(stderr) as { error: { kind: string; message: string } };
  expect(error.kind).toBe('secrets');
  expect(error.message).toContain(`${file} line 1 has a private key, and 1 more secret`);
  expect(server.requests).toEqual([]);
});

test('--allow-secrets and the setting off send the text as it is', async () => {
  const { server, env } = await openRemote([[streamed('a')], [streamed('b')]]);
  const input = secretLog;
  expect(await runNatter(['--allow-secrets', 'x'], { env, input })).toMatchObject({ code: 0 });
  const off = { ...env, NATTER_SECRET_GUARD: 'off' };
  expect(await runNatter(['x'], { env: off, input })).toMatchObject({ code: 0 });
  for (const { body } of server.requests) expect(body).toContain(githubToken);
});

test('what stays on this machine is not checked', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { NATTER_BASE_URL: server.url };
  expect(await runNatter(['x'], { env, input: secretLog })).toMatchObject({ code: 0 });
  expect(await runNatter(['--sandbox', 'x'], { input: secretLog })).toMatchObject({ code: 0 });
  const url = ['--base-url', 'https://api.example.com'];
  expect(await runNatter(['--dry-run', ...url, 'x'], { input: secretLog })).toMatchObject({
    code: 0,
  });
});

test('a typed prompt is not checked', async () => {
  const { server, env } = await openRemote();
  expect(await runNatter([`what is ${githubToken}?`], { env })).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(1);
});

test('--redact sends a placeholder, restores the secret, and stores neither it nor the restored answer', async () => {
  const { server, env, home } = await openRemote([[streamed('unused')]]);
  const first = await runNatter(['--redact', 'x'], { env, input: secretLog });
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).toContain(
    'a placeholder replaces a GitHub token in standard input line 2\n',
  );
  expect(server.requests[0]?.body).toMatch(/login with REDACTED_GITHUB_TOKEN_[0-9A-F]{6} done/);
  expect(server.requests[0]?.body).not.toContain(githubToken);
  const folder = join(home, '.local/share/natter/conversations');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(files.join('')).toContain('REDACTED_GITHUB_TOKEN_');
  expect(files.join('')).not.toContain(githubToken);
});

test.each([
  ['text', []],
  ['--json', ['--json']],
  ['--jsonl', ['--jsonl']],
])(
  'with --redact the sandbox gets placeholders, and the answer has the secret: %s',
  async (_, words) => {
    const home = temporaryHome();
    const prompt = '[sandbox echo] repeat';
    const run = ['--sandbox', '--redact', ...words, prompt];
    const { code, stdout } = await runNatter(run, { env: { HOME: home }, input: secretLog });
    expect(code).toBe(0);
    expect(stdout).toContain(githubToken);
    expect(stdout).not.toContain('REDACTED_');
    const folder = join(home, '.local/share/natter/conversations');
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(files.join('')).not.toContain(githubToken);
  },
);

test('--redact and --allow-secrets cannot be used together', async () => {
  const { code, stderr } = await runNatter(['--redact', '--allow-secrets', 'x'], {
    input: secretLog,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('--redact and --allow-secrets cannot be used together');
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

test('a comparison is refused, too, and --redact restores each answer', async () => {
  const { server, env } = await openRemote();
  const refused = await runNatter(['compare', 'x'], { env, input: secretLog });
  expect(refused).toMatchObject({ code: 17, stdout: '' });
  expect(server.requests).toEqual([]);
  const words = ['compare', '--sandbox', '--redact', '--json', '[sandbox echo] x'];
  const { code, stdout } = await runNatter(words, { input: secretLog });
  expect(code).toBe(0);
  expect(stdout.split(githubToken)).toHaveLength(3);
});

test('the files that a prompt file inserts are checked', async () => {
  const { server, env, home } = await openRemote();
  secretFile(home);
  writeFileSync(join(home, 'review.md'), 'Review {{file:notes.txt}}.\n');
  const { code, stderr } = await runNatter(['run', './review.md'], { env, cwd: home });
  expect(code).toBe(17);
  expect(stderr).toContain('notes.txt line 2 has a GitHub token');
  expect(server.requests).toEqual([]);
});

test('the text of a prompt file is checked, too', async () => {
  const { server, env, home, host } = await openRemote();
  writeFileSync(join(home, 'review.md'), secretLog);
  const { code, stderr } = await runNatter(['run', './review.md'], { env, cwd: home });
  expect(code).toBe(17);
  expect(stderr).toContain(`review.md line 2 has a GitHub token, so it was not sent to ${host}`);
  expect(server.requests).toEqual([]);
});

test('the guard checks text for the services of --fallback, too', async () => {
  const local = await serve([[streamed('Hello')]]);
  const home = temporaryHome();
  const set = ['config', 'set', 'base-url', 'https://api.example.com', '--profile', 'far'];
  await runNatter(set, { env: { HOME: home } });
  const env = { HOME: home, NATTER_BASE_URL: local.url };
  const { code, stderr } = await runNatter(['--fallback', 'far:origin', 'x'], {
    env,
    input: secretLog,
  });
  expect(code).toBe(17);
  expect(stderr).toContain('it was not sent to api.example.com');
  expect(local.requests).toEqual([]);
});
