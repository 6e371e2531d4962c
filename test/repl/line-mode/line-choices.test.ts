import { expect, test } from 'vitest';
import type { PathList } from '../../../src/input/find-files.ts';
import { openEditor } from './open-editor.ts';

const listOf = (...paths: readonly string[]): PathList => ({
  paths: paths.map((path) => ({ path, isFolder: false })),
  isPartial: false,
});

test.each([
  ['', 'read @re'],
  ['\t', 'read @docs/red.md '],
  ['\t\t', 'read @src/report.ts '],
  ['\t\t\t', 'read @docs/red.md '],
])('further Tabs take the choices in turn: %j', async (tabs, line) => {
  const paths = async () => listOf('src/report.ts', 'docs/red.md');
  const { type, lines, screen } = openEditor({ columns: 80, files: { paths } });
  await type('read @re', '\t', tabs);
  expect((await screen.screen())[1]).toBe(
    'natter: 2 choices: docs/red.md, src/report.ts; Tab takes the first',
  );
  await type('\r');
  expect(lines).toEqual([line]);
});

/** Files that are found when the test wants it. */
function slowFiles(...found: readonly string[]) {
  let find: () => void = () => undefined;
  const promise = new Promise<PathList>((resolve) => {
    find = () => resolve(listOf(...found));
  });
  return { files: { paths: () => promise }, find };
}

test('Tabs pressed while the files are looked for take the choices', async () => {
  const { files, find } = slowFiles('src/report.ts', 'docs/red.md');
  const { type, lines } = openEditor({ files });
  await type('read @re', '\t\t\t');
  find();
  await type('', '\r');
  expect(lines).toEqual(['read @src/report.ts ']);
});

test('files that are found after the line changed are not offered', async () => {
  const { files, find } = slowFiles('src/report.ts');
  const { type, lines } = openEditor({ files });
  await type('read @re', '\t', 'x');
  find();
  await type('', '\r');
  expect(lines).toEqual(['read @rex']);
});

test.each([
  ['a dropped file becomes a mention', ['see ', '/tmp/my\\ file'], 'see @"/tmp/my file" '],
  ['Ctrl+_ brings its path back', ['/tmp/my\\ file', '\u001F'], '/tmp/my\\ file'],
  ['within a word it is text', ['see', '/tmp/my\\ file'], 'see/tmp/my\\ file'],
  ['in a command it is text', ['/attach ', '/tmp/my\\ file'], '/attach /tmp/my\\ file'],
  ['other paths are text', ['/tmp/other'], '/tmp/other'],
])('%s', async (_, keys, line) => {
  const kindOf = (path: string) => (path === '/tmp/my file' ? 'file' : undefined);
  const { type, lines } = openEditor({ files: { kindOf } });
  await type(...keys, '\r');
  expect(lines).toEqual([line]);
});
