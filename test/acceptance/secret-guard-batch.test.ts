import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { openRemote, secretFile } from '../support/remote-service.ts';
import { keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { githubToken } from '../support/secret-shapes.ts';

const prompts = `hello\nis ${githubToken} valid?\nbye\n`;

function batchFile(home: string) {
  const file = join(home, 'prompts.txt');
  writeFileSync(file, prompts);
  return file;
}

test('a batch file with a secret is refused before anything is sent', async () => {
  const { server, env, home } = await openRemote();
  const file = batchFile(home);
  const { code, stdout, stderr } = await runInMemory(['batch', file], { env });
  expect({ code, stdout }).toEqual({ code: 17, stdout: '' });
  expect(stderr).toContain(`${file} line 2 has a GitHub token, so it was not sent`);
  expect(server.requests).toEqual([]);
});

test('a batch with --allow-secrets sends all items', async () => {
  const { server, env, home } = await openRemote(Array.from({ length: 3 }, () => [streamed('a')]));
  const words = ['batch', '--allow-secrets', batchFile(home)];
  expect(await runInMemory(words, { env })).toMatchObject({ code: 0 });
  expect(server.requests.filter(({ body }) => body.includes(githubToken))).toHaveLength(1);
});

test('an item of a pipe with a secret fails, and the others are sent', async () => {
  const { server, env } = await openRemote(Array.from({ length: 2 }, () => [streamed('a')]));
  const { code, stdout } = await runInMemory(['batch'], { env, input: prompts });
  expect(code).toBe(17);
  expect(server.requests).toHaveLength(2);
  expect(server.requests.map(({ body }) => body).join('')).not.toContain(githubToken);
  const results = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(results[1]).toMatchObject({ error: { kind: 'secrets' } });
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
