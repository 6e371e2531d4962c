import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { copyText as copy, type ClipboardOptions } from '../../../src/repl/shell/clipboard.ts';
import { systemClock } from '../../../src/clock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { folderOf } from '../../support/folder.ts';

const copyText = (text: string, options: Omit<ClipboardOptions, 'clock'>) =>
  copy(text, { ...options, clock: systemClock }, new AbortController().signal);

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

const none = { control: undefined, platform: 'linux' } as const;

test('K22 passes the text to the system command as UTF-8, and no keys', async () => {
  const folder = programs('wl-copy');
  const keys = { NATTER_API_KEY: 'secret', NATTER_UPSTREAM_API_KEY: 'secret too' };
  const environment = { PATH: folder, WAYLAND_DISPLAY: 'wayland-0', ...keys };
  expect(await copyText('tëa 🍵', { ...none, environment })).toBe('with wl-copy');
  expect(readFileSync(join(folder, 'wl-copy.input'), 'utf8')).toBe('tëa 🍵');
  expect(readFileSync(join(folder, 'wl-copy.env'), 'utf8')).not.toContain('secret');
});

test('tries the next command if one is not installed', async () => {
  const environment = { PATH: programs('xsel'), DISPLAY: ':0' };
  expect(await copyText('tea', { ...none, environment })).toBe('with xsel');
});

test.each([
  // A command would fill the clipboard of this machine.
  ['over SSH', { PATH: programs('xclip'), DISPLAY: ':0', SSH_CONNECTION: '1' }, ''],
  ['without a command', { PATH: '' }, ''],
  ['in tmux', { PATH: '', TMUX: '/tmp/t,1,0' }, '; tmux needs: set -g set-clipboard on'],
])('T5 uses the terminal (OSC 52) %s', async (_where, environment, needed) => {
  const written: string[] = [];
  const control = (sequence: string) => void written.push(sequence);
  expect(await copyText('tea', { platform: 'linux', environment, control })).toBe(
    `through the terminal (OSC 52), if it allows that${needed}`,
  );
  expect(written).toEqual(['\u001B]52;c;dGVh\u0007']);
});

test('fails if there is neither a command nor a terminal', async () => {
  await expect(copyText('tea', { ...none, environment: { PATH: '' } })).rejects.toMatchObject({
    message: 'there is no clipboard command',
  });
});

/** A `wl-copy` that never ends, and options to run it; `started` resolves when it runs. */
function endless() {
  const folder = folderOf();
  const file = join(folder, 'wl-copy');
  writeFileSync(file, `#!/bin/sh\necho > "${folder}/started"\nexec /bin/sleep 600\n`);
  chmodSync(file, 0o755);
  const started = () =>
    vi.waitFor(() => readFileSync(join(folder, 'started')), { timeout: 10_000 });
  const clock = createFakeClock();
  const environment = { PATH: folder, WAYLAND_DISPLAY: 'wayland-0' };
  return { clock, started, options: { clock, platform: 'linux', environment } as const };
}

// More than a pipe holds: unread input must not keep natter running.
const longText = 'tea '.repeat(100_000);

test('kills a command that does not end, and uses the terminal', async () => {
  const { clock, options, started } = endless();
  const written: string[] = [];
  const control = (sequence: string) => void written.push(sequence);
  const copying = copy(longText, { ...options, control }, new AbortController().signal);
  await started();
  await clock.advance(5000);
  expect(await copying).toContain(
    '(OSC 52), if it allows that; wl-copy did not end within 5 seconds',
  );
  expect(written).toHaveLength(1);
});

test('reports a command that does not end if the terminal has no escape sequences', async () => {
  const { clock, options, started } = endless();
  const signal = new AbortController().signal;
  const copying = copy('tea', { ...options, control: undefined }, signal);
  const failure = {
    message: 'wl-copy did not end within 5 seconds',
    hint: 'write the answer to a file: /save answer.md',
  };
  await started();
  await Promise.all([expect(copying).rejects.toMatchObject(failure), clock.advance(5000)]);
});

test('kills a command at once when it is stopped', async () => {
  const { options, started } = endless();
  const stop = new AbortController();
  const copying = copy(longText, { ...options, control: undefined }, stop.signal);
  await started();
  stop.abort(new Error('stopped'));
  await expect(copying).rejects.toThrow('stopped');
});
