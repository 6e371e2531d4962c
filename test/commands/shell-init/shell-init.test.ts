// Covers the installation in docs/editors.md and its removal in docs/install.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guides } from '../../../src/commands/help/guides.ts';
import { runInMemory } from '../../support/in-memory.ts';
import { serviceAt, temporaryHome } from '../../support/natter.ts';
import { delta, done, json, stream } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';
import { describeWidget, shellsUnderTest } from '../../support/shell-widget.ts';

for (const shell of shellsUnderTest.filter(({ name }) => name === 'bash')) describeWidget(shell);

test.each(['bash', 'zsh'])(
  'the lines of natter help uninstall remove both scripts from the start file of %s',
  async (shell) => {
    const scripts = await Promise.all([
      runInMemory(['completion', shell]),
      runInMemory(['shell-init', shell]),
    ]);
    const home = temporaryHome();
    const file = join(home, `.${shell}rc`);
    const text = scripts.map(({ stdout }) => stdout).join('alias b=c\n');
    writeFileSync(file, `# natter was here\n${text}alias d=e\n`);
    const guide = (guides.uninstall ?? '').split('\n');
    const lines = guide.filter((one) => one.startsWith('$ sed ')).map((one) => one.slice(2));
    expect(lines.length).toBe(2);
    const typed = lines.map((line) => line.replace(/~\/\.\w+rc$/, `~/.${shell}rc`)).join('\n');
    execFileSync('sh', ['-c', typed], { env: { ...process.env, HOME: home } });
    expect(readFileSync(file, 'utf8')).toBe('# natter was here\nalias b=c\nalias d=e\n');
    expect(readFileSync('docs/install.md', 'utf8')).toContain(`\n${lines.join('\n')}\n`);
  },
);

const suggest = ['shell-init', 'bash', '--suggest'];

test('--suggest prints the command, and sends only the contract fields', async () => {
  const server = await serve([stream(delta('`ls -S`'), done)]);
  const result = await runInMemory(suggest, {
    env: serviceAt(server),
    input: 'largest files first\n',
  });
  expect(result).toMatchObject({ code: 0, stdout: 'ls -S\n', stderr: '' });
  const body = JSON.parse(server.requests[0]?.body ?? '') as {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  expect(Object.keys(body)).toEqual(['model', 'messages', 'stream']);
  expect(body.messages[0]?.content).toContain('bash on ');
  expect(body.messages[1]).toEqual({ role: 'user', content: 'largest files first' });
});

test.each([
  ['an empty line', '  ', 2, 'natter: the command line is empty\n'],
  ['no service', 'x', 3, /^natter: no service is configured \(.*natter auth login.*\)\n$/],
])('--suggest with %s fails with one line', async (_, input, code, line) => {
  const result = await runInMemory(suggest, { input });
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(line);
});

test('--suggest with a reply of the sandbox that is no command fails with one line', async () => {
  const { code, stdout, stderr } = await runInMemory([...suggest, '--sandbox'], { input: 'hi' });
  expect({ code, stdout }).toEqual({ code: 14, stdout: '' });
  expect(stderr).toMatch(/^natter: the answer is not a command: it has \d+ lines \(.*\)\n$/);
});

test('--suggest with the hostile reply of the sandbox prints no control character', async () => {
  const input = '[sandbox hostile]';
  const { code, stdout } = await runInMemory([...suggest, '--sandbox'], { input });
  expect({ code, stdout }).toEqual({ code: 14, stdout: '' });
});

test('--explain sends the command and its status, and saves nothing', async () => {
  const server = await serve([stream(delta('It is missing.'), done)]);
  const env = serviceAt(server, { HOME: temporaryHome() });
  const explain = ['shell-init', 'zsh', '--explain', '127'];
  const result = await runInMemory(explain, { env, input: 'nosuch {{stdin}}\n' });
  expect(result).toMatchObject({ code: 0, stdout: 'It is missing.\n' });
  expect(server.requests[0]?.body).toContain('Command:\\nnosuch {{stdin}}\\n\\nExit status: 127');
  expect((await runInMemory(['conversations', 'list', '--json'], { env })).stdout).toBe('[]\n');
});

test.each([
  ['0', 'the last command did not fail: its exit status is 0'],
  ['many', '--explain must be an exit status, not "many"'],
])('--explain %s is a usage failure, and nothing is sent', async (status, message) => {
  const server = await serve([[json(200, {})]]);
  const words = ['shell-init', 'bash', '--explain', status];
  const { code, stderr } = await runInMemory(words, { env: serviceAt(server), input: 'x' });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(server.connections()).toBe(0);
});

test('keys are set by an option, by a variable and by a setting', async () => {
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'shell-key', 'Ctrl+G'], { env });
  const { stdout } = await runInMemory(['shell-init', 'bash'], { env });
  expect(stdout).toContain(String.raw`-x '"\C-g": _natter_suggest'`);
  expect(stdout).toContain(String.raw`-x '"\ei": _natter_explain'`);
  const none = await runInMemory(['shell-init', 'zsh', '--key', 'ctrl-x m'], {
    env: { ...env, NATTER_SHELL_EXPLAIN_KEY: 'none' },
  });
  expect(none.stdout).toContain("bindkey -M emacs '^Xm' _natter_suggest");
  expect(none.stdout).not.toContain("' _natter_explain");
  expect(none.stdout).not.toContain('none:');
});

test.each([
  [['--key', 'ctrl-c'], '--key must be a key such as alt-m'],
  [['--key', "alt-'"], '--key must be a key such as alt-m'],
  [['--explain-key', 'alt-m'], 'both keys are alt-m'],
  [['--key', 'none', '--explain-key', 'none'], 'both keys are none\n  omit at most one key'],
  [['--suggest', '--explain', '1'], "'--suggest' cannot be used with option '--explain <status>'"],
  [['--profile', '$(x)'], '--profile is not a profile name'],
])('shell-init bash %j is a usage failure', async (words, message) => {
  const { code, stdout, stderr } = await runInMemory(['shell-init', 'bash', ...words]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('words after shell-init have a hint with the prompt', async () => {
  const { code, stderr } = await runInMemory(['shell-init', 'who', 'is', 'it']);
  expect(code).toBe(2);
  expect(stderr).toContain('for a prompt: natter chat shell-init who is it');
});
