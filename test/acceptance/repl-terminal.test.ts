import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { openFileSandbox } from '../support/held-sandbox.ts';
import { temporaryHome } from '../support/natter.ts';
import {
  clears,
  keys,
  leave,
  openRepl,
  openTerminal,
  screenWith,
  sharedHome,
  type TerminalOptions,
  type TerminalSession,
} from '../support/terminal.ts';

/** Makes natter fail at SIGUSR2. */
const failAtSignal = `
process.on('SIGUSR2', () => {
  if (process.env.FAIL_AS === 'throw') throw new Error('boom');
  if (process.env.FAIL_AS === 'reject') void Promise.reject(new Error('boom'));
  if (process.env.FAIL_AS === 'exit') process.exit(5);
});
`;

/** Prints the exit code of natter, and the mode of the terminal. */
const printState =
  'echo "ended with $?"; echo tty $(stty -a | grep -oE -- "-?\\b(icanon|echo)\\b")';

const saved = '\u001B[22;2t';
const restored = '\u001B[23;2t';
const focusOn = '\u001B[?1004h';
const focusOff = '\u001B[?1004l';
const noProgress = '\u001B]9;4;0;\u0007';

const settings = { NATTER_PROGRESS: 'on', NATTER_NOTIFY: 'osc9', NATTER_NOTIFY_AFTER: '0' };

/** How often a text has a part. */
const countOf = (text: string, part: string) => text.split(part).length - 1;

function openShell(line: string, options: TerminalOptions = {}) {
  return openTerminal([], { ...options, shell: `trap : INT QUIT; ${line}` });
}

/** natter in a shell that outlives it; the shell prints its process id. */
async function openInShell(env: Readonly<Record<string, string>> = {}) {
  const session = openShell(`bash -c 'echo "pid $$"; exec $NATTER --sandbox'; ${printState}`, {
    env,
  });
  const text = await session.waitFor(/›/);
  return { session, pid: Number(/pid (\d+)/.exec(text)?.[1]) };
}

describe('P18 the terminal is restored', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('after %s', async (signal, code) => {
    const { session, pid } = await openInShell(settings);
    session.type('a draft');
    await session.waitFor(/› a draft/);
    expect(await session.modes()).toEqual({ bracketedPaste: true, cursorHidden: false });
    process.kill(pid, signal);
    await session.exit;
    expect(await session.transcript()).toContain(`ended with ${code}\ntty icanon echo`);
    expect(await session.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
    const output = session.output();
    expect(countOf(output, '\u001B[>1u')).toBe(countOf(output, '\u001B[<u'));
    expect(output).toContain(focusOff + noProgress + restored);
    expect(countOf(output, saved)).toBe(countOf(output, restored));
  });

  test.each([
    ['an exception', 'throw', 1],
    ['a rejection', 'reject', 1],
    ['an exit', 'exit', 5],
  ])('after %s', async (_, how, code) => {
    const script = join(temporaryHome(), 'fail-at-signal.cjs');
    writeFileSync(script, failAtSignal);
    const { session, pid } = await openInShell({
      NODE_OPTIONS: `--require=${script}`,
      FAIL_AS: how,
    });
    process.kill(pid, 'SIGUSR2');
    await session.exit;
    const transcript = await session.transcript();
    expect(transcript).toContain(`ended with ${code}\ntty icanon echo`);
    expect(transcript).not.toContain('›');
    expect(await session.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
  });
});

test('P19 Ctrl+Z suspends natter and puts the window back; fg resumes it with its draft', async () => {
  const line = `set -m; $NATTER --sandbox; ${printState}; fg; ${printState}`;
  const session = openShell(line, { env: settings });
  await session.waitFor(/›/);
  session.type('half a draft');
  await session.waitFor(/half a draft/);
  session.type('\u001A');
  const stopped = await session.waitFor(/ended with 148\s+tty icanon echo[^]*›/);
  expect(stopped).toMatch(/echo[^]*› half a draft/);
  const [before = ''] = session.output().split('ended with 148');
  expect(before).toContain(focusOff + noProgress + restored);
  session.type('!');
  await session.waitFor(/› half a draft!/);
  expect((await session.modes()).bracketedPaste).toBe(true);
  session.type('\u0003\u0004');
  await session.exit;
  expect(await session.transcript()).toContain('ended with 0\ntty icanon echo');
  const parts = [saved, '\u001B]2;natter\u0007', restored];
  expect(parts.map((part) => countOf(session.output(), part))).toEqual([2, 2, 2]);
});

test('P20 X26: lines stay whole in a terminal based on xterm.js that is resized during an answer', async () => {
  const session = openTerminal(['--sandbox'], {
    env: { NATTER_WRAP: 'none', TERM_PROGRAM: 'vscode' },
  });
  await session.waitFor(/›/);
  const paragraphs = Array.from(
    { length: 10 },
    (_, index) => `Paragraph ${index} says ${'something longer than windows are wide '.repeat(4)}`,
  );
  session.type(
    `\u001B[200~[sandbox echo rate=60] ${paragraphs.join('\n\n')}\n\nLast words\u001B[201~\r`,
  );
  await session.waitFor(/Paragraph 0 says something longer/);
  for (const columns of [60, 44, 100, 50]) {
    await session.resizeStopped(columns, 24);
    await sleep(500);
  }
  await session.waitFor(/wide\s+Last words/);
  const lines = new Set((await session.copied()).split('\n').map((line) => line.trim()));
  expect(paragraphs.filter((text) => !lines.has(text.trim()))).toEqual([]);
  // T21
  expect(session.output()).not.toMatch(/\u001B\[[23]J/);
  session.kill('SIGKILL');
});

test.runIf(process.platform === 'linux')(
  'P21 natter ends when its terminal is closed',
  async () => {
    const { session, pid } = await openInShell();
    session.hangUp();
    const isRunning = () => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      } catch {
        return false;
      }
    };
    await expect.poll(isRunning).toBe(false);
  },
);

