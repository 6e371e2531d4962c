import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { temporaryHome } from '../support/natter.ts';
import { keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

let service: Sandbox;
beforeAll(async () => {
  service = await startSandbox({ clock: systemClock });
});
afterAll(() => service.close());

/** Without the sentence of the sandbox that names its key. */
const withoutAdvice = (output: string) => output.replaceAll(/takes\s+sandbox-key/g, '');

describe('the REPL and its service', () => {
  test('the first run connects a service, checks its key, and stores both', async () => {
    const env = sharedHome();
    const first = await openRepl([], { env });
    await screenWith(first, /no service is configured yet/);
    first.type('1');
    await screenWith(first, /base URL:/);
    first.type(service.url + keys.enter);
    await screenWith(first, /API key:/);
    first.type(`wrong-key${keys.enter}`);
    await screenWith(first, /requires a valid API key[^]*enter a different key here/);
    first.type(sandboxKey + keys.enter);
    await screenWith(first, /the service is now/);
    first.type(`[sandbox echo] hello${keys.enter}`);
    await first.waitFor(/\nhello\n/);
    expect(await leave(first)).toBe(0);
    expect(withoutAdvice(first.output())).not.toMatch(new RegExp(`${sandboxKey}|wrong-key`));
    const second = await openRepl([], { env });
    second.type(`[sandbox echo] again${keys.enter}`);
    expect(await second.waitFor(/\nagain\n/)).not.toContain('no service is configured');
    expect(await leave(second)).toBe(0);
  });

  test('the first run uses the sandbox, without storing anything', async () => {
    const env = sharedHome();
    const first = await openRepl([], { env });
    first.type(keys.escape);
    await screenWith(first, /using the sandbox/);
    expect(await leave(first)).toBe(0);
    const second = await openRepl([], { env });
    await screenWith(second, /no service is configured yet/);
    second.type('3');
    await screenWith(second, /using the sandbox/);
    expect(await leave(second)).toBe(0);
  });

  test('a refused key can be replaced at once, and the prompt stays in the composer', async () => {
    const env = { NATTER_BASE_URL: service.url, NATTER_API_KEY: 'bad-key' };
    const terminal = await openRepl([], { env });
    terminal.type(`[sandbox echo] hello${keys.enter}`);
    await screenWith(terminal, /API key:/);
    terminal.type(sandboxKey + keys.enter);
    await screenWith(terminal, /NATTER_API_KEY is set and overrides[^]*› \[sandbox echo\] hello\n/);
    terminal.type(keys.enter);
    await terminal.waitFor(/\nhello\n/);
    expect(await leave(terminal)).toBe(0);
  });

  test('K2 line mode reads a key with hidden input', async () => {
    const env = { NATTER_BASE_URL: service.url, NATTER_API_KEY: 'bad-key', TERM: 'dumb' };
    const terminal = openTerminal([], { env });
    await terminal.waitFor(/You:/);
    terminal.type('[sandbox echo] hello\n');
    await terminal.waitFor(/not shown; empty for none\): $|none\):$/m);
    terminal.type(`${sandboxKey}\r`);
    await terminal.waitFor(/the service is now[^]*You:/);
    terminal.type('[sandbox echo] hello\n');
    await terminal.waitFor(/origin: hello\n/);
    expect(await leave(terminal)).toBe(0);
    expect(withoutAdvice(terminal.output())).not.toContain(sandboxKey);
  });

  test('T4 a hostile error message cannot control the terminal', async () => {
    const terminal = await openRepl(['--sandbox', '--retries', '0']);
    terminal.type(
      `[sandbox 400 body="{\\"error\\":\\"a\\u001b[2Jb\\u001b]0;x\\u0007c\\"}"]${keys.enter}`,
    );
    await screenWith(terminal, /Enter sends it again|400/);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toMatch(/\u001B\[2J|\u001B\]0;/);
  });
});

/** Writes the active resources of the process at SIGUSR2. */
const observer = `
process.on('SIGUSR2', () => {
  const { writeFileSync, renameSync } = require('node:fs');
  writeFileSync(process.env.OBSERVED + '.draft', JSON.stringify(process.getActiveResourcesInfo()));
  renameSync(process.env.OBSERVED + '.draft', process.env.OBSERVED);
});
`;

