import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';

const longest = 60_000;

/**
 * Opens a conversation with the sandbox in a pseudo-terminal, sends one prompt and quits. `command` starts natter.
 * @throws Error if the answer does not appear, or natter exits with an error
 */
export async function tryConversation([file, ...words], env) {
  const terminal = spawn(file, [...words, '--sandbox'], {
    cols: 80,
    rows: 24,
    env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  });
  let screen = '';
  let exitCode;
  terminal.onData((text) => (screen += text));
  terminal.onExit((exit) => ({ exitCode } = exit));
  const shows = (text) => stripVTControlCharacters(screen).includes(text);
  const start = Date.now();
  const waitUntil = async (what, isDone) => {
    while (!isDone()) {
      if (Date.now() - start > longest) {
        terminal.kill();
        throw new Error(`${file}: no ${what} within ${longest} ms:\n${screen}`);
      }
      await pause(20);
    }
  };
  await waitUntil('composer', () => shows('type a prompt'));
  terminal.write('hello');
  await waitUntil('echo', () => shows('› hello'));
  terminal.write('\r');
  await waitUntil('answer', () => shows('your prompt: hello'));
  terminal.write('\u0004');
  await waitUntil('exit', () => exitCode !== undefined);
  if (exitCode !== 0) throw new Error(`${file}: exit code ${exitCode}\n${screen}`);
}
