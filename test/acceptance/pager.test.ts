import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { binary } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';

/** A pager that names itself, shows the first line of its input, and waits for Enter. */
function writePager(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'natter-pager-')), 'pager');
  const script = `#!/bin/sh
echo "LESS is $LESS, key is \${NATTER_API_KEY-none}"
head -n 1
cat > /dev/null
trap 'echo interrupted' INT
echo "paged with \${1:-no word}"
read answer < /dev/tty || read answer < /dev/tty
echo "end of the pager"
`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

const whole = await runInMemory(['--help']);

test.each([
  ['--help', ['--help']],
  ['a topic by the full program', ['--quiet', 'help', 'settings']],
])('%s that is longer than the terminal is shown in the pager', async (_name, words) => {
  const env = { NATTER_PAGER: `${writePager()} -x`, NATTER_API_KEY: 'sk-of-the-user' };
  const session = openTerminal(words, { env });
  const text = await session.waitFor(/paged with -x/);
  expect(text).toContain('LESS is FRX, key is none');
  session.type('\r');
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toMatch(/end of the pager$/);
  expect(await session.transcript()).not.toContain('General options:');
});

test('Ctrl+C belongs to the pager', async () => {
  const session = openTerminal(['--help'], { env: { PAGER: writePager() } });
  await session.waitFor(/paged with no word/);
  session.type('\u0003');
  await session.waitFor(/interrupted/);
  session.type('\r');
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toContain('end of the pager');
});

test('a pager with shell syntax is run by a shell', async () => {
  const env = { PAGER: 'sed -n 1p | tr a-z A-Z' };
  const session = openTerminal(['--help'], { env });
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toBe(whole.stdout.split('\n')[0]?.toUpperCase());
});

test.each<[string, Record<string, string>]>([
  ['cat', { PAGER: 'cat' }],
  ['empty', { NATTER_PAGER: '', PAGER: 'false' }],
  ['for a dumb terminal', { TERM: 'dumb', PAGER: 'false' }],
  ['a program that does not exist', { PAGER: '/no/such/pager' }],
])('help is printed directly when the pager is %s', async (_name, env) => {
  const session = openTerminal(['--help'], { env });
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toBe(whole.stdout.trimEnd());
});

test('help is printed after the message of a shell that cannot run the pager', async () => {
  const session = openTerminal(['--help'], { env: { PAGER: '/no/such/pager | cat; exit 127' } });
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toContain(whole.stdout.trimEnd());
});

test('help that fits the terminal is printed directly', async () => {
  const session = openTerminal(['-h'], { env: { PAGER: 'false' } });
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.screen()).toBe((await runInMemory(['-h'])).stdout.trimEnd());
  const tall = openTerminal(['--help'], { rows: 200, env: { PAGER: 'false' } });
  await tall.exit;
  expect(await tall.screen()).toBe(whole.stdout.trimEnd());
});

test('a pipe has no pager', async () => {
  const { code, stdout } = await runInMemory(['--help'], { env: { PAGER: 'false' } });
  expect(code).toBe(0);
  expect(stdout).toBe(whole.stdout);
  const session = openTerminal([], {
    shell: `PAGER=false ${process.execPath} ${binary} --help | head -n 1`,
  });
  await session.exit;
  expect(await session.transcript()).toBe(whole.stdout.split('\n')[0]);
});
