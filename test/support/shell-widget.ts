import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf } from './folder.ts';
import { writeNatter } from './natter.ts';
import { done, delta, stream, streamHead } from './raw-replies.ts';
import type { Reply } from './raw-server.ts';
import { serve } from './serve.ts';
import { openTerminal, type TerminalSession } from './terminal.ts';

interface ShellUnderTest {
  readonly name: 'bash' | 'zsh' | 'fish';
  readonly start: string;
  /** The file in the home folder that loads the script. */
  readonly startFile: string;
  /** Before the script. */
  readonly setup: string;
}

export const shellsUnderTest: readonly ShellUnderTest[] = [
  {
    name: 'bash',
    start: 'bash --rcfile ~/.bashrc -i',
    startFile: '.bashrc',
    setup: "PS1='ready>'\n",
  },
  { name: 'zsh', start: 'zsh -i', startFile: '.zshrc', setup: "PS1='ready>'\nbindkey -e\n" },
  {
    name: 'fish',
    start: 'fish -i',
    startFile: '.config/fish/config.fish',
    setup: "function fish_prompt; echo -n 'ready>'; end\nset -U fish_greeting\n",
  },
];

const suggestKey = '\u001Bm';
const explainKey = '\u001Bi';

const answering = (...deltas: readonly string[]): Reply => stream(...deltas.map(delta), done);

/** An interactive shell with the script, whose service sends these replies. */
async function openShell(shell: ShellUnderTest, replies: readonly Reply[]) {
  const server = await serve(replies);
  const home = folderOf();
  const folder = join(home, 'bin');
  mkdirSync(join(home, '.config/fish'), { recursive: true });
  const program = writeNatter(folder);
  const script = execFileSync(program, ['shell-init', shell.name], { env: { HOME: home } });
  writeFileSync(join(home, shell.startFile), shell.setup + script.toString());
  const env = {
    HOME: home,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    NATTER_BASE_URL: server.url,
    NATTER_RETRIES: '0',
  };
  const terminal = openTerminal([], { env, columns: 100, shell: `cd; exec ${shell.start}` });
  await terminal.waitFor(/ready>$/);
  return { terminal, server, home };
}

/** The text after the last prompt. */
async function lineOf(terminal: TerminalSession): Promise<string> {
  const screen = await terminal.screen();
  return screen.slice(screen.lastIndexOf('ready>') + 'ready>'.length);
}

/** Tests of the keys of `natter shell-init` in a real shell, on a pseudo-terminal. */
export function describeWidget(shell: ShellUnderTest): void {
  describe(`in ${shell.name}`, () => {
    test('the key turns the text on the line into a command, which runs only after Enter', async () => {
      const { terminal, server, home } = await openShell(shell, [answering('touch ', 'ran.txt')]);
      terminal.type('create a file named ran.txt');
      await terminal.waitFor(/ready>create a file named ran\.txt$/);
      terminal.type(suggestKey);
      await terminal.waitFor(/ready>touch ran\.txt$/);
      expect(server.bodies()[0]).toMatchObject({
        messages: [{ role: 'system' }, { role: 'user', content: 'create a file named ran.txt' }],
      });
      terminal.type(' && echo "made"');
      await terminal.waitFor(/ready>touch ran\.txt && echo "made"$/);
      terminal.type('\r');
      await terminal.waitFor(/\nmade\nready>$/);
      expect(execFileSync('ls', [home]).toString()).toContain('ran.txt');
    });

    test('an answer with control characters and a line end neither runs nor moves', async () => {
      const hostile =
        '```sh\necho one\u001B[31m\u001B]0;owned\u0007\u0003\u000D\necho two\u001B[5A\n```';
      const { terminal } = await openShell(shell, [answering(hostile)]);
      terminal.type('say two words');
      await terminal.waitFor(/ready>say two words$/);
      terminal.type(suggestKey);
      await terminal.waitFor(/ready>echo one *\n+.*echo two$/);
      expect(terminal.output()).not.toContain('owned');
      expect(await terminal.screen()).not.toMatch(/\n(?:one|two)\n/);
      terminal.type('\r');
      await terminal.waitFor(/\none\ntwo\nready>$/);
    });

    test.each([
      [
        'an answer that is no command',
        answering('Sure!\n\nThis lists files:\n\nls'),
        'is not a command',
      ],
      [
        'a failure',
        [Buffer.from('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')],
        'the service failed',
      ],
    ])('after %s the line is as before, and the reason is shown', async (_, reply, reason) => {
      const { terminal } = await openShell(shell, [reply]);
      terminal.type('list "files" $HOME `x` !');
      await terminal.waitFor(/ready>list "files" \$HOME `x` !$/);
      terminal.type(suggestKey);
      await terminal.waitFor(new RegExp(`natter: [^]*${reason}`));
      terminal.type('?');
      await terminal.waitFor(/ready>list "files" \$HOME `x` !\?/);
      expect(await lineOf(terminal)).toMatch(/^list "files" \$HOME `x` !\?/);
    });

    test('Ctrl+C while natter waits keeps the line', async () => {
      const { terminal, server } = await openShell(shell, [[streamHead()]]);
      terminal.type('wait for me');
      await terminal.waitFor(/ready>wait for me$/);
      terminal.type(suggestKey);
      await server.received(1);
      const processes = execFileSync('ps', ['-eo', 'args']).toString();
      expect(processes).toContain('--suggest');
      expect(processes).not.toContain('wait for me');
      terminal.type('\u0003');
      await server.idle();
      terminal.type('!');
      await terminal.waitFor(/ready>wait for me!/);
      expect(await lineOf(terminal)).toMatch(/^wait for me!/);
    });

    test('the second key explains the last command that failed', async () => {
      const { terminal, server } = await openShell(shell, [answering('There is no such program.')]);
      terminal.type('nosuchprogram --now\r');
      await terminal.waitFor(/nosuchprogram[^]*ready>$/);
      terminal.type('half');
      await terminal.waitFor(/ready>half$/);
      terminal.type(explainKey);
      await terminal.waitFor(/There is no such program\.[^]*ready>half$/);
      expect(server.bodies()[0]?.messages[1]?.content).toBe(
        'Command:\nnosuchprogram --now\n\nExit status: 127',
      );
    });

    test('the second key sends nothing after a command that succeeded', async () => {
      const { terminal, server } = await openShell(shell, [answering('no')]);
      terminal.type('true\r');
      await terminal.waitFor(/ready>true\n[^]*ready>$/);
      terminal.type(explainKey);
      await terminal.waitFor(/the last command did not fail/);
      expect(server.connections()).toBe(0);
    });
  });
}