/** A REPL whose active resources can be read. */
async function openObserved() {
  const folder = temporaryHome();
  const [script, observed] = [join(folder, 'observer.cjs'), join(folder, 'observed')];
  writeFileSync(script, observer);
  const env = { NODE_OPTIONS: `--require=${script}`, OBSERVED: observed };
  const shell = `bash -c 'echo "pid $$"; exec $NATTER --sandbox'`;
  const session = openTerminal([], { shell, env });
  const pid = Number(/pid (\d+)/.exec(await session.waitFor(/›/))?.[1]);
  const resources = async (): Promise<readonly string[]> => {
    rmSync(observed, { force: true });
    process.kill(pid, 'SIGUSR2');
    await vi.waitUntil(() => existsSync(observed), { timeout: 60_000, interval: 20 });
    return JSON.parse(readFileSync(observed, 'utf8')) as readonly string[];
  };
  return { session, resources };
}

const timers = (resources: readonly string[]) =>
  resources.filter((name) => name === 'Timeout' || name === 'Immediate');

test('an idle session runs no timer, before and after an answer', async () => {
  const { session, resources } = await openObserved();
  const rests = async () => {
    await expect.poll(async () => timers(await resources())).toEqual([]);
  };
  await rests();
  session.type('hello\r');
  await session.waitFor(/origin · .* tokens/);
  session.type('a draft');
  await session.waitFor(/› a draft/);
  await rests();
  session.kill('SIGKILL');
});

test('a fast answer updates the terminal at most 31 times a second', async () => {
  // Before the start, because updates may be read late.
  const begin = performance.now();
  const session = openTerminal(['--sandbox', '-i', '[sandbox markdown rate=500] hello']);
  await session.waitFor(/›/);
  await session.waitFor(/never closed[^]*\/128K/);
  const seconds = (performance.now() - begin) / 1000;
  const updates = session.output().split('\u001B[?2026h').length - 1;
  expect(updates).toBeGreaterThan(5);
  // The first frame and the echo of the prompt are further updates.
  expect(updates).toBeLessThanOrEqual(31 * seconds + 10);
  session.kill('SIGKILL');
});

/** Types the lines into a conversation in line mode, each when the one before is done, and quits. */
async function converse(
  data: ReturnType<typeof createDataFolder>,
  ...lines: readonly (readonly [typed: string, shown: RegExp])[]
) {
  const session = openTerminal(['--sandbox', '--accessible'], { env: data.env });
  await session.waitFor(/You:/);
  for (const [typed, shown] of lines) {
    session.type(`${typed}\r`);
    await session.waitFor(shown);
  }
  session.type('/quit\r');
  expect((await session.exit).exitCode).toBe(0);
}

const next = ['-c', '--sandbox', '--dry-run', 'next'];

test('X18: natter -c keeps the model after /compare', async () => {
  const data = createDataFolder();
  await converse(
    data,
    ['[sandbox echo] hello', /^origin: hello\nYou:/m],
    ['/compare', /version 2 of 2 \(1 by origin, 2 by nextgen\); \/version switches/],
  );
  const { stdout } = await data.run(next);
  expect(JSON.parse(stdout)).toMatchObject({ request: { body: { model: 'origin' } } });
});

test('X19: after /undo, natter -c, show, export and last omit the exchange', async () => {
  const data = createDataFolder();
  await converse(
    data,
    ['[sandbox echo] first', /^origin: first\nYou:/m],
    ['[sandbox echo] second', /^origin: second\nYou:/m],
    ['/undo', /the prompt "\[sandbox echo\] second" and its answer are removed/],
  );
  const { stdout } = await data.run(next);
  expect(stdout).toContain('first');
  expect(stdout).not.toContain('second');
  for (const words of [
    ['conversations', 'show', 'latest'],
    ['conversations', 'export', 'latest'],
    ['last'],
  ]) {
    const shown = await data.run(words);
    expect(shown.stdout).toContain('first');
    expect(shown.stdout).not.toContain('second');
  }
});

test.each<[string, readonly string[]]>([
  ['a conversation', []],
  ['line mode', ['--accessible']],
])('/compare in %s shows the second answer and the figures of both', async (_, words) => {
  const session = openTerminal(['--sandbox', ...words], { columns: 120 });
  await session.waitFor(/type a prompt|You:/);
  session.type('[sandbox echo] hello\r');
  await session.waitFor(/^(?:origin: )?hello$/m);
  session.type('/compare nextgen\r');
  await session.waitFor(
    /^(?:nextgen: )?hello\n\s*(?:natter:\n)?version 1: origin(?: ·|,) .*\nversion 2: nextgen(?: ·|,) /m,
  );
  await session.waitFor(
    /version 2(?:\/| of )2 \(1 (?:by )?origin, 2 (?:by )?nextgen\); \/version switches/,
  );
  session.type('/quit\r');
  expect((await session.exit).exitCode).toBe(0);
});
