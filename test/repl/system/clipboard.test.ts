import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { copyText as copy, type ClipboardOptions } from '../../../src/repl/system/clipboard.ts';
import { systemClock } from '../../../src/clock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const copyText = (text: string, options: Omit<ClipboardOptions, 'clock'>) =>
  copy(text, { ...options, clock: systemClock }, new AbortController().signal);

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

test('T5 the terminal is used (OSC 52) over SSH, where the command would fill another clipboard', async () => {
  const written: string[] = [];
  const environment = { PATH: programs('xclip'), DISPLAY: ':0', SSH_CONNECTION: '1' };
  const control = (sequence: string) => void written.push(sequence);
  expect(await copyText('tea', { platform: 'linux', environment, control })).toContain('OSC 52');
  expect(written).toEqual(['\u001B]52;c;dGVh\u0007']);
});

test('without any way the hint names what to install', async () => {
  await expect(copyText('tea', { ...none, environment: { PATH: '' } })).rejects.toMatchObject({
    message: 'there is no clipboard command',
  });
});

/** A program that never ends, in the place of `wl-copy`, and what it is run with; `started` resolves when it runs. */
function endless() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-clipboard-'));
  const file = join(folder, 'wl-copy');
  writeFileSync(file, `#!/bin/sh\necho > "${folder}/started"\nexec /bin/sleep 600\n`);
  chmodSync(file, 0o755);
  const started = () =>
    vi.waitFor(() => readFileSync(join(folder, 'started')), { timeout: 10_000 });
  const clock = createFakeClock();
  const environment = { PATH: folder, WAYLAND_DISPLAY: 'wayland-0' };
  return { clock, started, options: { clock, platform: 'linux', environment } as const };
}

// More than a pipe holds: what is not read must not keep natter alive either.
const longText = 'tea '.repeat(100_000);

test('a command that does not end is killed, and the terminal is used', async () => {
  const { clock, options, started } = endless();
  const written: string[] = [];
  const control = (sequence: string) => void written.push(sequence);
  const way = copy(longText, { ...options, control }, new AbortController().signal);
  await started();
  await clock.advance(5000);
  expect(await way).toContain('(OSC 52), if it allows that: wl-copy did not end within 5 seconds');
  expect(written).toHaveLength(1);
});

test('a command that does not end is reported if the terminal has no escape sequences', async () => {
  const { clock, options, started } = endless();
  const signal = new AbortController().signal;
  const way = copy('tea', { ...options, control: undefined }, signal);
  const told = {
    message: 'wl-copy did not end within 5 seconds',
    hint: 'write it to a file: /save answer.md',
  };
  await started();
  await Promise.all([expect(way).rejects.toMatchObject(told), clock.advance(5000)]);
});

test('a command that does not end is killed at once when the person stops it', async () => {
  const { options, started } = endless();
  const stop = new AbortController();
  const way = copy(longText, { ...options, control: undefined }, stop.signal);
  await started();
  stop.abort(new Error('stopped'));
  await expect(way).rejects.toThrow('stopped');
});
