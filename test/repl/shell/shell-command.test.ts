import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { runInShell, shellWords } from '../../../src/repl/shell/shell-command.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

describe('the shell of a command', () => {
  test.each([
    ['linux', { SHELL: '/bin/zsh' }, '/bin/sh', '/bin/zsh'],
    ['darwin', {}, '/bin/sh', '/bin/sh'],
  ] as const)('on %s is $SHELL, else /bin/sh', (platform, environment, program, shell) => {
    const found = shellWords('echo "a b"', { platform, environment });
    expect(found.program).toBe(program);
    expect(found.words.slice(-2)).toEqual([shell, 'echo "a b"']);
  });

  test.each([
    [{}, 'cmd.exe'],
    [{ ComSpec: String.raw`C:\Windows\System32\cmd.exe` }, String.raw`C:\Windows\System32\cmd.exe`],
    [{ PSModulePath: String.raw`C:\Program Files\WindowsPowerShell\Modules` }, 'cmd.exe'],
    [
      { PSModulePath: String.raw`C:\Users\a\Documents\WindowsPowerShell\Modules;C:\x` },
      'powershell.exe',
    ],
    [{ PSModulePath: String.raw`C:\Users\a\Documents\PowerShell\Modules;C:\x` }, 'pwsh.exe'],
  ])('on Windows is PowerShell if natter runs in it, else cmd.exe (%j)', (environment, program) => {
    expect(shellWords('dir', { platform: 'win32', environment }).program).toBe(program);
  });

  test('gets the command unquoted on Windows', () => {
    const { words, isVerbatim } = shellWords('echo "a b"', { platform: 'win32', environment: {} });
    expect([words.at(-1), isVerbatim]).toEqual(['"echo "a b""', true]);
  });
});

describe.runIf(process.platform !== 'win32')('a command', () => {
  const environment = { PATH: process.env['PATH'], SHELL: '/bin/sh' };

  const processState = (id: string) =>
    spawnSync('ps', ['-o', 'stat=', '-p', id.trim()]).stdout.toString();
  /** Until it is collected, a process that has ended is a zombie. */
  const ended = /^(?:Z.*\n)?$/;

  async function outputOf(command: string, more: Record<string, string> = {}) {
    let output = '';
    const { signal } = new AbortController();
    const end = await runInShell(
      command,
      { signal, onOutput: async (text) => void (output += text) },
      {
        environment: { ...environment, ...more },
        platform: process.platform,
        clock: systemClock,
      },
    );
    return { output, end };
  }

  test('has both outputs in order', async () => {
    const { output } = await outputOf('for i in 1 2 3; do echo out $i; echo err $i >&2; done');
    expect(output).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
  });

  test.each([
    ['exit 7', { code: 7, killedBy: undefined, isOpen: false }],
    ['kill -9 $$', { code: undefined, killedBy: 'SIGKILL', isOpen: false }],
  ])('reports how %j ended', async (command, end) => {
    expect((await outputOf(command)).end).toEqual(end);
  });

  test('has no input and no terminal', async () => {
    const { output } = await outputOf('cat; (: < /dev/tty) 2> /dev/null || echo none');
    expect(output).toBe('none\n');
  });

  test("does not get natter's keys", async () => {
    const secrets = {
      NATTER_API_KEY: 'a',
      NATTER_API_KEY_COMMAND: 'b',
      NATTER_UPSTREAM_API_KEY: 'c',
      NATTER_QUEUE: 'd',
    };
    const { output } = await outputOf('env', { ...secrets, NATTER_MODEL: 'nextgen' });
    expect(output.match(/^NATTER_\w+/gm)).toEqual(['NATTER_MODEL']);
  });

  test('that does not exist is reported by the shell', async () => {
    const { output, end } = await outputOf('no-such-program-here');
    expect(output).toContain('not found');
    expect(end.code).toBe(127);
  });

  test('ends although a process that it started holds the output open', async () => {
    const { output, end } = await outputOf('sleep 30 & echo $!');
    process.kill(Number(output));
    expect(end).toEqual({ code: 0, killedBy: undefined, isOpen: true });
  });

  test('ends with all that it started, by SIGTERM and then by SIGKILL', async () => {
    const clock = createFakeClock();
    const stopping = new AbortController();
    let output = '';
    const running = runInShell(
      'trap "" TERM; sleep 30 & echo $!; wait; sleep 30',
      { signal: stopping.signal, onOutput: async (text) => void (output += text) },
      { environment, platform: process.platform, clock },
    );
    await expect.poll(() => output).toMatch(/\d+\n/);
    stopping.abort('stopped');
    expect(clock.sleeping()).toBe(1);
    await clock.advance(2000);
    // The background process has ended the wait: a quiet time may pass, too.
    const end = await running;
    expect(end).toEqual({ code: undefined, killedBy: 'SIGKILL', isOpen: false });
    await expect.poll(() => processState(output)).toMatch(ended);
  });

  test('ends if its output cannot be shown', async () => {
    let output = '';
    const run = runInShell(
      'echo $$; sleep 300',
      {
        signal: new AbortController().signal,
        async onOutput(text) {
          output += text;
          throw new Error('the terminal is closed');
        },
      },
      { environment, platform: process.platform, clock: systemClock },
    );
    await expect(run).rejects.toThrow('the terminal is closed');
    await expect.poll(() => processState(output)).toMatch(ended);
  });

  test('does not keep the waits for its exit', async () => {
    let sleeps = 0;
    const sleep: typeof systemClock.sleep = (...how) => {
      sleeps += 1;
      return systemClock.sleep(...how);
    };
    let pieces = 0;
    await runInShell(
      'head -c 4000000 /dev/zero',
      { signal: new AbortController().signal, onOutput: async () => void (pieces += 1) },
      { environment, platform: process.platform, clock: { ...systemClock, sleep } },
    );
    // A pipe contains a part of the output when the shell exits.
    expect(pieces).toBeGreaterThan(30);
    expect(sleeps).toBeLessThan(pieces / 2);
  });

  test('that is too long for the system is reported', async () => {
    await expect(outputOf(`: ${'x'.repeat(8_000_000)}`)).rejects.toMatchObject({
      message: expect.stringContaining('cannot start the shell: '),
    });
  });

  test('does not start after it was stopped', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    const options = { environment, platform: process.platform, clock: systemClock };
    const run = runInShell('echo a', { signal, onOutput: async () => undefined }, options);
    await expect(run).rejects.toThrow('stopped');
  });
});
