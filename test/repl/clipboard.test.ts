import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyText } from '../../src/repl/clipboard.ts';

/** A folder of programs that keep their input and environment in files beside them. */
function programs(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'natter-clipboard-'));
  for (const name of names) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n/bin/cat > "${file}.input"\n/usr/bin/env > "${file}.env"\n`);
    chmodSync(file, 0o755);
  }
  return folder;
}

const none = { control: undefined, platform: 'linux' } as const;

test('K22 the system command gets the text as UTF-8, and no key', async () => {
  const folder = programs('wl-copy');
  const keys = { NATTER_API_KEY: 'secret', NATTER_UPSTREAM_API_KEY: 'secret too' };
  const environment = { PATH: folder, WAYLAND_DISPLAY: 'wayland-0', ...keys };
  expect(await copyText('tëa 🍵', { ...none, environment })).toBe('with wl-copy');
  expect(readFileSync(join(folder, 'wl-copy.input'), 'utf8')).toBe('tëa 🍵');
  expect(readFileSync(join(folder, 'wl-copy.env'), 'utf8')).not.toContain('secret');
});

test('the next command is taken where one is not installed', async () => {
  const environment = { PATH: programs('xsel'), DISPLAY: ':0' };
  expect(await copyText('tea', { ...none, environment })).toBe('with xsel');
});

test('T5 the terminal is asked (OSC 52) over SSH, where the command would fill another clipboard', async () => {
  const written: string[] = [];
  const environment = { PATH: programs('xclip'), DISPLAY: ':0', SSH_CONNECTION: '1' };
  const control = (sequence: string) => void written.push(sequence);
  expect(await copyText('tea', { platform: 'linux', environment, control })).toContain('OSC 52');
  expect(written).toEqual(['\u001B]52;c;dGVh\u0007']);
});

test('without any way it is told what to install', async () => {
  await expect(copyText('tea', { ...none, environment: { PATH: '' } })).rejects.toMatchObject({
    message: 'there is no clipboard command',
  });
});
