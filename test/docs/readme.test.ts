import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { openTerminal } from '../support/terminal.ts';
import { binary, cleanEnvironment } from '../support/natter.ts';

const readme = readFileSync('README.md', 'utf8');

/** Every line of every shell block. */
const commands = [...readme.matchAll(/```sh\n(?<block>[\s\S]*?)```/g)]
  .flatMap((match) => (match.groups?.['block'] ?? '').split('\n'))
  .filter((line) => line !== '');

/** Installing is what the test command itself has done; `.ci/run` runs these two lines as they stand. */
const installing = commands.filter((line) => line.startsWith('npm ci'));
const chatting = commands.filter((line) => line === 'natter');
const serving = commands.filter((line) => line.startsWith('natter sandbox'));
const running = commands.filter((line) => ![...installing, ...serving, ...chatting].includes(line));

/** What the examples expect to fail, and how. */
const exitCodes = new Map([['natter --sandbox "[sandbox fin cut-after=5] hello"', 11]]);

let sandbox: Sandbox;
let folder: string;

function writeTool(name: string, script: string): void {
  const path = join(folder, name);
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}

beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'natter-readme-'));
  writeFileSync(join(folder, 'README.md'), readme);
  writeTool('natter', `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`);
  // Stand-ins for programs that a fresh machine may not have.
  writeTool('git', '#!/bin/sh\necho "one line of a diff"\n');
  writeTool(
    'jq',
    `#!/bin/sh\nexec "${process.execPath}" -e 'process.stdin.pipe(process.stdout)'\n`,
  );
});

afterAll(() => sandbox.close());

async function runInShell(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = cleanEnvironment({
    NATTER_BASE_URL: sandbox.url,
    NATTER_API_KEY: sandboxKey,
    NATTER_CONFIG_DIR: join(folder, 'config'),
    NATTER_DATA_DIR: join(folder, 'data'),
  });
  const path = [folder, env['PATH']].join(delimiter);
  // The sandbox runs until a signal reaches it, so the shell must not stand between.
  const script = line.startsWith('natter sandbox') ? `exec ${line}` : line;
  const child = promisify(execFile)('/bin/sh', ['-c', script], {
    env: { ...env, PATH: path },
    cwd: folder,
  });
  child.child.stdin?.end(line.includes('auth login') ? sandboxKey : '');
  if (line.startsWith('natter sandbox'))
    child.child.stderr?.once('data', () => child.child.kill('SIGINT'));
  try {
    return { code: 0, ...(await child) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test('the README installs with the commands that CI runs', () => {
  expect(installing).toEqual(['npm ci && npx natter --sandbox "hello"', 'npm ci && npm test']);
  expect(readFileSync('.ci/run', 'utf8')).toContain('\nnpm ci && npm test\n');
});

test.each(running)('README: %s', async (line) => {
  const { code, stdout, stderr } = await runInShell(line);
  expect({ code, stderr }).toMatchObject({ code: exitCodes.get(line) ?? 0 });
  expect(stdout + stderr).not.toBe('');
});

test.each(serving)('README: %s', async (line) => {
  const { stderr } = await runInShell(line);
  expect(stderr).toContain('http://127.0.0.1:');
});

test.each(chatting)('README: %s', async () => {
  const env = { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey };
  const session = openTerminal([], { env });
  await session.waitFor(/type a prompt/);
  session.type('hello');
  await session.waitFor(/› hello/);
  session.type('\r');
  await session.waitFor(/your words: hello/);
  session.type('\u0004');
  expect((await session.exit).exitCode).toBe(0);
});
