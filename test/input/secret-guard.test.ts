import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locateSecrets, openRedaction } from '../../src/input/secret-guard.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { parseResults } from '../support/batch.ts';
import { expectFailure, runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { openRemote, secretLog } from '../support/remote-service.ts';
import { githubToken, privateKey, random } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

// docs/privacy.md has these messages.
const hint =
  '  --redact sends placeholders and puts the secrets back in the answer; --allow-secrets sends the text as it is\n';

test('piped text with a secret is refused with its kind and line, and nothing is sent', async () => {
  const { server, env, host } = await openRemote();
  const result = await runInMemory(['review'], { env, input: secretLog });
  const problem = `natter: standard input line 2 has a GitHub token, so it was not sent to ${host}\n`;
  expectFailure(result, 17, problem + hint);
  expect(server.requests).toEqual([]);
});

test('an attached file with several secrets is refused, with --json as a document', async () => {
  const { server, env, home } = await openRemote();
  const file = join(home, 'log.txt');
  writeFileSync(file, `${privateKey()}\n${secretLog}`);
  const { code, stderr } = await runInMemory(['--json', '-f', file, 'review'], { env });
  expect(code).toBe(17);
  const { error } = JSON.parse(stderr) as { error: { kind: string; message: string } };
  expect(error.kind).toBe('secrets');
  expect(error.message).toContain(`${file} line 1 has a private key, and 1 more secret`);
  expect(server.requests).toEqual([]);
});

test('--allow-secrets and the setting off send the text as it is', async () => {
  const { server, env } = await openRemote([[streamed('a')], [streamed('b')]]);
  const input = secretLog;
  expect(await runInMemory(['--allow-secrets', 'x'], { env, input })).toMatchObject({ code: 0 });
  const off = { ...env, NATTER_SECRET_GUARD: 'off' };
  expect(await runInMemory(['x'], { env: off, input })).toMatchObject({ code: 0 });
  for (const { body } of server.requests) expect(body).toContain(githubToken);
});

test('what stays on this machine is not checked', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { NATTER_BASE_URL: server.url };
  expect(await runInMemory(['x'], { env, input: secretLog })).toMatchObject({ code: 0 });
  expect(await runInMemory(['--sandbox', 'x'], { input: secretLog })).toMatchObject({ code: 0 });
  const url = ['--base-url', 'https://api.example.com'];
  const dry = await runInMemory(['--dry-run', ...url, 'x'], { input: secretLog });
  expect(dry.code).toBe(0);
});

test('a typed prompt is not checked', async () => {
  const { server, env } = await openRemote();
  expect(await runInMemory([`what is ${githubToken}?`], { env })).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(1);
});

test('--redact sends a placeholder, restores the secret, and stores neither it nor the restored answer', async () => {
  const { server, env, home } = await openRemote([[streamed('unused')]]);
  const first = await runInMemory(['--redact', 'x'], { env, input: secretLog });
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).toContain(
    'placeholders replace secrets: standard input line 2 has a GitHub token',
  );
  expect(server.requests[0]?.body).toMatch(/login with REDACTED_GITHUB_TOKEN_[0-9A-F]{6} done/);
  expect(server.requests[0]?.body).not.toContain(githubToken);
  const folder = join(home, '.local/share/natter/conversations');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(files.join('')).toContain('REDACTED_GITHUB_TOKEN_');
  expect(files.join('')).not.toContain(githubToken);
});

test.each([[[]], [['--json']], [['--jsonl']]])(
  'with --redact the sandbox gets placeholders, and the answer has the secret: %j',
  async (words) => {
    const run = ['--sandbox', '--redact', ...words, '[sandbox echo] repeat'];
    const { stdout } = await runInMemory(run, { input: secretLog });
    expect(stdout).toContain(githubToken);
    expect(stdout).not.toContain('REDACTED_');
  },
);

test('--redact and --allow-secrets cannot be used together', async () => {
  const result = await runInMemory(['--redact', '--allow-secrets', 'x'], { input: secretLog });
  expectFailure(result, 2, "'--redact' cannot be used with option '--allow-secrets'");
});

test('a comparison is refused, too, and --redact restores each answer', async () => {
  const { server, env } = await openRemote();
  const refused = await runInMemory(['compare', 'x'], { env, input: secretLog });
  expect(refused).toMatchObject({ code: 17, stdout: '' });
  // It asks for the models before it reads the input.
  expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  const words = ['compare', '--sandbox', '--redact', '--json', '[sandbox echo] x'];
  const { code, stdout } = await runInMemory(words, { input: secretLog });
  expect(code).toBe(0);
  expect(stdout.split(githubToken)).toHaveLength(3);
});

test('the text of a prompt file is checked, too', async () => {
  const { server, env, home, host } = await openRemote();
  writeFileSync(join(home, 'review.md'), secretLog);
  const result = await runInMemory(['run', './review.md'], { env, cwd: home });
  expectFailure(result, 17, `review.md line 2 has a GitHub token, so it was not sent to ${host}`);
  expect(server.requests).toEqual([]);
});

test('the guard checks text for the services of --fallback, too', async () => {
  const local = await serve([[streamed('Hello')]]);
  const home = temporaryHome();
  const set = ['config', 'set', 'base-url', 'https://api.example.com', '--profile', 'far'];
  await runInMemory(set, { env: { HOME: home } });
  const env = { HOME: home, NATTER_BASE_URL: local.url };
  const result = await runInMemory(['--fallback', 'far:origin', 'x'], {
    env,
    input: secretLog,
  });
  expectFailure(result, 17, 'it was not sent to api.example.com');
  expect(local.requests).toEqual([]);
});

