import { expect, test } from 'vitest';
import { callTask } from '../../../src/repl/create-session.ts';
import { runShellLine } from '../../../src/repl/shell/shell-lines.ts';
import type { runInShell, ShellEnd } from '../../../src/repl/shell/shell-command.ts';
import { openMemorySession, secretWord } from '../../support/memory-session.ts';

const success: ShellEnd = { code: 0, killedBy: undefined, isOpen: false };

/** A session whose shell runs each command as `shell` does. */
function sessionWith(shell: (options: Parameters<typeof runInShell>[1]) => Promise<ShellEnd>) {
  const memory = openMemorySession({
    call(task, session, signal = new AbortController().signal) {
      if (task.run !== runShellLine) return callTask(task, session, signal);
      const input = task.input as Parameters<typeof runShellLine>[1];
      return runShellLine(session, input, signal, (_, options) => shell(options));
    },
  });
  /** Resolves when the command has ended. */
  const ended = async () => {
    while (memory.session.state().activity !== undefined) await memory.clock.advance(33);
    return memory.idle();
  };
  return { ...memory, ended };
}

/** A command that prints these texts. */
const printing = (...texts: readonly string[]) =>
  sessionWith(async ({ onOutput }) => {
    for (const text of texts) await onOutput(text);
    return success;
  });

test('the output of a command is shown and attached with the command and its exit code', async () => {
  const memory = printing('one\n', 'two\n');
  memory.enter('!ls -l');
  const { attachments } = await memory.ended();
  expect(memory.text()).toBe(
    'one\ntwo\nnatter: exit code 0; 8 bytes are attached to the next prompt\n',
  );
  expect(attachments).toEqual([{ name: '!ls -l', content: '$ ls -l\none\ntwo\n(exit code 0)\n' }]);
});

test('the next prompt has the output', async () => {
  const memory = printing('one\n');
  memory.enter('!ls');
  await memory.ended();
  memory.enter('what is it?');
  await memory.idle();
  expect(memory.requests[0]?.messages[0]?.content).toBe(
    'what is it?\n\n<file name="!ls">\n$ ls\none\n(exit code 0)\n</file>',
  );
});

test('!! shows the output and attaches nothing', async () => {
  const memory = printing('one\n');
  memory.enter('!!ls');
  expect((await memory.ended()).attachments).toEqual([]);
  expect(memory.text()).toBe('one\nnatter: exit code 0\n');
});

const rowsTo = (last: number) =>
  Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');

test('R6: of a long output the first and the last rows are shown, and all is attached', async () => {
  const memory = printing(rowsTo(1500), rowsTo(1500));
  memory.enter('!seq');
  const { attachments } = await memory.ended();
  const first = rowsTo(100);
  const last = rowsTo(1500).split('\n').slice(-21).join('\n');
  expect(memory.text()).toContain(
    `${first}natter: 2,880 rows are not shown; with !! all rows are\n${last}natter: exit code 0`,
  );
  expect(attachments[0]?.content).toContain(rowsTo(1500) + rowsTo(1500));
});

test('R6: with !! every row is shown', async () => {
  const memory = printing(rowsTo(1500));
  memory.enter('!!seq');
  await memory.ended();
  expect(memory.text()).toContain(rowsTo(1500));
});

test('reports an empty output, and a failure', async () => {
  const memory = sessionWith(async () => ({ ...success, code: 3 }));
  memory.enter('!false');
  const { attachments } = await memory.ended();
  expect(memory.text()).toBe('natter: exit code 3; no output; attached to the next prompt\n');
  expect(attachments[0]?.content).toBe('$ false\n(no output)\n(exit code 3)\n');
});

test('reports a signal, and a process that is still running', async () => {
  const memory = sessionWith(async () => ({ code: undefined, killedBy: 'SIGSEGV', isOpen: true }));
  memory.enter('!!crash');
  await memory.ended();
  expect(memory.text()).toBe(
    'natter: ended by SIGSEGV; no output\nnatter: a process it started is still running; its output is not shown\n',
  );
});

test('attaches the end of a long output, and says what is missing', async () => {
  const line = `${'x'.repeat(999)}\n`;
  const memory = printing(line.repeat(300), 'end\n');
  memory.enter('!make');
  const { attachments } = await memory.ended();
  const content = attachments[0]?.content ?? '';
  expect(content).toMatch(/^\$ make\n\(the first 45,000 bytes are missing\)\nx+\n/);
  expect(content).toMatch(/x\nend\n\(exit code 0\)\n$/);
  expect(memory.text()).toContain(
    'the last 255,004 of 300,004 bytes are attached to the next prompt',
  );
});

test('control sequences and secrets are neither shown nor attached', async () => {
  const memory = printing(`\u001B[2J\u001B[31mred\u001B[0m ${secretWord}\n`);
  memory.enter('!show');
  const { attachments } = await memory.ended();
  expect(memory.text()).toContain('red ***\n');
  expect(memory.text()).not.toContain('\u001B');
  expect(attachments[0]?.content).toContain('\nred ***\n');
});

test('the unfinished line is a preview until it ends', async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const memory = sessionWith(async ({ onOutput }) => {
    await onOutput('working…');
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
  const memory = printing('one\n', 'two\n');
  memory.enter('!!ls');
  await expect.poll(() => memory.text()).toBe('one\n');
  await memory.clock.advance(32);
  expect(memory.text()).toBe('one\n');
  await memory.clock.advance(1);
  await expect.poll(() => memory.text()).toContain('two\n');
  await memory.ended();
});

test('a stopped command attaches what it printed', async () => {
  const memory = sessionWith(async ({ onOutput, signal }) => {
    await onOutput('one\n');
    // The output was still paused.
    expect(signal.aborted).toBe(true);
    return { ...success, code: undefined, killedBy: 'SIGTERM' };
  });
  memory.enter('!tail -f log');
  await expect.poll(() => memory.text()).toBe('one\n');
  memory.session.dispatch({ type: 'interrupted', now: 0 });
  const { attachments } = await memory.ended();
  expect(attachments[0]?.content).toBe('$ tail -f log\none\n(stopped)\n');
});

test('binary output is not attached', async () => {
  const memory = printing('a\0b\n');
  memory.enter('!cat picture');
  expect((await memory.ended()).attachments).toEqual([]);
  expect(memory.text()).toContain('the output is binary, so it is not attached');
});

test('a program that fails without a terminal has a hint', async () => {
  const memory = sessionWith(async ({ onOutput }) => {
    await onOutput('sudo: a terminal is required to read the password\n');
    return { ...success, code: 1 };
  });
  memory.enter('!!sudo ls');
  await memory.ended();
  expect(memory.text()).toContain('a command has no terminal and no input');
});

test('a stopped command pauses the queue', async () => {
  const memory = sessionWith(async ({ onOutput }) => {
    await onOutput('one\n');
    return { ...success, code: undefined, killedBy: 'SIGTERM' };
  });
  memory.enter('!npm test');
  memory.enter('why does it fail?');
  await expect.poll(() => memory.text()).toContain('one\n');
  memory.session.dispatch({ type: 'interrupted', now: 0 });
  const { isQueuePaused, queue } = await memory.ended();
  expect([isQueuePaused, queue.length, memory.requests.length]).toEqual([true, 1, 0]);
});
