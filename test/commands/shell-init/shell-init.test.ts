import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guides } from '../../../src/commands/help/guides.ts';
import { commandOf, keySequence, widgetScript } from '../../../src/commands/shell-init/run.ts';
import { Failure } from '../../../src/failure.ts';
import { keys } from '../../../src/settings/definitions.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { expectForAll, fc } from '../../support/properties.ts';
import { delta, done, stream } from '../../support/raw-replies.ts';
import { runOn } from '../../support/serve.ts';
import { describeWidget, shellsUnderTest } from '../../support/shell-widget.ts';

// Covers the installation in docs/editors.md and its removal in docs/install.md.

for (const shell of shellsUnderTest.filter(({ name }) => name === 'bash')) describeWidget(shell);

test.each(['bash', 'zsh'])('natter help uninstall removes both scripts of %s', async (shell) => {
  const scripts = await Promise.all([
    runInMemory(['completion', shell]),
    runInMemory(['shell-init', shell]),
  ]);
  const home = temporaryHome();
  const file = join(home, `.${shell}rc`);
  const text = scripts.map(({ stdout }) => stdout).join('alias b=c\n');
  writeFileSync(file, `# natter was here\n${text}alias d=e\n`);
  const guide = guides.uninstall.split('\n');
  const lines = guide.filter((one) => one.startsWith('$ sed ')).map((one) => one.slice(2));
  expect(lines.length).toBe(2);
  const typed = lines.map((line) => line.replace(/~\/\.\w+rc$/, `~/.${shell}rc`)).join('\n');
  execFileSync('sh', ['-c', typed], { env: { ...process.env, HOME: home } });
  expect(readFileSync(file, 'utf8')).toBe('# natter was here\nalias b=c\nalias d=e\n');
  expect(readFileSync('docs/install.md', 'utf8')).toContain(`\n${lines.join('\n')}\n`);
});

const suggest = ['shell-init', 'bash', '--suggest'];

test('--suggest prints the command, and sends only the contract fields', async () => {
  const result = await runOn([stream(delta('`ls -S`'), done)], suggest, {
    input: 'largest files first\n',
  });
  expect(result).toMatchObject({ code: 0, stdout: 'ls -S\n', stderr: '' });
  const [body] = result.server.bodies();
  expect(Object.keys(body ?? {})).toEqual(['model', 'messages', 'stream']);
  expect(body?.messages[0]?.content).toContain('bash on ');
  expect(body?.messages[1]).toEqual({ role: 'user', content: 'largest files first' });
});

test.each([
  ['an empty line', '  ', 2, 'natter: the command line is empty\n'],
  ['no service', 'x', 3, /^natter: no service is configured \(.*natter auth login.*\)\n$/],
])('--suggest with %s fails with one line', async (_, input, code, line) => {
  expectFailure(await runInMemory(suggest, { input }), code, line);
});

test('--suggest with a reply of the sandbox that is no command fails with one line', async () => {
  const result = await runInMemory([...suggest, '--sandbox'], { input: 'hi' });
  expectFailure(result, 14, /^natter: the answer is not a command: it has \d+ lines \(.*\)\n$/);
});

test('--explain sends the command and its status, and saves nothing', async () => {
  const env = { HOME: temporaryHome() };
  const replies = [stream(delta('It is missing.'), done)];
  const options = { env, input: 'nosuch {{stdin}}\n' };
  const explain = ['shell-init', 'zsh', '--explain', '127'];
  const { code, stdout, server } = await runOn(replies, explain, options);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'It is missing.\n' });
  expect(server.requests[0]?.body).toContain('Command:\\nnosuch {{stdin}}\\n\\nExit status: 127');
  expect((await runInMemory(['conversations', 'list', '--json'], { env })).stdout).toBe('[]\n');
});

test.each([
  ['0', 'the last command did not fail: its exit status is 0'],
  ['many', '--explain must be an exit status, not "many"'],
])('--explain %s is a usage failure', async (status, message) => {
  const words = ['shell-init', 'bash', '--explain', status];
  expectFailure(await runInMemory(words, { input: 'x' }), 2, message);
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
  expectFailure(await runInMemory(['shell-init', 'bash', ...words]), 2, message);
});

const raw = String.raw;

