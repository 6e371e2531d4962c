import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';

const echo = '[sandbox echo]';

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'natter-folders-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** The names of the attached files, in order, and what standard error has. */
async function attached(cwd: string, names: readonly string[], more: readonly string[] = []) {
  const files = names.flatMap((name) => ['-f', name]);
  const { code, stdout, stderr } = await runInMemory(
    ['--sandbox', ...files, ...more, `${echo}ask`],
    {
      cwd,
    },
  );
  const found = [...stdout.matchAll(/<file name="(.+?)">/g)].map(([, name]) => name);
  return { code, names: found, stderr };
}

describe('-f with a folder', () => {
  test('attaches its text files in the order of their names', async () => {
    const cwd = folderOf({ 'src/b.ts': 'B', 'src/a/z.ts': 'Z', 'src/a.ts': 'A', 'other.ts': 'O' });
    expect(await attached(cwd, ['src'])).toEqual({
      code: 0,
      names: ['src/a/z.ts', 'src/a.ts', 'src/b.ts'],
      stderr: 'natter: attached src: 3 files, ~3 tokens\n',
    });
  });

  test('the working folder itself, and a folder with a slash', async () => {
    const cwd = folderOf({ 'src/b.ts': 'B', 'a.ts': 'A' });
    expect((await attached(cwd, ['.'])).names).toEqual(['a.ts', 'src/b.ts']);
    expect((await attached(cwd, ['src/'])).names).toEqual(['src/b.ts']);
  });

  test('leaves out what .gitignore files exclude', async () => {
    const cwd = folderOf({
      '.gitignore': 'build/\n*.log\n',
      '.git/HEAD': 'ref',
      'src/.gitignore': '!keep.log\n/only-here.ts\n',
      'src/a.ts': 'A',
      'src/only-here.ts': 'X',
      'src/deep/only-here.ts': 'Y',
      'src/drop.log': 'X',
      'src/keep.log': 'K',
      'src/build/out.ts': 'X',
      'build/out.ts': 'X',
    });
    const expected = ['src/a.ts', 'src/deep/only-here.ts', 'src/keep.log'];
    expect((await attached(cwd, ['.'])).names).toEqual(expected);
    // The rules of the repository apply below a subfolder, too.
    expect((await attached(cwd, ['src'])).names).toEqual(expected);
  });

  test('that .gitignore excludes is attached if it is named', async () => {
    const cwd = folderOf({ '.gitignore': 'build/\n', '.git/HEAD': 'ref', 'build/a.ts': 'A' });
    expect((await attached(cwd, ['build'])).names).toEqual(['build/a.ts']);
  });

  test('leaves out hidden files and folders', async () => {
    const cwd = folderOf({ '.env': 'SECRET=1', '.github/ci.yml': 'ci', 'a.ts': 'A' });
    expect((await attached(cwd, ['.'])).names).toEqual(['a.ts']);
    expect((await attached(cwd, ['.github'])).names).toEqual(['.github/ci.yml']);
  });

  test('counts binary files, files in a different encoding and links', async () => {
    const cwd = folderOf({
      'a.txt': 'A',
      'b.png': 'a\0b',
      'c.png': '\0',
      'd.txt': Buffer.from('caf\u00e9', 'latin1'),
    });
    symlinkSync('/etc/hostname', join(cwd, 'link'));
    const { names, stderr } = await attached(cwd, ['.']);
    expect(names).toEqual(['a.txt']);
    expect(stderr).toBe(
      'natter: attached .: 1 file, ~1 token; skipped 2 binary files, 1 file in a different encoding (d.txt), 1 link\n',
    );
    expect((await attached(cwd, ['.'], ['--lossy'])).names).toEqual(['a.txt', 'd.txt']);
  });

  test('without text files is refused', async () => {
    const { code, stderr } = await attached(folderOf({ 'a/b.png': '\0' }), ['a']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'natter: cannot attach a: no text files found\n  a: 0 files, ~0 tokens; skipped 1 binary file\n',
    );
  });

  test('--quiet omits the notice', async () => {
    expect((await attached(folderOf({ 'a/b.ts': 'B' }), ['a'], ['-q'])).stderr).toBe('');
  });
});

describe('-f with a pattern', () => {
  const cwd = folderOf({
    '.gitignore': 'node_modules\n',
    'a.ts': 'A',
    'b.md': 'B',
    'src/c.ts': 'C',
    'src/deep/d.ts': 'D',
    'src/.hidden.ts': 'H',
    'node_modules/e.ts': 'E',
    '[x].ts': 'X',
  });

  test.each([
    ['*.ts', ['[x].ts', 'a.ts']],
    ['./*.md', ['b.md']],
    ['src/**/*.ts', ['src/c.ts', 'src/deep/d.ts']],
    ['**/*.ts', ['[x].ts', 'a.ts', 'src/c.ts', 'src/deep/d.ts']],
    ['{a,b}.*', ['a.ts', 'b.md']],
    ['src/?.ts', ['src/c.ts']],
    ['src/.*.ts', ['src/.hidden.ts']],
    ['[x].ts', ['[x].ts']],
  ])('%s attaches the files that match', async (pattern, expected) => {
    const { code, names } = await attached(cwd, [pattern]);
    expect({ code, names }).toEqual({ code: 0, names: expected });
  });

  test('works with a full path', async () => {
    const { names } = await attached(cwd, [join(cwd, 'src/*.ts')]);
    expect(names).toEqual([join(cwd, 'src/c.ts')]);
  });

  test('that matches nothing is refused', async () => {
    const { code, stderr } = await attached(cwd, ['*.rs']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'natter: cannot attach *.rs: no text files found\n' +
        '  hidden files, and files that .gitignore excludes, are attached only by their own names\n',
    );
  });
});
