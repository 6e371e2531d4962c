import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Failure } from '../../failure.ts';
import type { Context } from '../../run.ts';
import { notRunCodes } from '../../terminal/device/pager.ts';
import { runChild } from './child-process.ts';

function editorOf({ environment, platform }: Context): string {
  const fallback = platform === 'win32' ? 'notepad' : 'vi';
  return environment['VISUAL'] || environment['EDITOR'] || fallback;
}

/**
 * The variable may contain options and quotes, so a shell parses it; the file name is passed as an argument instead.
 * On Windows the variable may also be an unquoted path with spaces. cmd.exe removes the outermost quotes.
 */
export function editorCommand(
  editor: string,
  file: string,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean = fs.existsSync,
): readonly string[] {
  if (platform !== 'win32') return ['/bin/sh', '-c', `${editor} "$1"`, editor, file];
  const program = editor.includes(' ') && exists(editor) ? `"${editor}"` : editor;
  return ['cmd.exe', '/d', '/s', '/c', `"${program} "${file}""`];
}

/** The edited text without a byte order mark and with `\n` line ends, which Windows editors may change. */
export function editedText(content: string, platform: NodeJS.Platform): string {
  const text = content.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  return platform === 'win32' ? text.replaceAll('\r\n', '\n') : text;
}

/** @returns whether the editor exited without an error @throws Failure if it cannot be run */
async function runEditor(file: string, context: Context): Promise<boolean> {
  const { environment, platform } = context;
  const editor = editorOf(context);
  const [program = editor, ...words] = editorCommand(editor, file, platform);
  const code = await runChild(program, words, { environment, verbatim: platform === 'win32' });
  if (code !== undefined && !notRunCodes.has(code)) return code === 0;
  throw new Failure('configuration', `the editor (${editor}) cannot be run`, {
    hint: 'set VISUAL or EDITOR to an editor that is installed',
  });
}

/** Opens a file in `$VISUAL` or `$EDITOR`. @throws Failure if the editor cannot be run, or exits with an error */
export async function editFile(file: string, context: Context): Promise<void> {
  if (await runEditor(file, context)) return;
  throw new Failure('usage', `the editor (${editorOf(context)}) exited with an error`);
}

/**
 * Opens a text in `$VISUAL` or `$EDITOR`. @returns undefined if the editor exits with an error, such as after `:cq`
 * in vim, which cancels the edit
 * @throws Failure if the editor cannot be run
 */
export async function editText(text: string, context: Context): Promise<string | undefined> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'natter-'));
  const file = path.join(folder, 'prompt.md');
  try {
    fs.writeFileSync(file, text, { mode: 0o600 });
    if (!(await runEditor(file, context))) return undefined;
    return editedText(fs.readFileSync(file, 'utf8'), context.platform);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
