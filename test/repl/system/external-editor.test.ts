import { describe, expect, test } from 'vitest';
import { editedText, editorCommand, editText } from '../../../src/repl/system/external-editor.ts';

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

describe.runIf(process.platform !== 'win32')('an editor', () => {
  const edit = (editor: string) =>
    editText('draft', {
      environment: { EDITOR: editor, PATH: '/usr/bin:/bin' },
      platform: 'linux',
    });

  test('gives back what it saved', async () => {
    expect(await edit('printf " more" >>')).toBe('draft more');
  });

  test('Y18: that ends with an error cancels the edit, as :cq does in vim', async () => {
    expect(await edit('false')).toBeUndefined();
  });

  test.each(['/nowhere/editor', '/dev/null'])(
    '%s that cannot be run is a failure',
    async (editor) => {
      await expect(edit(editor)).rejects.toMatchObject({
        message: `the editor (${editor}) cannot be run`,
        hint: 'set VISUAL or EDITOR to an editor that is installed',
      });
    },
  );
});
