import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { copyText } from '../../../src/repl/shell/clipboard.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** Copies a text, by default on a terminal without escape sequences. */
const copy = (environment: Record<string, string>, control?: (sequence: string) => void) =>
  copyText('tëa 🍵', createMemoryContext({ environment }).context, control);

/** A folder with programs that write their input and environment into files beside them. */
function programs(...names: readonly string[]): string {
  const folder = folderOf();
  for (const name of names) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n/bin/cat > "${file}.input"\n/usr/bin/env > "${file}.env"\n`);
    chmodSync(file, 0o755);
  }
  return folder;
}

test('K22 passes the text to the system command as UTF-8, and no keys', async () => {
  const folder = programs('wl-copy');
  const keys = { NATTER_API_KEY: 'secret', NATTER_UPSTREAM_API_KEY: 'secret too' };
  const environment = { PATH: folder, WAYLAND_DISPLAY: 'wayland-0', ...keys };
  expect(await copy(environment)).toBe('with wl-copy');
  expect(readFileSync(join(folder, 'wl-copy.input'), 'utf8')).toBe('tëa 🍵');
  expect(readFileSync(join(folder, 'wl-copy.env'), 'utf8')).not.toContain('secret');
});

test('tries the next command if one is not installed', async () => {
  const environment = { PATH: programs('xsel'), DISPLAY: ':0' };
  expect(await copy(environment)).toBe('with xsel');
});

test.each([
  // A command would fill the clipboard of this machine.
  ['over SSH', { PATH: programs('xclip'), DISPLAY: ':0', SSH_CONNECTION: '1' }, ''],
  ['without a command', { PATH: '' }, ''],
  ['in tmux', { PATH: '', TMUX: '/tmp/t,1,0' }, '; tmux needs: set -g set-clipboard on'],
])('T5 uses the terminal (OSC 52) %s', async (_where, environment, needed) => {
  const written: string[] = [];
  const control = (sequence: string) => void written.push(sequence);
  expect(await copy(environment, control)).toBe(
    `through the terminal (OSC 52), if it allows that${needed}`,
  );
  expect(written).toEqual(['\u001B]52;c;dMOrYSDwn421\u0007']);
});

test('fails if there is neither a command nor a terminal', async () => {
  await expect(copy({ PATH: '' })).rejects.toMatchObject({
    message: 'there is no clipboard command',
  });
});

/** A `wl-copy` that never ends, and a context to run it; `started` resolves when it runs. */
function endless() {
  const folder = folderOf();
  const file = join(folder, 'wl-copy');
  writeFileSync(file, `#!/bin/sh\necho > "${folder}/started"\nexec /bin/sleep 600\n`);
  chmodSync(file, 0o755);
  const started = () =>
    vi.waitFor(() => readFileSync(join(folder, 'started')), { timeout: 10_000 });
  const environment = { PATH: folder, WAYLAND_DISPLAY: 'wayland-0' };
  return { ...createMemoryContext({ environment }), started };
}

// More than a pipe holds: unread input must not keep natter running.
const longText = 'tea '.repeat(100_000);

test('kills a command that does not end, and uses the terminal', async () => {
  const { clock, context, started } = endless();
  const written: string[] = [];
  const copying = copyText(longText, context, (sequence) => void written.push(sequence));
  await started();
  await clock.advance(5000);
  expect(await copying).toContain(
    '(OSC 52), if it allows that; wl-copy did not end within 5 seconds',
  );
  expect(written).toHaveLength(1);
});

test('reports a command that does not end if the terminal has no escape sequences', async () => {
  const { clock, context, started } = endless();
  const copying = copyText('tea', context, undefined);
  const failure = {
    message: 'wl-copy did not end within 5 seconds',
    hint: 'write the answer to a file: /save answer.md',
  };
  await started();
  await Promise.all([expect(copying).rejects.toMatchObject(failure), clock.advance(5000)]);
});

test('kills a command at once when it is stopped', async () => {
  const { context, started, abort } = endless();
  const copying = copyText(longText, context, undefined);
  await started();
  abort(new Error('stopped'));
  await expect(copying).rejects.toThrow('stopped');
});