test.runIf(process.platform === 'linux')('an idle session uses no CPU time', async () => {
  const { session, pid } = await openInShell();
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    return Number(fields[13]) + Number(fields[14]);
  };
  // A second after the first frame natter loads modules that it may need later; then it is idle.
  let before: number;
  let tries = 0;
  do {
    before = ticks();
    await sleep(2000);
    tries += 1;
    // A tick is 10 ms.
  } while (ticks() - before > 2 && tries < 12);
  expect(ticks() - before).toBeLessThanOrEqual(2);
  session.kill('SIGKILL');
});

test('T20 a terminal that reports no size has 80 columns', async () => {
  const session = openShell('stty cols 0 rows 0; $NATTER --sandbox');
  await session.waitFor(/›/);
  session.type('x'.repeat(90));
  expect(await session.waitFor(/x{13}\n/)).toMatch(/› x{77}\n {2}x{13}\n/);
  session.kill('SIGKILL');
});

test("DEV=true is for the user's programs, and does not make Ink look for developer tools", async () => {
  const terminal = await openRepl(['--sandbox'], { env: { DEV: 'true' } });
  expect(terminal.output()).not.toContain('react');
  terminal.type(`!echo "DEV is $DEV"${keys.enter}`);
  await terminal.waitFor(/\nDEV is true\n/);
  terminal.type(keys.interrupt);
  expect(await leave(terminal)).toBe(0);
});

