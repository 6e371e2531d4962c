import { expect, test } from 'vitest';
import { editedText, editorCommand } from '../../src/repl/external-editor.ts';

const file = String.raw`C:\Users\Ada L\Temp\prompt.md`;
const spaced = String.raw`C:\Program Files\Editor\edit.exe`;

test.each([
  ['notepad', `"notepad "${file}""`],
  ['code --wait', `"code --wait "${file}""`],
  [spaced, `""${spaced}" "${file}""`],
  [`"${spaced}" -n`, `""${spaced}" -n "${file}""`],
])('on Windows cmd.exe is given %s with its quotes', (editor, line) => {
  const isThere = (path: string) => path === spaced;
  expect(editorCommand(editor, file, 'win32', isThere)).toEqual([
    'cmd.exe',
    '/d',
    '/s',
    '/c',
    line,
  ]);
});

test('elsewhere the shell reads the variable, and not the name of the file', () => {
  const words = editorCommand('vim -n', '/tmp/a b.md', 'linux');
  expect(words).toEqual(['/bin/sh', '-c', 'vim -n "$1"', 'vim -n', '/tmp/a b.md']);
});

test.each([
  ['win32', '\uFEFFone\r\ntwo\r\n', 'one\ntwo'],
  ['linux', 'one\r\ntwo\n', 'one\r\ntwo'],
] as const)('on %s the text comes back as it was meant', (platform, content, text) => {
  expect(editedText(content, platform)).toBe(text);
});
