import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { createDataFolder } from '../support/data-folder.ts';
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
