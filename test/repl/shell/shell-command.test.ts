import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { callTask } from '../../../src/repl/create-session.ts';
import {
  endOf,
  runInShell,
  runShellLine,
  shellWords,
} from '../../../src/repl/shell/shell-command.ts';
import type { Context } from '../../../src/run.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryContext } from '../../support/memory-context.ts';
import { openMemorySession, secretWord } from '../../support/memory-session.ts';
import { expectForAll, fc } from '../../support/properties.ts';
import { lineInterrupted } from '../../support/repl-state.ts';

const documents = String.raw`C:\Users\a\Documents`;
const comSpec = String.raw`C:\Windows\System32\cmd.exe`;

test.each([
  ['linux', { SHELL: '/bin/zsh' }, '/bin/sh', '/bin/zsh'],
  ['darwin', {}, '/bin/sh', '/bin/sh'],
  ['win32', {}, 'cmd.exe', '/c'],
  ['win32', { ComSpec: comSpec }, comSpec, '/c'],
  ['win32', { PSModulePath: String.raw`C:\WindowsPowerShell\Modules` }, 'cmd.exe', '/c'],
  [
    'win32',
    { PSModulePath: String.raw`${documents}\WindowsPowerShell\Modules;C:\x` },
    'powershell.exe',
    '-Command',
  ],
  [
    'win32',
    { PSModulePath: String.raw`${documents}\PowerShell\Modules;C:\x` },
    'pwsh.exe',
    '-Command',
  ],
] as const)('on %s with %j the shell is %s', (platform, environment, program, word) => {
  const found = shellWords('echo "a b"', environment, platform);
  // cmd.exe gets the command unquoted.
  const isVerbatim = word === '/c';
  expect(found.program).toBe(program);
  expect(found.words.slice(-2)).toEqual([word, isVerbatim ? '"echo "a b""' : 'echo "a b"']);
  expect(found.isVerbatim).toBe(isVerbatim);
});

describe.runIf(process.platform !== 'win32')('a command', () => {
  const contextOf = (more: Record<string, string> = {}, clock: Clock = systemClock) => {
    const environment = { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', ...more };
    const { context } = createMemoryContext({ environment });
    return { ...context, platform: process.platform, clock } as Context;
  };

  const processState = (id: string) =>
    spawnSync('ps', ['-o', 'stat=', '-p', id.trim()]).stdout.toString();
  /** Until it is collected, a process that has ended is a zombie. */
  const ended = /^(?:Z.*\n)?$/;

  async function outputOf(command: string, more?: Record<string, string>) {
    let output = '';
    const { signal } = new AbortController();
    const show = async (text: string) => void (output += text);
    const end = await runInShell(command, signal, show, contextOf(more));
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
      stopping.signal,
      async (text) => void (output += text),
      contextOf({}, clock),
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
      new AbortController().signal,
      async (text) => {
        output += text;
        throw new Error('the terminal is closed');
      },
      contextOf(),
    );
    await expect(run).rejects.toThrow('the terminal is closed');
    await expect.poll(() => processState(output)).toMatch(ended);
  });

  test('that was stopped before its start does not start', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    const run = runInShell('echo a', stopped, () => Promise.reject(new Error('ran')), contextOf());
    await expect(run).rejects.toThrow('stopped');
  });

  test('that is too long for the system is reported', async () => {
    await expect(outputOf(`: ${'x'.repeat(8_000_000)}`)).rejects.toMatchObject({
      message: expect.stringContaining('cannot start the shell: '),
    });
  });
});

type ShellEnd = Awaited<ReturnType<typeof runInShell>>;

const success: ShellEnd = { code: 0, killedBy: undefined, isOpen: false };

/** A session whose shell runs each command as `shell` does. */
function sessionWith(
  shell: (show: (text: string) => Promise<void>, signal: AbortSignal) => Promise<ShellEnd>,
) {
  const memory = openMemorySession({
    call(task, session, signal = new AbortController().signal) {
      if (task.run !== runShellLine) return callTask(task, session, signal);
      const input = task.input as Parameters<typeof runShellLine>[1];
      return runShellLine(session, input, signal, (_, stopped, show) => shell(show, stopped));
    },
  });
  /** Resolves when the command has ended. */
  const ended = async () => {
    while (memory.session.state().activity !== undefined) await memory.clock.advance(33);
    return memory.idle();
  };
  return { ...memory, ended };
}

/** Enters a line whose command prints these texts. */
async function entered(line: string, texts: readonly string[], end: Partial<ShellEnd> = {}) {
  const memory = sessionWith(async (show) => {
    for (const text of texts) await show(text);
    return { ...success, ...end };
  });
  memory.enter(line);
  const { attachments } = await memory.ended();
  return { shown: memory.text(), attached: attachments[0]?.content };
}

const hostile = `\u001B[2J\u001B[31mred\u001B[0m ${secretWord}\n`;
const crashed = { code: undefined, killedBy: 'SIGSEGV', isOpen: true };

