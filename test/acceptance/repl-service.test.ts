import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
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