const prompts = `hello\nis ${githubToken} valid?\nbye\n`;

function batchFile(home: string) {
  const file = join(home, 'prompts.txt');
  writeFileSync(file, prompts);
  return file;
}

test('a batch file with a secret is refused before anything is sent', async () => {
  const { server, env, home } = await openRemote();
  const file = batchFile(home);
  const result = await runInMemory(['batch', file], { env });
  expectFailure(result, 17, `${file} line 2 has a GitHub token, so it was not sent`);
  expect(server.requests).toEqual([]);
});

test('an item of a pipe with a secret fails, and the others are sent', async () => {
  const { server, env } = await openRemote(Array.from({ length: 2 }, () => [streamed('a')]));
  const { code, stdout } = await runInMemory(['batch'], { env, input: prompts });
  expect(code).toBe(17);
  expect(server.requests).toHaveLength(2);
  expect(server.requests.map(({ body }) => body).join('')).not.toContain(githubToken);
  expect(parseResults(stdout)[1]).toMatchObject({ error: { kind: 'secrets' } });
});

test('a batch with --redact sends placeholders, and its results have the secrets', async () => {
  const { server, env, home } = await openRemote(Array.from({ length: 3 }, () => [streamed('a')]));
  const file = batchFile(home);
  expect(await runInMemory(['batch', '--redact', file], { env })).toMatchObject({ code: 0 });
  const bodies = server.requests.map(({ body }) => body).join('');
  expect(bodies).toContain('is REDACTED_GITHUB_TOKEN_');
  expect(bodies).not.toContain(githubToken);
  writeFileSync(file, `[sandbox echo] ${githubToken}\n`);
  const { stdout } = await runInMemory(['batch', '--sandbox', '--redact', file]);
  expect(JSON.parse(stdout)).toMatchObject({ content: githubToken });
});

test('a dry run with --redact shows the placeholders', async () => {
  const { env, home } = await openRemote();
  const words = ['batch', '--redact', '--dry-run', batchFile(home)];
  const { code, stdout } = await runInMemory(words, { env });
  expect(code).toBe(0);
  expect(stdout).toContain('is REDACTED_GITHUB_TOKEN_');
  expect(stdout).not.toContain(githubToken);
});

const linesOf = (content: string) =>
  locateSecrets({ secrets: createSecrets({}) }, { name: 'a.log', content }).map(({ line }) => line);

test('each secret has its line', () => {
  const text = `${githubToken}\n\n${githubToken} ${githubToken}\n${githubToken}`;
  expect(linesOf(text)).toEqual([1, 3, 3, 4]);
});

test('the lines of many secrets are counted in linear time', () => {
  const count = 30_000;
  // In quadratic time, this would take more than 20 seconds.
  const lines = linesOf(`${githubToken}\n`.repeat(count));
  expect(lines.length).toBe(count);
  expect(lines.at(-1)).toBe(count);
});

function setup() {
  let next = 0;
  return openRedaction({ random: () => (next += 0.0123), secrets: createSecrets({}) });
}

const other = ['gh', 's_', random(40)].join('');

test('each secret has a placeholder that names its kind, in all texts', () => {
  const { redact } = setup();
  const first = redact(`a ${githubToken} b ${other} c ${githubToken}`);
  const [, one, two, again] = /^a (\w+) b (\w+) c (\w+)$/.exec(first) ?? [];
  expect(one).toMatch(/^REDACTED_GITHUB_TOKEN_[0-9A-F]{6}$/);
  expect(two).not.toBe(one);
  expect(again).toBe(one);
  expect(redact(`x ${githubToken}`)).toBe(`x ${one}`);
});

test('restoring is the inverse of redacting', () => {
  const { redact, restoreText } = setup();
  const text = `$& ${githubToken}\n${privateKey()}\n${other}`;
  const redacted = redact(text);
  expect(redacted).not.toContain(githubToken.slice(0, 8));
  expect(restoreText(redacted)).toBe(text);
});

test('a stream restores a placeholder wherever it is cut', () => {
  const { redact, createStream } = setup();
  const text = `RED REDACTED_ ${githubToken}${other} ${privateKey()} R`;
  const many = redact(`${githubToken}\n${other}\n`.repeat(4)).replaceAll('\n', '');
  const answer = redact(text) + many;
  const whole = text + `${githubToken}${other}`.repeat(4);
  for (let size = 1; size <= answer.length; size += 1) {
    const stream = createStream();
    let shown = '';
    for (let at = 0; at < answer.length; at += size)
      shown += stream.write(answer.slice(at, at + size));
    expect(shown + stream.end()).toBe(whole);
  }
});

test('only text that may be a placeholder waits', () => {
  const { redact, createStream } = setup();
  const placeholder = redact(githubToken);
  const stream = createStream();
  expect(stream.write('an ordinary sentence. ')).toBe('an ordinary sentence. ');
  expect(stream.write(placeholder.slice(0, 12))).toBe('');
  expect(stream.write(' no')).toBe(`${placeholder.slice(0, 12)} no`);
  expect(stream.end()).toBe('');
});