test.each<[string, string, Partial<ShellEnd>, string]>([
  ['!ls', 'one\n', {}, 'one\nnatter: exit code 0; 4 bytes of output are attached to the next'],
  ['!!ls', 'one\n', {}, 'one\nnatter: exit code 0\n'],
  ['!false', '', { code: 3 }, 'natter: exit code 3; no output; attached to the next prompt\n'],
  ['!!crash', '', crashed, 'natter: ended by SIGSEGV; no output\nnatter: a process it started is'],
  ['!show', hostile, {}, 'red ***\nnatter: exit code 0; 8 bytes of output are attached'],
  ['!cat x', 'a\0b\n', {}, 'ab\nnatter: exit code 0; the output is binary, so it is not attached'],
  [
    '!!sudo',
    'a tty\n',
    { code: 1 },
    'a tty\nnatter: exit code 1\nnatter: a command has no terminal',
  ],
])('%s that prints %j with %j shows %j', async (line, text, end, said) => {
  const { shown } = await entered(line, text === '' ? [] : [text], end);
  expect(shown.slice(0, said.length)).toBe(said);
});

test.each<[string, string, number, string | undefined]>([
  ['!ls -l', 'one\ntwo\n', 0, '$ ls -l\none\ntwo\n(exit code 0)\n'],
  ['!!ls', 'one\n', 0, undefined],
  ['!false', '', 3, '$ false\n(no output)\n(exit code 3)\n'],
  ['!show', hostile, 0, '$ show\nred ***\n(exit code 0)\n'],
  ['!cat x', 'a\0b\n', 0, undefined],
])('%s that prints %j with exit code %i attaches %j', async (line, text, code, attached) => {
  expect((await entered(line, text === '' ? [] : [text], { code })).attached).toBe(attached);
});

const rowsTo = (last: number) =>
  Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');

test('R6: of a long output the first and the last rows are shown, and all is attached', async () => {
  const { shown, attached } = await entered('!seq', [rowsTo(1500), rowsTo(1500)]);
  const last = rowsTo(1500).split('\n').slice(-21).join('\n');
  expect(shown).toContain(
    `${rowsTo(100)}natter: 2,880 rows are not shown; with !! all rows are\n${last}natter: exit code 0`,
  );
  expect(attached).toContain(rowsTo(1500) + rowsTo(1500));
  expect((await entered('!!seq', [rowsTo(1500)])).shown).toContain(rowsTo(1500));
});

test('attaches the end of a long output, and says what is missing', async () => {
  const line = `${'x'.repeat(999)}\n`;
  const { shown, attached } = await entered('!make', [line.repeat(300), 'end\n']);
  expect(attached).toMatch(/^\$ make\n\(the first 45,000 bytes are missing\)\nx+\n/);
  expect(attached).toMatch(/x\nend\n\(exit code 0\)\n$/);
  expect(shown).toContain('the last 255,004 of 300,004 bytes are attached to the next prompt');
});

test('the unfinished line is a preview until it ends', async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const memory = sessionWith(async (show) => {
    await show('working…');
    await finished;
    return success;
  });
  memory.enter('!!make');
  await memory.clock.advance(33);
  await expect.poll(() => memory.session.state().activity).toMatchObject({ undecided: 'working…' });
  expect(memory.text()).toBe('');
  finish();
  await memory.ended();
  expect(memory.text()).toBe('working…\nnatter: exit code 0\n');
});

test('waits between two pieces of output', async () => {
  const memory = sessionWith(async (show) => {
    await show('one\n');
    await show('two\n');
    return success;
  });
  memory.enter('!!ls');
  await expect.poll(() => memory.text()).toBe('one\n');
  await memory.clock.advance(32);
  expect(memory.text()).toBe('one\n');
  await memory.clock.advance(1);
  await expect.poll(() => memory.text()).toContain('two\n');
  await memory.ended();
});

test('a stopped command attaches what it printed, and pauses the queue', async () => {
  const memory = sessionWith(async (show, signal) => {
    await show('one\n');
    // The output was still paused.
    expect(signal.aborted).toBe(true);
    return { ...success, code: undefined, killedBy: 'SIGTERM' };
  });
  memory.enter('!tail -f log');
  memory.enter('why does it fail?');
  await expect.poll(() => memory.text()).toBe('one\n');
  memory.session.update(lineInterrupted);
  const { attachments, isQueuePaused, queue } = await memory.ended();
  expect(attachments[0]?.content).toBe('$ tail -f log\none\n(stopped)\n');
  expect([isQueuePaused, queue.length, memory.requests.length]).toEqual([true, 1, 0]);
});

test.each([
  ['its lines in one piece', ['one\ntw', 'o\nthree', ''], 'one\ntwo\nthree\n'],
  ['the last state of a progress line', ['10%\r20%\r100%\n'], '100%\n'],
  ['line ends of Windows', ['one\r\ntwo\r\n'], 'one\ntwo\n'],
  ['what is before a return at the line end', ['done\r\r\n'], 'done\n'],
  ['a very long line at once', ['a'.repeat(70_000), 'b', 'c\nd'], `${'a'.repeat(70_000)}\nbc\nd\n`],
])('the output shows %s', async (_, pieces, shown) => {
  expect(await entered('!!make', pieces)).toMatchObject({ shown: `${shown}natter: exit code 0\n` });
});

test('the end of an output has whole lines', () => {
  expect(endOf('one\ntwo\nthree\n', 9)).toBe('three\n');
});

test('the end of an output has at most the limit, and whole characters', () => {
  const limits = fc.integer({ min: 4, max: 40 });
  expectForAll(fc.string({ unit: 'grapheme' }), limits, (text, limit) => {
    const end = endOf(text, limit);
    expect(Buffer.byteLength(end)).toBeLessThanOrEqual(limit);
    expect(text.endsWith(end)).toBe(true);
  });
});
