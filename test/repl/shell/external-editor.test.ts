import { describe, expect, test } from 'vitest';
import { editedText, editorCommand, editText } from '../../../src/repl/shell/external-editor.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const file = String.raw`C:\Users\Ada L\Temp\prompt.md`;
const spaced = String.raw`C:\Program Files\Editor\edit.exe`;

test.each([
  ['notepad', `"notepad "${file}""`],
  ['code --wait', `"code --wait "${file}""`],
  [spaced, `""${spaced}" "${file}""`],
  [`"${spaced}" -n`, `""${spaced}" -n "${file}""`],
])('quotes %s for cmd.exe on Windows', (editor, line) => {
  const exists = (path: string) => path === spaced;
  expect(editorCommand(editor, file, 'win32', exists)).toEqual(['cmd.exe', '/d', '/s', '/c', line]);
});

test('elsewhere the shell parses the variable but not the file name', () => {
  const words = editorCommand('vim -n', '/tmp/a b.md', 'linux');
  expect(words).toEqual(['/bin/sh', '-c', 'vim -n "$1"', 'vim -n', '/tmp/a b.md']);
});

test.each([
  ['win32', '\uFEFFone\r\ntwo\r\n', 'one\ntwo'],
  ['linux', 'one\r\ntwo\n', 'one\r\ntwo'],
] as const)('normalizes the edited text on %s', (platform, content, text) => {
  expect(editedText(content, platform)).toBe(text);
});

describe.runIf(process.platform !== 'win32')('an editor', () => {
  const edit = (editor: string) =>
    editText(
      'draft',
      createMemoryContext({ environment: { EDITOR: editor, PATH: '/usr/bin:/bin' } }).context,
    );

  test.each([
    ['returns the saved text', 'printf " more" >>', 'draft more'],
    ['Y18: cancels the edit when it exits with an error, like :cq in vim', 'false', undefined],
  ])('%s', async (_what, editor, text) => {
    expect(await edit(editor)).toBe(text);
  });

  test.each(['/nowhere/editor', '/dev/null'])('fails if it cannot be run: %s', async (editor) => {
    await expect(edit(editor)).rejects.toMatchObject({
      message: `the editor (${editor}) cannot be run`,
      hint: 'set VISUAL or EDITOR to an editor that is installed',
    });
  });
});
