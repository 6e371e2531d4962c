import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLines as run } from './run-lines.ts';

const editorKey = 'config set keys.open-editor Ctrl-X,f4';

test('keys are stored in one spelling, and config keys lists them', async () => {
  expect((await run([editorKey])).stderr).toBe(
    'natter: keys.open-editor is set to ctrl+x f4 in profile default\n',
  );
  expect((await run([editorKey, 'config get keys.open-editor'])).stdout).toBe('ctrl+x f4\n');
  const { stdout } = await run([editorKey, 'config keys']);
  expect(stdout).toContain('open-editor\tCtrl+X, F4\tprofile default\tedit the draft');
  expect(stdout).toContain('search-start\tCtrl+R\tdefault\tsearch the prompt history\n');
  const { stdout: json } = await run([editorKey, 'config keys --json']);
  expect(JSON.parse(json)).toContainEqual({
    action: 'open-editor',
    keys: ['ctrl+x', 'f4'],
    context: 'composer',
    summary: 'edit the draft in $VISUAL or $EDITOR',
    source: { kind: 'profile', name: 'default' },
  });
});

test.each([
  ['config set keys.open-editer f4', 'there is no key action "open-editer"'],
  ['config set keys.undo hyper+x', '"hyper+x" is not a key'],
  ['config set keys.undo ctrl+g', 'ctrl+g of undo is the key of open-editor, too'],
  ['config set keys.X f4', '"X" is not a key action'],
])('%s is refused', async (line, message) => {
  await expect(run([line])).rejects.toMatchObject({ kind: 'usage', message });
});

test('a default key that has a new action is not returned to the old one', async () => {
  const lines = [
    'config set keys.open-editor none',
    'config set keys.undo ctrl+g',
    'config unset keys.open-editor',
  ];
  await expect(run(lines)).rejects.toMatchObject({
    kind: 'usage',
    message: 'ctrl+g of undo is the key of open-editor, too',
    hint: 'natter config set keys.undo none, or a different key, frees it',
  });
});

test('one of several unusable keys is named, can be removed, and can be replaced', async () => {
  const keys = { undo: 'hyper+x', redo: 'q', nope: 'f4' };
  const folder = mkdtempSync(join(tmpdir(), 'natter-config-'));
  const settings = { version: 1, profiles: { default: { keys } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
  const options = { environment: { NATTER_CONFIG_DIR: folder } };
  const list = (line: string) => run([line, 'config keys'], options);
  await expect(run(['config keys'], options)).rejects.toMatchObject({
    message: 'keys.undo: "hyper+x" is not a key',
    hint: 'natter config unset keys.undo --profile default removes it',
  });
  await expect(list('config set keys.undo f5')).rejects.toThrow('keys.redo: q types text');
  await expect(list('config unset keys.redo')).rejects.toThrow('no key action "nope"');
  expect((await list('config unset keys.nope')).stdout).toContain('undo\tF5\tprofile default');
});
