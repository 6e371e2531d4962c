import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryHome } from '../support/natter.ts';
import { openTerminal, type TerminalOptions } from '../support/terminal.ts';

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

function openShell(line: string, options: TerminalOptions = {}) {
  return openTerminal([], { ...options, shell: `trap : INT QUIT; ${line}` });
}

/** natter in a shell that outlives it; the shell prints its process id. */
async function openRepl(env: Readonly<Record<string, string>> = {}) {
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
    const { session, pid } = await openRepl();
    session.type('a draft');
    await session.waitFor(/› a draft/);
    expect(await session.modes()).toEqual({ bracketedPaste: true, cursorHidden: false });
    process.kill(pid, signal);
    await session.exit;
    expect(await session.transcript()).toContain(`ended with ${code}\ntty icanon echo`);
    expect(await session.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
    expect(session.output().split('\u001B[>1u')).toHaveLength(
      session.output().split('\u001B[<u').length,
    );
  });

  test.each([
    ['an exception', 'throw', 1],
    ['a rejection', 'reject', 1],
    ['an exit', 'exit', 5],
  ])('after %s', async (_, how, code) => {
    const script = join(temporaryHome(), 'fail-at-signal.cjs');
    writeFileSync(script, failAtSignal);
    const { session, pid } = await openRepl({
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

describe('P19 Ctrl+Z', () => {
  test('suspends natter, and fg resumes it with its draft', async () => {
    const session = openShell(`set -m; $NATTER --sandbox; ${printState}; fg; ${printState}`);
    await session.waitFor(/›/);
    session.type('half a draft');
    await session.waitFor(/half a draft/);
    session.type('\u001A');
    const stopped = await session.waitFor(/ended with 148\s+tty icanon echo[^]*›/);
    expect(stopped).toMatch(/echo[^]*› half a draft/);
    session.type('!');
    await session.waitFor(/› half a draft!/);
    expect((await session.modes()).bracketedPaste).toBe(true);
    session.type('\u0003\u0004');
    await session.exit;
    expect(await session.transcript()).toContain('ended with 0\ntty icanon echo');
  });
});

/**
 * Whether the transcript has every character of `paragraph`, in order. A row that was drawn for an
 * older size may remain between them (docs/decisions/0006), and lines may be broken anywhere.
 */
function holdsInOrder(transcript: string, paragraph: string): boolean {
  const [head = ''] = paragraph.split(' says');
  const next = head.replace(/\d+/, (digits) => String(Number(digits) + 1));
  const rest = transcript.slice(transcript.indexOf(`${head} `));
  const [part = ''] = rest.split(`${next} `);
  let position = 0;
  return Array.from(paragraph.replaceAll(/\s/g, '')).every((character) => {
    position = part.indexOf(character, position) + 1;
    return position > 0;
  });
}

describe('P20 the window', () => {
  test('can be resized 20 times while an answer streams, without losing text', async () => {
    const session = openTerminal(['--sandbox']);
    await session.waitFor(/›/);
    const paragraphs = Array.from(
      { length: 16 },
      (_, index) =>
        `Paragraph ${index} says something that is longer than most windows are wide, 漢字 and all.`,
    );
    session.type(`\u001B[200~[sandbox echo rate=200] ${paragraphs.join('\n\n')}\u001B[201~\r`);
    await session.waitFor(/Paragraph 0/);
    const sizes = [
      [70, 24],
      [50, 20],
      [120, 30],
      [60, 14],
      [44, 24],
      [100, 16],
    ] as const;
    for (let step = 0; step < 20; step += 1) {
      const [columns, rows] = sizes[step % sizes.length] ?? [80, 24];
      await session.resizeStopped(columns, rows);
      await sleep(60);
    }
    await session.resizeStopped(120, 30);
    await session.waitFor(/Paragraph 15 [^]*漢字 and all\./);
    const transcript = await session.transcript();
    expect(paragraphs.filter((text) => !holdsInOrder(transcript, text))).toEqual([]);
    // T21
    expect(session.output()).not.toMatch(/\u001B\[[23]J/);
    session.kill('SIGKILL');
  });

  test('X26: keeps lines whole in a terminal that is based on xterm.js', async () => {
    const session = openTerminal(['--sandbox'], {
      env: { NATTER_WRAP: 'none', TERM_PROGRAM: 'vscode' },
    });
    await session.waitFor(/›/);
    const paragraphs = Array.from(
      { length: 10 },
      (_, index) =>
        `Paragraph ${index} says ${'something longer than windows are wide '.repeat(4)}`,
    );
    session.type(
      `\u001B[200~[sandbox echo rate=100] ${paragraphs.join('\n\n')}\n\nLast words\u001B[201~\r`,
    );
    await session.waitFor(/Paragraph 0 says something longer/);
    for (const columns of [60, 44, 100, 50, 72, 40, 90]) {
      await session.resizeStopped(columns, 24);
      await sleep(300);
    }
    await session.waitFor(/wide\s+Last words/);
    const lines = new Set((await session.copied()).split('\n').map((line) => line.trim()));
    expect(paragraphs.filter((text) => !lines.has(text.trim()))).toEqual([]);
    session.kill('SIGKILL');
  });
});

test.runIf(process.platform === 'linux')(
  'P21 natter ends when its terminal is closed',
  async () => {
    const { session, pid } = await openRepl();
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
  const { session, pid } = await openRepl();
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