describe('the screen of the REPL', () => {
  test('is redrawn by Ctrl+L, without repeating or erasing the scrollback', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo] needle${keys.enter}`);
    const before = countOf(await terminal.waitFor(/\nneedle\n\norigin · [^]*K$/m), 'needle');
    for (let times = 0; times < 3; times += 1) terminal.type(`${keys.redraw}x`);
    await screenWith(terminal, /› xxx\n/);
    expect(countOf(await terminal.transcript(), 'needle')).toBe(before);
    expect(terminal.output()).not.toMatch(clears);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('shows the caret, and weights but no colours, with NO_COLOR', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { NO_COLOR: '1' } });
    terminal.type(`/theme light${keys.enter}`);
    await terminal.waitFor(/the theme is light/);
    terminal.type(`[sandbox echo] **bold** and *italic*${keys.enter}`);
    await terminal.waitFor(/\nbold and italic\n/);
    terminal.type('draft');
    await screenWith(terminal, /› draft/);
    expect((await terminal.modes()).cursorHidden).toBe(false);
    // oxlint-disable-next-line no-control-regex
    const codes = [...terminal.output().matchAll(/\u001B\[([\d;]+)m/g)].map(([, code]) => code);
    // Bold, dim, italic and inverse are not colours.
    expect(new Set(codes)).toEqual(new Set(['0', '1', '2', '22', '3', '23', '7', '27']));
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });
});

async function outputWith(terminal: TerminalSession, text: string): Promise<void> {
  await expect.poll(() => terminal.output()).toContain(text);
}

test('shows the state in title and tab, and reports the answer only to a window without focus', async () => {
  const terminal = await openRepl(['--sandbox'], { env: settings });
  await outputWith(terminal, '\u001B]2;natter\u0007');
  expect(terminal.output()).toContain(saved + focusOn);
  terminal.type('\u001B[Ohello\r');
  await outputWith(terminal, '\u001B]2;answering: hello - natter\u0007');
  await outputWith(terminal, '\u001B]9;4;3;\u0007');
  await outputWith(terminal, '\u001B]2;answered: hello - natter\u0007');
  expect(terminal.output()).toMatch(/\u001B\]9;natter: answered in \d+ s: hello\u0007/);
  const before = terminal.output().length;
  terminal.type('\u001B[I');
  await outputWith(terminal, '\u001B]2;hello - natter\u0007');
  terminal.type('again\r');
  await expect.poll(() => terminal.output().slice(before)).toContain(noProgress);
  expect(terminal.output().slice(before)).not.toContain('\u001B]9;natter');
  expect(await leave(terminal)).toBe(0);
  expect(terminal.output().slice(-200)).toContain(focusOff + noProgress + restored);
});

test('compare shows how many answers have ended, and puts the window back', async () => {
  const words = ['compare', '-m', 'origin,nextgen', '--sandbox', 'hello'];
  const terminal = openTerminal(words, { env: settings });
  await terminal.exit;
  const written = terminal.output().match(/\u001B\[2[23];2t|\u001B\][29];[^\u0007]*\u0007/g);
  expect(written).toEqual([
    saved,
    '\u001B]2;0 of 2 - natter compare\u0007',
    '\u001B]9;4;3;\u0007',
    '\u001B]2;1 of 2 - natter compare\u0007',
    '\u001B]9;4;1;50\u0007',
    '\u001B]2;2 of 2 - natter compare\u0007',
    '\u001B]9;4;1;100\u0007',
    noProgress,
    restored,
  ]);
});

const service = await openFileSandbox({ clock: systemClock });

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
    // The sandbox names its key.
    const output = first.output().replaceAll(/takes\s+the\s+key\s+sandbox-key/g, '');
    expect(output).not.toMatch(new RegExp(`${sandboxKey}|wrong-key`));
    const second = await openRepl([], { env });
    second.type(`[sandbox echo] again${keys.enter}`);
    expect(await second.waitFor(/\nagain\n/)).not.toContain('no service is configured');
    expect(await leave(second)).toBe(0);
  });
});

const marksIn = (output: string) =>
  [...output.matchAll(/\u001B\]133;([^\u001B]*)\u001B\\/g)].map(([, name]) => name);

test.each([
  ['a terminal with marks', ['--sandbox'], /·.*1 token/, ['A;redraw=0', 'B', 'C', 'D;0']],
  ['line mode', ['--sandbox', '--accessible'], /origin: hi\n/, []],
])('marks the prompts and answers of %s: %j', async (_what, words, shown, marks) => {
  const session = openTerminal(words, { env: { NATTER_PROMPT_MARKS: 'on' } });
  await session.waitFor(/›|You:/);
  session.type('[sandbox echo] hi\r');
  await session.waitFor(shown);
  session.type('/quit\r');
  await session.exit;
  expect(marksIn(session.output())).toEqual(marks);
});
