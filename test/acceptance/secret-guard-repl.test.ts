import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryHome } from '../support/natter.ts';
import { openRemote, secretFile } from '../support/remote-service.ts';
import { keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { githubToken } from '../support/secret-shapes.ts';

const placeholder = /REDACTED_GITHUB_TOKEN_[0-9A-F]{6}/;

test.each([
  ['1', placeholder],
  ['2', new RegExp(githubToken)],
])('a conversation asks about secrets in a mentioned file; choice %s', async (choice, sent) => {
  const { server, env, home } = await openRemote();
  const terminal = await openRepl([], { env, columns: 120 });
  terminal.type(`review @${secretFile(home)}${keys.enter}`);
  await screenWith(
    terminal,
    /notes.txt line 2 has a GitHub token \(ghp_…\)[^]*the files have secrets/,
  );
  expect(server.requests).toEqual([]);
  terminal.type(choice);
  await screenWith(terminal, /Hello/);
  expect(server.requests[0]?.body).toMatch(sent);
  expect(await leave(terminal)).toBe(0);
});

test('a conversation sends nothing after the third choice, and asks again', async () => {
  const { server, env, home } = await openRemote();
  const terminal = await openRepl(['-f', secretFile(home)], { env, columns: 120 });
  terminal.type(`review${keys.enter}`);
  await screenWith(terminal, /the files have secrets/);
  terminal.type('3');
  await screenWith(terminal, /nothing was sent[^]*› review/);
  terminal.type(keys.enter);
  await screenWith(terminal, /nothing was sent[^]*the files have secrets/);
  terminal.type(keys.escape);
  expect(server.requests).toEqual([]);
  terminal.kill('SIGTERM');
  await terminal.exit;
});

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
