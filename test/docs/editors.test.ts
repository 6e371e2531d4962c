import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { blocksOf } from '../support/guide-blocks.ts';
import { openFileSandbox } from '../support/held-sandbox.ts';
import { cleanEnvironment, temporaryHome, writeNatter } from '../support/natter.ts';

const blocks = blocksOf('editors.md', readFileSync('docs/editors.md', 'utf8'));
const textOf = (language: string) =>
  blocks.find((block) => block.language === language)?.text ?? '';

const sandbox = await openFileSandbox();

const prompt = "[sandbox echo] it's $HOME";

/** A home folder with natter on the path, the setup of an editor, and a text of three lines. */
function prepare(setup: string) {
  const folder = temporaryHome();
  const natter = writeNatter(join(folder, 'bin'));
  writeFileSync(join(folder, 'setup'), setup);
  writeFileSync(join(folder, 'text'), 'one\ntwo\nthree\n');
  const env = {
    ...cleanEnvironment({ NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey }),
    HOME: folder,
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
  };
  return {
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    /** natter's own answer about the first two lines. */
    async answer(text: string): Promise<string> {
      const running = promisify(execFile)(natter, ['-q', '--no-save', text, '-'], { env });
      running.child.stdin?.end('one\ntwo');
      return (await running).stdout;
    },
    async run(command: string, words: readonly string[]): Promise<string> {
      const running = promisify(execFile)(command, words, { cwd: folder, env });
      running.child.stdin?.end();
      await running;
      return readFileSync(join(folder, 'text'), 'utf8');
    },
  };
}

const has = (command: string) => spawnSync(command, ['--version']).status === 0;

/** Lines 1 and 2 with the answer below them. */
const expected = `one\ntwo\nit's $HOME\n\none\ntwo\nthree\n`;

test.runIf(has('vim'))('Vim puts the answer below the selected lines', async () => {
  const words = ['-es', '-N', '-u', 'NONE', '-S', 'setup', '-c', `1,2Natter ${prompt}`, '-c', 'wq'];
  expect(await prepare(textOf('vim')).run('vim', [...words, 'text'])).toBe(expected);
});

test.runIf(has('nvim')).each([prompt, '[sandbox code rate=2000] x'])(
  'Neovim puts the streamed answer to %s below the selected lines',
  async (text) => {
    const place = prepare(textOf('lua'));
    const answer = await place.answer(text);
    const shown = `one\ntwo\n${answer}\nthree\n`;
    const arrived = `{-> join(getline(1, '$'), "\\n") ==# join(readfile('shown'), "\\n")}`;
    const start = ['--headless', '-u', 'NONE', '-c', 'luafile setup', '-c', `1,2Natter ${text}`];
    const end = ['-c', `call wait(30000, ${arrived})`, '-c', 'wq', 'text'];
    place.write('shown', shown);
    expect(await place.run('nvim', [...start, ...end])).toBe(shown);
  },
);

test.runIf(has('emacs'))('Emacs puts the answer below the region', async () => {
  const call = `(progn (find-file "text") (natter-region 1 8 ${JSON.stringify(prompt)}) (save-buffer))`;
  const words = ['--batch', '--quick', '--load', 'setup', '--eval', call];
  // The region ends before the line break of the second line.
  expect(await prepare(textOf('elisp')).run('emacs', words)).toBe(expected);
});

test('the tasks of VS Code are valid commands of natter', async () => {
  const { tasks } = JSON.parse(textOf('json')) as { tasks: { command: string; args: string[] }[] };
  const values: Readonly<Record<string, string>> = {
    file: 'text',
    'input:prompt': '[sandbox echo] hello',
    selectedText: 'one',
  };
  const place = prepare('');
  for (const { command, args } of tasks) {
    const words = args.map((word) =>
      word.replaceAll(/\$\{(?<name>[^}]+)\}/g, (_, name: string) => values[name] ?? ''),
    );
    expect(words.join('')).not.toContain('$');
    await place.run(command, words);
  }
  expect(tasks).toHaveLength(2);
});