test.each([
  ['alt-m', raw`\em`, '^[m', raw`\em`, 'Alt+m'],
  ['alt-/', raw`\e/`, '^[/', raw`\e/`, 'Alt+/'],
  ['ctrl-g', raw`\C-g`, '^G', raw`\cg`, 'Ctrl+g'],
  ['ctrl-x m', raw`\C-xm`, '^Xm', raw`\cxm`, 'Ctrl+x,m'],
  ['ctrl-x ctrl-n', raw`\C-x\C-n`, '^X^N', raw`\cx\cn`, 'Ctrl+x,Ctrl+n'],
  ['f4', raw`\eOS`, '^[OS', raw`\eOS`, 'F4'],
  ['f12', raw`\e[24~`, '^[[24~', raw`\e\[24~`, 'F12'],
])('%s is written as each shell needs it', (key, bash, zsh, fish, powershell) => {
  expect(keySequence(key, 'bash')).toBe(bash);
  expect(keySequence(key, 'zsh')).toBe(zsh);
  expect(keySequence(key, 'fish')).toBe(fish);
  expect(keySequence(key, 'powershell')).toBe(powershell);
  expect(keys.parse(key.toUpperCase())).toBe(key);
});

test('a key of the terminal, a quote and a letter are no keys', () => {
  const wrong = "ctrl-c ctrl-d ctrl-m ctrl-j alt-[ alt-' m f13 ctrl-x enter".split(' ');
  expect(wrong.filter((key) => keys.parse(key) !== undefined)).toEqual([]);
});

test.each([
  ['ls -la', 'ls -la'],
  ['  ls -la\n\n', 'ls -la'],
  ['`ls -la`', 'ls -la'],
  ['$ ls -la', 'ls -la'],
  ['echo $HOME', 'echo $HOME'],
  ['```\nls\n```', 'ls'],
  ['```bash\nls -la\n```\n', 'ls -la'],
  ['Here it is:\n\n```sh\nls -la\n```\nIt lists files.', 'ls -la'],
  ['```sh\nls', 'ls'],
  ['~~~\nls\n~~~', 'ls'],
  ['```sh\na\nb\n```\n```sh\nc\n```', 'a\nb'],
  ['a |\n  b', 'a |\n  b'],
  ['a \\\n  b', 'a \\\n  b'],
  ['for f in *; do\n  echo $f\ndone', 'for f in *; do\n  echo $f\ndone'],
  ['cat <<EOF\nhello\nEOF', 'cat <<EOF\nhello\nEOF'],
  ['a\r\n| b', 'a\n| b'],
  ['a\tb', 'a    b'],
  ['ls\u001B[31m -la\u0007\u0003', 'ls -la'],
  ['ls \u202E-la\u200B', 'ls -la'],
  ['echo "größer 日本"', 'echo "größer 日本"'],
])('the command of %j is %j', (answer, command) => {
  expect(commandOf(answer)).toBe(command);
});

test.each([
  ['', 'it is empty'],
  [' \n\u001B[2K\n', 'it is empty'],
  ['```sh\n```', 'it is empty'],
  ['Sure!\nls', 'it has 2 lines'],
  ['You can use ls.\n\nIt lists files.', 'it has 3 lines'],
  ['a'.repeat(9000), 'it is too long'],
])('%j has no command', (answer, problem) => {
  expect(() => commandOf(answer)).toThrow(`the answer is not a command: ${problem}`);
});

/** The command, or nothing for an answer without one. */
function tryCommandOf(answer: string): string {
  try {
    return commandOf(answer);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'no_answer') return '';
    throw error;
  }
}

test('no answer brings a control character other than a line end', () => {
  expectForAll(fc.string({ unit: 'binary', maxLength: 60 }), (answer) => {
    expect(tryCommandOf(answer)).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });
});

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

test.each(shells)('the script of %s is ASCII, and passes no text as an argument', (shell) => {
  const call = `natter shell-init ${shell} --profile work`;
  const script = widgetScript(shell, call, { suggest: 'alt-m', explain: 'f4' });
  expect(script).toMatch(/^[\n\x20-\x7E]+$/);
  expect(script).toContain(`${call} --suggest`);
  expect(script).toContain(`${call} --explain `);
  const calls = script.split('\n').filter((line) => line.includes(call));
  expect(calls).toHaveLength(2);
  for (const line of calls) {
    expect(line).toMatch(/\| (?:command )?natter shell-init/);
    expect(line.split(call)[1]).not.toMatch(/BUFFER|READLINE_LINE|history|\$line|\$last/);
  }
});

/** `trap -p` prints the earlier trap of the shell, which is the only text that is evaluated. */
test.each(shells)('the script of %s evaluates only traps', (shell) => {
  const call = 'natter shell-init x';
  const script = widgetScript(shell, call, { suggest: 'alt-m', explain: 'alt-i' });
  const evaluated = script.match(/\beval\b.*|Invoke-Expression/g) ?? [];
  expect(evaluated.filter((text) => !text.startsWith('eval "$saved"'))).toEqual([]);
  expect(evaluated).toHaveLength(shell === 'bash' ? 2 : 0);
  const unbound = widgetScript(shell, call, { suggest: 'none', explain: 'none' });
  expect(unbound).not.toMatch(/bind -m|bindkey|bind -M|Set-PSReadLineKeyHandler/);
});
