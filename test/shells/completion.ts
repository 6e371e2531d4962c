import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderOf } from '../support/folder.ts';
import { installedShells } from '../support/installed-shells.ts';
import { binary } from '../support/natter.ts';

interface ShellUnderTest {
  readonly name: 'bash' | 'zsh' | 'fish';
  readonly words: readonly string[];
  /** The file in the home folder that loads the completion script. */
  readonly startFile: string;
  /** Shows the candidates. */
  readonly listing: string;
}

const shells: readonly ShellUnderTest[] = [
  { name: 'bash', words: ['--rcfile', '.bashrc', '-i'], startFile: '.bashrc', listing: '\t\t' },
  { name: 'zsh', words: ['-i'], startFile: '.zshrc', listing: '\t' },
  { name: 'fish', words: ['-i'], startFile: '.config/fish/completions/natter.fish', listing: '\t' },
];

const starts = {
  bash: "PS1='ready> '\nbind 'set enable-bracketed-paste off'\n",
  zsh: "PS1='ready> '\nunsetopt zle_bracketed_paste\nautoload -Uz compinit && compinit -u\n",
  fish: '',
};

let home: string;
let stop: () => void;

beforeEach(() => {
  // Prints its arguments, except for completion.
  const script = `#!/bin/sh
case "$1" in
__complete | completion) exec "${process.execPath}" "${binary}" "$@" ;;
esac
printf 'called'
printf ' <%s>' "$@"
echo ' end'
`;
  home = folderOf({
    'bin/natter': script,
    'some notes.md': '',
    '.natter/prompts/review.md':
      '---\nvariables: { lang: [ts, js], topic: x }\n---\n{{lang}} {{topic}}',
    '.config/fish/config.fish': "function fish_prompt; echo 'ready> '; end\nset -U fish_greeting\n",
    '.config/fish/completions/none': '',
  });
  chmodSync(join(home, 'bin/natter'), 0o755);
});

afterEach(() => stop());

function environment(): Record<string, string> {
  return {
    HOME: home,
    PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
}

/** Types a line with its tabs into the shell and presses Enter; resolves with natter's arguments and all the shell showed. */
async function typeIn(shell: ShellUnderTest, line: string) {
  const script = execFileSync(join(home, 'bin/natter'), ['completion', shell.name]);
  writeFileSync(join(home, shell.startFile), starts[shell.name] + script.toString());
  const child = spawn(shell.name, [...shell.words], { cols: 120, cwd: home, env: environment() });
  stop = () => child.kill('SIGKILL');
  let seen = '';
  const shown = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${pattern}: ${seen}`)), 20_000);
      const subscription = child.onData(() => check());
      const check = () => {
        const found = pattern.exec(seen);
        if (found === null) return;
        clearTimeout(timer);
        subscription.dispose();
        resolve(found[0]);
      };
      check();
    });
  child.onData((text) => void (seen += text));
  await shown(/ready> /);
  for (const [index, part] of line.split('\t').entries()) {
    if (index > 0) {
      child.write('\t');
      // A shell gives no sign when it has completed a word.
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    child.write(part);
  }
  child.write('\r');
  return { called: await shown(/called.* end/), seen: () => seen };
}

const installed = installedShells(shells.map(({ name }) => name));

describe.each(shells.filter(({ name }) => installed.includes(name)))('$name', (shell) => {
  test.each([
    ['natter mod\tli\t', 'called <models> <list> end'],
    ['natter --mod\tnext\thello', 'called <--model> <nextgen> <hello> end'],
    ['natter --model=next\t', 'called <--model=nextgen> end'],
    ['natter -q config set sav\tf\t', 'called <-q> <config> <set> <save> <false> end'],
    ['natter -f some\t', 'called <-f> <some notes.md> end'],
    ['natter --file=some\t', 'called <--file=some notes.md> end'],
    ['natter run rev\t--la\tt\t', 'called <run> <review> <--lang> <ts> end'],
    ['natter run rev\t--top\tcats --json', 'called <run> <review> <--topic> <cats> <--json> end'],
    ['natter run some\t', 'called <run> <some notes.md> end'],
    ['natter prompts sh\tre\t', 'called <prompts> <show> <review> end'],
    ['natter batch mer\tsome\t', 'called <batch> <merge> <some notes.md> end'],
  ])('completes %j', async (line, expected) => {
    expect((await typeIn(shell, line)).called).toBe(expected);
  });

  test('shows the titles of conversations beside their ids', async () => {
    const options = { env: environment() };
    const prompts = ['cats at home', 'trees in autumn'];
    for (const prompt of prompts) {
      execFileSync(process.execPath, [binary, '--sandbox', '--save', prompt], options);
    }
    const { seen } = await typeIn(shell, `natter conversations show ${shell.listing}`);
    for (const prompt of prompts) expect(seen()).toContain(prompt);
  });
});
